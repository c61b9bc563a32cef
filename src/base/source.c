/* source: reads what base/input opens, and undoes what base/unpack knows.
 *
 * No byte is copied that need not be: what is not compressed is read right into the caller's
 * memory, and what is compressed is unpacked right into it, so that zlib sets the pace. */
#include "base/source.h"

#include <errno.h>
#include <string.h>

#include "base/decompress.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/path.h"

enum {
    PACKED_SIZE = 262144, /* one read of compressed bytes: few calls, and it stays in the cache */
    PEEK_SIZE = 65536     /* the most that source_peek gives */
};

/* From the file to the caller: file, `packed`, unpacker, `ahead`, caller. What is not compressed
 * skips the two in the middle; what nobody has peeked at skips `ahead`. */
struct source {
    char name[PATH_SHOWN]; /* for messages */
    struct input file;

    unsigned char *packed; /* what was read and not used: from packed_at on */
    size_t packed_at, packed_end;
    bool file_ended;

    const char *compression;       /* NULL: none */
    struct decompressor *unpacker; /* NULL: none */
    bool ended;                    /* nothing more will be produced */
    temper_error failure;          /* the first one; from then on every read fails with it */

    unsigned char *ahead; /* what was peeked at and not read: from ahead_at on. NULL until needed */
    size_t ahead_at, ahead_end;
};

/* ---- Messages -------------------------------------------------------------------------------- */

/* How an archive can be bad. Places are bytes of the file as it lies there: what a user can look at
 * with other tools. Kept with the source, as every further read fails in the same way. */
static temper_status unpack_failed(struct source *source, enum decompress_result result)
{
    temper_error *error = &source->failure;
    const char *name = source->name, *kind = source->compression;
    /* what the unpacker has used of what was read */
    unsigned long long byte = source->file.taken - (source->packed_end - source->packed_at);
    switch (result) {
    case UNPACK_NO_MEMORY:
        return error_no_memory(error);
    case UNPACK_CUT:
        return error_set(error, TEMPER_BAD_DATA, "%s: the %s archive is cut off after %llu bytes; get the file again",
                         name, kind, byte);
    case UNPACK_GARBAGE:
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: the %s archive ends before byte %llu, and what follows is none; get "
                         "the file again, or cut it there",
                         name, kind, byte + 1);
    case UNPACK_TOO_WIDE:
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: this zstd archive needs more than 128 MiB of memory to unpack; "
                         "unpack it first: zstd -d --long=31",
                         name);
    case UNPACK_DICTIONARY:
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: this zstd archive was made with a dictionary; unpack it first: "
                         "zstd -d -D DICTIONARY",
                         name);
    default:
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: the %s archive is damaged before byte %llu: %s; get the file again", name, kind, byte + 1,
                         decompress_cause(source->unpacker));
    }
}

/* ---- Producing: fills `size` bytes, fewer only at the end ------------------------------------ */

/* Fills the used-up buffer with one read; 0, or what errno said. */
static int refill(struct source *source)
{
    size_t got = 0;
    int failure = input_read(&source->file, source->packed, PACKED_SIZE, &got);
    if (failure)
        return failure;
    source->packed_at = 0;
    source->packed_end = got;
    source->file_ended = got == 0;
    return 0;
}

/* What is left of the bytes that told that there is no compression. */
static size_t take_first(struct source *source, unsigned char *bytes, size_t size)
{
    size_t left = source->packed_end - source->packed_at, taken = left < size ? left : size;
    memcpy(bytes, source->packed + source->packed_at, taken);
    source->packed_at += taken;
    return taken;
}

