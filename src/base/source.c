/* source: reads bytes from a file, a pipe or the standard input, and decompresses gzip and zstd.
 *
 * No byte is copied that need not be: uncompressed data is read directly into the caller's memory,
 * and compressed data is decompressed directly into it, so that the speed is that of zlib. */
#include "base/source.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compression/decompress.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/text.h"

enum {
    MOST_AT_ONCE = 1 << 30,  /* bytes of one read(); Linux returns less than 2 GiB */
    LINE_SEARCH = 8192,      /* bytes of one search for the end of a line */
    POLL_MILLISECONDS = 100, /* between two checks of `stopped` */
    PACKED_SIZE = 262144,    /* one read of compressed bytes: few calls, and it stays in the cache */
    PEEK_SIZE = 65536,       /* the most that source_peek returns */
    WHOLE_CHUNK = 8192       /* one step of source_whole */
};

/* Returned in the place of an errno. */
enum { BECAME_SHORTER = -1 };

/* An open descriptor. The functions input_* return 0 or an errno. */
struct input {
    int fd;                      /* -1: none */
    const unsigned char *memory; /* the bytes of source_borrow instead of a descriptor; or NULL */
    size_t memory_length;
    bool borrowed;        /* the standard input, which stays open */
    bool may_block;       /* not a regular file */
    uint64_t size;        /* of a regular file, or of the span of it that is read; else 0 */
    uint64_t taken;       /* bytes read so far */
    bool limited;         /* only `size` bytes are read */
    uint64_t opened_size; /* of the whole regular file, when it was opened; else 0 */
    atomic_bool stopped;  /* set by another thread */
};

/* Bytes pass from the file through `packed`, the decompressor and `ahead` to the caller.
 * Uncompressed data skips the first two; `ahead` holds only what source_peek has returned. */
struct source {
    char name[PATH_SHOWN]; /* for messages */
    struct input file;

    unsigned char *packed; /* bytes of the file that were read and not used: from packed_at on */
    size_t packed_at, packed_end;
    bool file_ended;

    const char *compression;           /* NULL: none */
    struct decompressor *decompressor; /* NULL: none */
    struct source_maker maker;         /* of source_made; else it has no function */
    bool ended;                        /* nothing more will be produced */
    temper_error failure;              /* the first one; from then on every read fails with it */

    unsigned char *ahead; /* bytes that were peeked at and not read: from ahead_at on; or NULL */
    size_t ahead_at, ahead_end;
};

/* ---- Messages -------------------------------------------------------------------------------- */

/* The causes that a user can remedy. A missing file has another exit code than an unreadable one. */
static const struct {
    int number;
    temper_status status;
    const char *remedy;
} remedies[] = {
    {ENOENT, TEMPER_NO_INPUT, "check the name"},
    {ENOTDIR, TEMPER_NO_INPUT, "one part of the path is a file; check the name"},
    {ENAMETOOLONG, TEMPER_NO_INPUT, "check the name"},
    {ELOOP, TEMPER_NO_INPUT, "its symbolic links run in a circle; check the name"},
    {EACCES, TEMPER_IO, "check the permissions"},
    {EPERM, TEMPER_IO, "check the permissions"},
    {EISDIR, TEMPER_IO, "give the name of a file in it"},
    {EBADF, TEMPER_IO, "it is closed; give a file, or let something write to it"},
    {EIO, TEMPER_IO, "check the disk or the network, and copy the file elsewhere first"},
    {EMFILE, TEMPER_IO, "raise the limit on open files (ulimit -n)"},
    {ENXIO, TEMPER_IO, "it is a socket or a device that is not there; give a file or a pipe"},
};

