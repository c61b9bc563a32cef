/* Any bytes as a file: its bytes, whole, or a refusal with advice; and the same in whatever pieces.
 * The chunks made of them are the same bytes, cut where lines end. */
#define _GNU_SOURCE /* memfd_create: a file without a disk */
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/source.h"
#include "bytes.h"
#include "data/read/text_chunks.h"

enum {
    MOST = 1 << 22 /* bytes that are compared; a small archive may hold very many */
};

static char path[32];
static int file = -1;

/* One file for all runs. */
static void write_file(const uint8_t *data, size_t size)
{
    if (file < 0) {
        file = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    REQUIRE(file >= 0 && ftruncate(file, 0) == 0, "no memory file");
    REQUIRE(pwrite(file, data, size, 0) == (ssize_t)size, "cannot write %zu bytes", size);
}

/* Opening never fails: the file exists, and damage shows only when reading. */
static struct source *open_file(temper_error *error)
{
    struct source *source = NULL;
    temper_status status = source_open(path, &source, error);
    REQUIRE(status == TEMPER_OK, "%s", error->message);
    return source;
}

/* Reads up to MOST bytes in pieces of `piece` bytes; returns how many, and the failure in *error. Odd sizes peek before
 * each read, which must not change what is read. */
static size_t read_pieces(char *out, size_t piece, temper_error *error)
{
    struct source *source = open_file(error);
    size_t total = 0, got = 1;
    temper_status status = TEMPER_OK;
    while (status == TEMPER_OK && got > 0 && total < MOST) {
        size_t room = MOST - total < piece ? MOST - total : piece;
        const unsigned char *ahead;
        size_t seen;
        if (piece % 2 == 1)
            status = source_peek(source, piece / 2, &ahead, &seen, error);
        if (status == TEMPER_OK)
            status = source_read(source, out + total, room, &got, error);
        REQUIRE(status != TEMPER_OK || got <= room, "%zu bytes for %zu", got, room);
        total += status == TEMPER_OK ? got : 0;
    }
    source_close(source);
    return total;
}

/* The only failures of a file in memory are damaged archives and a lack of memory. */
static void check_refusal(const temper_error *error)
{
    REQUIRE(error->status == TEMPER_BAD_DATA || error->status == TEMPER_NO_MEMORY, "%s: %s",
            temper_status_name(error->status), error->message);
    REQUIRE(error->status == TEMPER_NO_MEMORY || strstr(error->message, "; "), "no advice: %s", error->message);
}

/* The chunks, concatenated, are the bytes that were read before, and zero bytes follow each of them. */
static void check_chunks(const char *expected, size_t length, bool quoted)
{
    temper_error error = {0};
    struct text_chunks *chunks = NULL;
    struct text_chunk *chunk;
    size_t at = 0;
    REQUIRE(text_chunks_open(open_file(&error), quoted, 0, &chunks, &error) == TEMPER_OK, "%s", error.message);
    while (at < MOST && text_chunks_next(chunks, &chunk, &error) == TEMPER_OK && chunk->length > 0) {
        size_t compared = chunk->length < length - at ? chunk->length : length - at;
        REQUIRE(memcmp(chunk->bytes, expected + at, compared) == 0, "chunk %zu", chunk->number);
        REQUIRE(chunk->bytes[chunk->length] == 0, "no zeros behind chunk %zu", chunk->number);
        at += chunk->length;
        text_chunks_give_back(chunks, chunk);
        if (compared < chunk->length) /* beyond what was compared */
            break;
    }
    if (error.status != TEMPER_OK)
        check_refusal(&error);
    text_chunks_close(chunks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* The file is read twice: in one piece, and in pieces of another size. */
    static char first[MOST], again[MOST];
    struct bytes bytes = {data, size};
    size_t piece = (size_t)take_byte(&bytes) * 97 + 1;
    temper_error error = {0}, same = {0};
    write_file(bytes.at, bytes.left);
    size_t length = read_pieces(first, MOST, &error), repeated = read_pieces(again, piece, &same);
    if (error.status != TEMPER_OK)
        check_refusal(&error);
    /* Small pieces give more of a damaged archive before the failure, and may stop before it. */
    if (length < MOST && repeated < MOST)
        REQUIRE(error.status == same.status && (error.status != TEMPER_OK || length == repeated),
                "%zu bytes, %s, but %zu, %s", length, error.message, repeated, same.message);
    REQUIRE(memcmp(first, again, length < repeated ? length : repeated) == 0, "other bytes");
    if (error.status == TEMPER_OK)
        check_chunks(first, length, piece % 2 == 0);
    return 0;
}