/* A pipe gives what is there, so one read is not enough. */
static temper_status produce_plain(struct source *source, unsigned char *bytes, size_t size, size_t *got)
{
    size_t done = take_first(source, bytes, size);
    while (done < size && !source->file_ended) {
        size_t more = 0;
        int failure = input_read(&source->file, bytes + done, size - done, &more);
        if (failure)
            return input_failed(source->name, failure, &source->failure);
        source->file_ended = more == 0;
        done += more;
    }
    source->ended = done < size; /* and is not asked again: a terminal would go on */
    *got = done;
    return TEMPER_OK;
}

/* One step from the buffer to `bytes`. */
static enum decompress_result unpack_input(struct source *source, unsigned char *bytes, size_t size, size_t *made)
{
    struct flow flow = {.in = source->packed + source->packed_at,
                        .in_left = source->packed_end - source->packed_at,
                        .in_ended = source->file_ended,
                        .out = bytes,
                        .out_left = size};
    enum decompress_result result = decompress_step(source->unpacker, &flow);
    source->packed_at = source->packed_end - flow.in_left;
    *made = size - flow.out_left;
    return result;
}

/* An archive ends where its format says so and the file does too; an end of the file alone is a
 * cut, which only the unpacker can tell. */
static temper_status produce_unpacked(struct source *source, unsigned char *bytes, size_t size, size_t *got)
{
    size_t done = 0, made;
    while (done < size) {
        int failure = source->packed_at == source->packed_end && !source->file_ended ? refill(source) : 0;
        if (failure)
            return input_failed(source->name, failure, &source->failure);
        enum decompress_result result = unpack_input(source, bytes + done, size - done, &made);
        done += made;
        if (result == UNPACK_END) {
            source->ended = true;
            break;
        }
        if (result != UNPACK_GOES_ON)
            return unpack_failed(source, result);
    }
    *got = done;
    return TEMPER_OK;
}

/* The one way in for reading and peeking. After a failure `bytes` may hold anything. */
static temper_status produce(struct source *source, unsigned char *bytes, size_t size, size_t *got)
{
    *got = 0;
    if (source->failure.status != TEMPER_OK)
        return source->failure.status;
    if (source->ended || size == 0)
        return TEMPER_OK;
    return source->unpacker ? produce_unpacked(source, bytes, size, got) : produce_plain(source, bytes, size, got);
}