/* "NAME: cannot be read: cause; remedy", of an errno. */
static temper_status input_failed(const char *name, int failure, temper_error *error)
{
    char cause[CAUSE_LENGTH];
    if (failure == ENOMEM)
        return error_no_memory(error);
    if (failure == ECANCELED)
        return error_set(error, TEMPER_INTERRUPTED, "%s: reading was stopped", name);
    if (failure == BECAME_SHORTER)
        return error_set(error, TEMPER_IO,
                         "%s: has become shorter while it was read; run again when no other program writes to it",
                         name);
    cause_shown(failure, cause);
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (remedies[i].number == failure)
            return error_set(error, remedies[i].status, "%s: cannot be read: %s; %s", name, cause, remedies[i].remedy);
    return error_set(error, TEMPER_IO, "%s: cannot be read: %s; give another file", name, cause);
}

/* The message of a bad archive. Places are bytes of the compressed file, which a user can inspect
 * with other tools. Kept in the source, as every further read fails in the same way. */
static temper_status decompress_failed(struct source *source, enum decompress_result result)
{
    temper_error *error = &source->failure;
    const char *name = source->name, *kind = source->compression;
    /* what the decompressor has used of what was read */
    unsigned long long byte = source->file.taken - (source->packed_end - source->packed_at);
    switch (result) {
    case DECOMPRESS_NO_MEMORY:
        return error_no_memory(error);
    case DECOMPRESS_TRUNCATED:
        return error_set(error, TEMPER_BAD_DATA, "%s: the %s archive is cut off after %llu bytes; get the file again",
                         name, kind, byte);
    case DECOMPRESS_GARBAGE:
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: the %s archive ends before byte %llu, and what follows is none; get "
                         "the file again, or cut it there",
                         name, kind, byte + 1);
    case DECOMPRESS_TOO_WIDE:
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: this zstd archive needs more than 128 MiB of memory to unpack; "
                         "unpack it first: zstd -d --long=31",
                         name);
    case DECOMPRESS_DICTIONARY:
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: this zstd archive was made with a dictionary; unpack it first: "
                         "zstd -d -D DICTIONARY",
                         name);
    case DECOMPRESS_UNSUPPORTED:
        return error_set(error, TEMPER_BAD_DATA, "%s: this build of temper does not unpack %s; unpack it first: %s -d",
                         name, kind, kind);
    default:
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: the %s archive is damaged before byte %llu: %s; get the file again", name, kind, byte + 1,
                         decompress_cause(source->decompressor));
    }
}

/* ---- The descriptor: 0, or an errno ---------------------------------------------------------- */

/* Opens by name; "-" is the standard input, which is never closed. The size is known for regular files only. */
static int input_open(struct input *input, const char *path)
{
    struct stat about;
    *input = (struct input){.fd = -1};
    input->borrowed = strcmp(path, "-") == 0;
    do { /* opening a pipe waits for its writer, and may be interrupted */
        input->fd = input->borrowed ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    } while (input->fd < 0 && errno == EINTR);
    if (input->fd < 0 || fstat(input->fd, &about) != 0)
        return errno;
    if (S_ISDIR(about.st_mode)) /* open() succeeds, and read() would fail */
        return EISDIR;
    input->may_block = !S_ISREG(about.st_mode);
    input->size = input->opened_size = S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
    return 0;
}

/* *start: the first line that begins at byte `at` or later; the end of the file if there is none. The search starts one
 * byte earlier, as a line break there means that a line begins exactly at `at`. By pread, so that the file position
 * remains. */
static int line_start(const struct input *input, uint64_t at, uint64_t *start)
{
    char bytes[LINE_SEARCH];
    *start = 0;
    for (uint64_t from = at - 1; at > 0; from += LINE_SEARCH) {
        ssize_t got = pread(input->fd, bytes, sizeof bytes, (off_t)from);
        if (got < 0)
            return errno;
        /* a line that is longer than the buffer continues the search in the next one */
        const char *newline = got ? memchr(bytes, '\n', (size_t)got) : NULL;
        *start = newline ? from + (uint64_t)(newline - bytes) + 1 : input->size;
        if (newline || got == 0)
            return 0;
    }
    return 0;
}

/* Restricts reading to bytes from .. to of a regular file that was just opened. */
static int input_keep_span(struct input *input, uint64_t from, uint64_t to)
{
    input->limited = true;
    input->size = to - from;
    return lseek(input->fd, (off_t)from, SEEK_SET) < 0 ? errno : 0;
}

/* Restricts reading to the lines that begin in the rank-th of `ranks` pieces of equal length: every line belongs to
 * exactly one rank, and no rank needs to communicate with another. */
static int input_keep_lines(struct input *input, size_t rank, size_t ranks)
{
    /* the remainder of the division belongs to the last piece */
    uint64_t piece = input->size / ranks, from, to = input->size;
    int failure = line_start(input, piece * rank, &from);
    if (!failure && rank + 1 < ranks)
        failure = line_start(input, piece * (rank + 1), &to);
    return failure ? failure : input_keep_span(input, from, to);
}

/* The status of close() does not matter: all bytes were read. */
static void input_close(struct input *input)
{
    if (input->fd >= 0 && !input->borrowed)
        close(input->fd);
    input->fd = -1;
}

/* Waits until a read would not block. Checks `stopped` now and then: a reader thread that sleeps in
 * read() could not be joined. */
static int wait_for_bytes(struct input *input)
{
    struct pollfd request = {.fd = input->fd, .events = POLLIN};
    for (;;) {
        if (atomic_load(&input->stopped))
            return ECANCELED;
        int ready = poll(&request, 1, POLL_MILLISECONDS);
        if (ready > 0) /* bytes, the end, or an error that read() will report */
            return 0;
        if (ready < 0 && errno != EINTR && errno != EAGAIN)
            return errno;
    }
}

/* The next bytes of source_borrow. */
static void take_memory(struct input *input, void *bytes, size_t size, size_t *got)
{
    size_t left = input->memory_length - (size_t)input->taken;
    *got = left < size ? left : size;
    if (*got > 0)
        memcpy(bytes, input->memory + input->taken, *got);
    input->taken += *got;
}

/* Whether a regular file that was opened by name has lost bytes since: what is missing was not read, and the end of the
 * file is not that of the data. A file that grows is read as far as it goes. */
static bool has_become_shorter(const struct input *input)
{
    struct stat now;
    return input->size > 0 && !input->borrowed && !input->may_block && fstat(input->fd, &now) == 0 &&
           (uint64_t)now.st_size < input->opened_size;
}

/* One successful read, repeated after interrupts. *got = 0 is the end of the file. */
static int input_read(struct input *input, void *bytes, size_t size, size_t *got)
{
    if (size > MOST_AT_ONCE)
        size = MOST_AT_ONCE;
    if (input->limited && size > input->size - input->taken)
        size = (size_t)(input->size - input->taken);
    if (input->memory) {
        take_memory(input, bytes, size, got);
        return 0;
    }
    for (;;) {
        int failure = input->may_block ? wait_for_bytes(input) : 0;
        if (failure)
            return failure;
        /* may return fewer bytes than requested, which the callers handle */
        ssize_t length = read(input->fd, bytes, size);
        if (length == 0 && size > 0 && has_become_shorter(input))
            return BECAME_SHORTER;
        if (length >= 0) {
            *got = (size_t)length;
            input->taken += (uint64_t)length;
            return 0;
        }
        /* EAGAIN: the pipe is non-blocking, and another reader took its bytes after poll(). */
        if (errno != EINTR && errno != EAGAIN)
            return errno;
    }
}

/* ---- Producing: fills `size` bytes, fewer only at the end ------------------------------------ */

/* Refills the empty buffer of compressed bytes with one read; 0, or an errno. */
static int refill(struct source *source)
{
    size_t got = 0;
    int failure = input_read(&source->file, source->packed, PACKED_SIZE, &got);
    if (failure)
        return failure;
    /* an empty read is the end of the file, after which read() is not called again */
    source->packed_at = 0;
    source->packed_end = got;
    source->file_ended = got == 0;
    return 0;
}