/* Passes on the failure that stays with the source. */
static temper_status answer(const struct source *source, temper_status status, temper_error *error)
{
    if (status != TEMPER_OK && error)
        *error = source->failure;
    return status;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Reads the first bytes, of which a pipe may give one at a time, and tells what they are: by
 * content, as names lie. 0, or what errno said. */
static int detect(struct source *source)
{
    source->packed = mem_alloc(PACKED_SIZE, 1);
    if (!source->packed)
        return ENOMEM;
    while (source->packed_end < UNPACK_MAGIC && !source->file_ended) {
        size_t got = 0;
        int failure =
            input_read(&source->file, source->packed + source->packed_end, PACKED_SIZE - source->packed_end, &got);
        if (failure)
            return failure;
        source->packed_end += got;
        source->file_ended = got == 0;
    }
    source->compression = decompress_kind(source->packed, source->packed_end);
    if (source->compression)
        source->unpacker = decompress_open(source->compression);
    return source->compression && !source->unpacker ? ENOMEM : 0;
}

/* What is read of a file. */
struct extent {
    enum { EXTENT_ALL, EXTENT_LINES, EXTENT_SPAN } kind;
    size_t rank, ranks;
    uint64_t from, to;
};

static temper_status open_extent(const char *path, const struct extent *extent, struct source **out,
                                 temper_error *error)
{
    struct source *source = mem_zeroed(1, sizeof *source);
    if (!source)
        return error_no_memory(error);
    path_shown(strcmp(path, "-") == 0 ? "standard input" : path, source->name);
    int failure = input_open(&source->file, path);
    if (!failure && extent->kind == EXTENT_LINES)
        failure = input_keep_lines(&source->file, extent->rank, extent->ranks);
    if (!failure && extent->kind == EXTENT_SPAN)
        failure = input_keep_span(&source->file, extent->from, extent->to);
    if (!failure)
        failure = detect(source);
    if (failure) {
        temper_status status = input_failed(source->name, failure, error);
        source_close(source);
        return status;
    }
    *out = source;
    return TEMPER_OK;
}

temper_status source_open(const char *path, struct source **out, temper_error *error)
{
    return open_extent(path, &(struct extent){.kind = EXTENT_ALL}, out, error);
}

temper_status source_open_lines(const char *path, size_t rank, size_t ranks, struct source **out, temper_error *error)
{
    struct extent lines = {.kind = EXTENT_LINES, .rank = rank, .ranks = ranks};
    return open_extent(path, &lines, out, error);
}

temper_status source_open_span(const char *path, uint64_t from, uint64_t to, struct source **out, temper_error *error)
{
    struct extent span = {.kind = EXTENT_SPAN, .from = from, .to = to};
    return open_extent(path, &span, out, error);
}

temper_status source_bytes(const char *name, char *bytes, size_t length, struct source **out, temper_error *error)
{
    struct source *source = mem_zeroed(1, sizeof *source);
    if (!source) {
        mem_free(bytes);
        return error_no_memory(error);
    }
    path_shown(name, source->name);
    source->file.file = -1;
    source->ended = true; /* behind what seems to have been peeked at */
    source->ahead = (unsigned char *)bytes;
    source->ahead_end = length;
    *out = source;
    return TEMPER_OK;
}

void source_close(struct source *source)
{
    if (!source)
        return;
    input_close(&source->file);
    decompress_close(source->unpacker);
    mem_free(source->packed);
    mem_free(source->ahead);
    mem_free(source);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* First what was peeked at, then what comes behind it. */
temper_status source_read(struct source *source, void *bytes, size_t size, size_t *got, temper_error *error)
{
    size_t left = source->ahead_end - source->ahead_at, seen = left < size ? left : size, more;
    if (seen > 0)
        memcpy(bytes, source->ahead + source->ahead_at, seen);
    temper_status status = produce(source, (unsigned char *)bytes + seen, size - seen, &more);
    if (status != TEMPER_OK)
        return answer(source, status, error);
    source->ahead_at += seen; /* only now: a failure takes nothing */
    *got = seen + more;
    return TEMPER_OK;
}

/* Makes room for PEEK_SIZE bytes from ahead_at on. Most sources are never peeked at twice, so that
 * moving what is left costs nothing. */
static bool make_room_ahead(struct source *source)
{
    if (!source->ahead)
        source->ahead = mem_alloc(PEEK_SIZE, 1);
    if (!source->ahead)
        return false;
    if (source->ahead_at > 0)
        memmove(source->ahead, source->ahead + source->ahead_at, source->ahead_end - source->ahead_at);
    source->ahead_end -= source->ahead_at;
    source->ahead_at = 0;
    return true;
}

temper_status source_peek(struct source *source, size_t size, const unsigned char **bytes, size_t *got,
                          temper_error *error)
{
    if (size > PEEK_SIZE)
        size = PEEK_SIZE;
    if (!make_room_ahead(source))
        return error_no_memory(error);
    size_t left = source->ahead_end, more;
    if (left < size) {
        temper_status status = produce(source, source->ahead + left, size - left, &more);
        if (status != TEMPER_OK)
            return answer(source, status, error);
        source->ahead_end += more;
    }
    *bytes = source->ahead;
    *got = source->ahead_end < size ? source->ahead_end : size;
    return TEMPER_OK;
}

/* ---- What is known of it --------------------------------------------------------------------- */

void source_stop(struct source *source)
{
    input_stop(&source->file);
}

const char *source_name(const struct source *source)
{
    return source->name;
}

const char *source_compression(const struct source *source)
{
    return source->compression;
}

uint64_t source_file_size(const struct source *source)
{
    return source->file.size;
}