/* Copies the unused ones of the first bytes, which were read to detect a compression. */
static size_t take_first(struct source *source, unsigned char *bytes, size_t size)
{
    size_t left = source->packed_end - source->packed_at, taken = left < size ? left : size;
    memcpy(bytes, source->packed + source->packed_at, taken);
    source->packed_at += taken;
    return taken;
}

/* Uncompressed data. A pipe returns what is available, so one read is not enough. Reading is repeated until `size`
 * bytes are there or the file ends, so that callers see short reads at the end only. */
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
    source->ended = done < size; /* no further read: a terminal would continue after its end */
    *got = done;
    return TEMPER_OK;
}

/* Decompresses from the buffer to `bytes`, once; *made: how many bytes it produced. */
static enum decompress_result decompress_input(struct source *source, unsigned char *bytes, size_t size, size_t *made)
{
    struct byte_flow flow = {.in = source->packed + source->packed_at,
                             .in_left = source->packed_end - source->packed_at,
                             .in_ended = source->file_ended,
                             .out = bytes,
                             .out_left = size};
    enum decompress_result result = decompress_step(source->decompressor, &flow);
    source->packed_at = source->packed_end - flow.in_left;
    *made = size - flow.out_left;
    return result;
}

/* Compressed data. An archive ends where both its format and the file end; where the file alone
 * ends it is truncated, which only the decompressor can detect. */
static temper_status produce_decompressed(struct source *source, unsigned char *bytes, size_t size, size_t *got)
{
    size_t done = 0, made;
    while (done < size) {
        /* reads only when all compressed bytes are used: a pipe must not block while output is available */
        int failure = source->packed_at == source->packed_end && !source->file_ended ? refill(source) : 0;
        if (failure)
            return input_failed(source->name, failure, &source->failure);
        enum decompress_result result = decompress_input(source, bytes + done, size - done, &made);
        done += made;
        if (result == DECOMPRESS_END) {
            source->ended = true;
            break;
        }
        if (result != DECOMPRESS_CONTINUES)
            return decompress_failed(source, result);
    }
    *got = done;
    return TEMPER_OK;
}

/* Bytes that a function makes. */
static temper_status produce_made(struct source *source, unsigned char *bytes, size_t size, size_t *got)
{
    temper_status status = source->maker.fill(source->maker.context, bytes, size, got, &source->failure);
    source->ended = status == TEMPER_OK && *got < size;
    if (status != TEMPER_OK)
        source->failure.status = status;
    return status;
}

/* What reading and peeking call. After a failure the contents of `bytes` are undefined. */
static temper_status produce(struct source *source, unsigned char *bytes, size_t size, size_t *got)
{
    *got = 0;
    if (source->failure.status != TEMPER_OK)
        return source->failure.status;
    if (source->ended || size == 0)
        return TEMPER_OK;
    if (source->maker.fill)
        return produce_made(source, bytes, size, got);
    return source->decompressor ? produce_decompressed(source, bytes, size, got)
                                : produce_plain(source, bytes, size, got);
}

/* Copies the stored failure to *error. */
static temper_status report_failure(const struct source *source, temper_status status, temper_error *error)
{
    if (status != TEMPER_OK && error)
        *error = source->failure;
    return status;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Reads the first bytes, which may arrive one at a time from a pipe, and infers the compression from
 * them: names of files are not reliable. 0, or an errno. */
static int detect_compression(struct source *source)
{
    source->packed = mem_alloc(PACKED_SIZE, 1);
    if (!source->packed)
        return ENOMEM;
    while (source->packed_end < DECOMPRESS_MAGIC && !source->file_ended) {
        size_t got = 0;
        int failure =
            input_read(&source->file, source->packed + source->packed_end, PACKED_SIZE - source->packed_end, &got);
        if (failure)
            return failure;
        source->packed_end += got;
        source->file_ended = got == 0;
    }
    /* fewer than DECOMPRESS_MAGIC bytes, or none, are a short uncompressed file */
    source->compression = decompress_kind(source->packed, source->packed_end);
    if (source->compression)
        source->decompressor = decompress_open(source->compression);
    return source->compression && !source->decompressor ? ENOMEM : 0;
}

/* Which bytes of a file are read: all, the lines of one rank, or a range of bytes. */
struct file_extent {
    enum { EXTENT_ALL, EXTENT_LINES, EXTENT_SPAN } kind;
    size_t rank, ranks;
    uint64_t from, to;
};

/* Opens the descriptor, restricts it to the extent, then detects the compression; a failure frees all of it. */
static temper_status open_extent(const char *path, const struct file_extent *extent, struct source **out,
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
        failure = detect_compression(source);
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
    return open_extent(path, &(struct file_extent){.kind = EXTENT_ALL}, out, error);
}

temper_status source_open_lines(const char *path, size_t rank, size_t ranks, struct source **out, temper_error *error)
{
    struct file_extent lines = {.kind = EXTENT_LINES, .rank = rank, .ranks = ranks};
    return open_extent(path, &lines, out, error);
}

temper_status source_open_span(const char *path, uint64_t from, uint64_t to, struct source **out, temper_error *error)
{
    struct file_extent span = {.kind = EXTENT_SPAN, .from = from, .to = to};
    return open_extent(path, &span, out, error);
}

/* The bytes become the buffer of source_peek, so that reading needs no case for memory. */
temper_status source_bytes(const char *name, char *bytes, size_t length, struct source **out, temper_error *error)
{
    struct source *source = mem_zeroed(1, sizeof *source);
    if (!source) {
        mem_free(bytes);
        return error_no_memory(error);
    }
    /* no descriptor, so that nothing is read after these bytes */
    path_shown(name, source->name);
    source->file.fd = -1;
    source->ended = true; /* all bytes are given as if they had been peeked at */
    source->ahead = (unsigned char *)bytes;
    source->ahead_end = length;
    *out = source;
    return TEMPER_OK;
}

/* As a file that is in memory already. An empty one needs an address too, which is never read. */
temper_status source_borrow(const char *name, const void *bytes, size_t length, struct source **out,
                            temper_error *error)
{
    struct source *source = mem_zeroed(1, sizeof *source);
    if (!source)
        return error_no_memory(error);
    path_shown(name, source->name);
    source->file = (struct input){
        .fd = -1, .memory = bytes ? bytes : (const unsigned char *)"", .memory_length = bytes ? length : 0};
    int failure = detect_compression(source);
    if (failure) {
        temper_status status = input_failed(source->name, failure, error);
        source_close(source);
        return status;
    }
    *out = source;
    return TEMPER_OK;
}

temper_status source_made(const char *name, const struct source_maker *maker, struct source **out, temper_error *error)
{
    struct source *source = mem_zeroed(1, sizeof *source);
    if (!source) {
        maker->free_context(maker->context);
        return error_no_memory(error);
    }
    path_shown(name, source->name);
    source->file.fd = -1;
    source->maker = *maker;
    *out = source;
    return TEMPER_OK;
}

/* Also for sources that are only partly opened. */
void source_close(struct source *source)
{
    if (!source)
        return;
    input_close(&source->file);
    if (source->maker.free_context)
        source->maker.free_context(source->maker.context);
    decompress_close(source->decompressor);
    mem_free(source->packed);
    mem_free(source->ahead);
    mem_free(source);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* First the bytes that were peeked at, then new ones. */
temper_status source_read(struct source *source, void *bytes, size_t size, size_t *got, temper_error *error)
{
    /* bytes that were peeked at are copied, all others go to the caller directly */
    size_t left = source->ahead_end - source->ahead_at, seen = left < size ? left : size, more;
    if (seen > 0)
        memcpy(bytes, source->ahead + source->ahead_at, seen);
    temper_status status = produce(source, (unsigned char *)bytes + seen, size - seen, &more);
    if (status != TEMPER_OK)
        return report_failure(source, status, error);
    source->ahead_at += seen; /* only now: a failure consumes nothing */
    *got = seen + more;
    return TEMPER_OK;
}

/* Moves the bytes that are left to the front, so that PEEK_SIZE fit. Most sources are peeked at
 * once, where nothing is left to move. */
static bool reserve_ahead(struct source *source)
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

/* Fills the buffer of bytes ahead up to `size` by the same function as reading, so that archives can be peeked at as
 * well. The bytes stay there until source_read takes them; the pointer is valid until the next call. */
temper_status source_peek(struct source *source, size_t size, const unsigned char **bytes, size_t *got,
                          temper_error *error)
{
    /* fewer bytes than requested are allowed, so the caller of a larger peek sees the first 64 KiB */
    if (size > PEEK_SIZE)
        size = PEEK_SIZE;
    if (!reserve_ahead(source))
        return error_no_memory(error);
    /* reserve_ahead moved the bytes to the front, so that this is their number */
    size_t left = source->ahead_end, more;
    if (left < size) {
        temper_status status = produce(source, source->ahead + left, size - left, &more);
        if (status != TEMPER_OK)
            return report_failure(source, status, error);
        source->ahead_end += more;
    }
    *bytes = source->ahead;
    *got = source->ahead_end < size ? source->ahead_end : size;
    return TEMPER_OK;
}

/* Whether what was read so far begins as expected. */
static bool begins_as_expected(const struct text *text, const struct whole_file *expected)
{
    if (!expected->begins)
        return true;
    size_t known = text->length < expected->begins_length ? text->length : expected->begins_length;
    return known == 0 || memcmp(text->bytes, expected->begins, known) == 0;
}

/* A small file, all of it: chunks are appended until the end, or until the file is not what was expected. */
temper_status source_whole(const char *path, const struct whole_file *expected, struct text *text, temper_error *error)
{
    static const struct whole_file anything = {0};
    struct source *source = NULL;
    char chunk[WHOLE_CHUNK];
    size_t got = 1;
    TRY(source_open(path, &source, error));
    assert(source);
    temper_status status = TEMPER_OK;
    expected = expected ? expected : &anything;
    while (status == TEMPER_OK && got && !text->failed && begins_as_expected(text, expected)) {
        status = source_read(source, chunk, sizeof chunk, &got, error);
        if (status == TEMPER_OK)
            text_append_bytes(text, chunk, got);
        if (status == TEMPER_OK && expected->most && text->length > expected->most)
            status = error_set(error, TEMPER_BAD_DATA,
                               "%s: is larger than %zu bytes, too large for a file of this kind; "
                               "check the name",
                               source->name, expected->most);
    }
    source_close(source);
    return status == TEMPER_OK && text->failed ? error_no_memory(error) : status;
}

/* ---- Properties ------------------------------------------------------------------------------ */

/* Atomic, as the reader is another thread; it checks the flag between two polls. */
void source_stop(struct source *source)
{
    atomic_store(&source->file.stopped, true);
}

const char *source_name(const struct source *source)
{
    return source->name;
}

const char *source_compression(const struct source *source)
{
    return source->compression;
}

/* For compressed files this is the compressed size. */
uint64_t source_file_size(const struct source *source)
{
    return source->file.size;
}

bool source_has_places(const struct source *source)
{
    const struct input *file = &source->file;
    return file->size > 0 && file->fd >= 0 && !file->borrowed && !file->limited && !source->compression;
}

/* By pread, which has no position that threads would share. */
temper_status source_read_at(const struct source *source, uint64_t at, void *bytes, size_t size, temper_error *error)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(source->file.fd, (unsigned char *)bytes + done, size - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return input_failed(source->name, got < 0 ? errno : BECAME_SHORTER, error);
        done += (size_t)got;
    }
    return TEMPER_OK;
}
