/* Chunks: all bytes in order, cut where lines end, whatever the source and the caller do. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "data/read/text_chunks.h"
#include "fixtures/data/archive_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"

/* ---- Helpers --------------------------------------------------------------------------------- */

#define MIB ((size_t)1 << 20)

static struct text_chunks *open_chunks(const char *path, bool quoted)
{
    struct source *source = NULL;
    struct text_chunks *chunks = NULL;
    CHECK(source_open(path, &source, NULL) == TEMPER_OK);
    CHECK(text_chunks_open(source, quoted, 0, &chunks, NULL) == TEMPER_OK);
    return chunks;
}

/* Through a file, since a source reads files and pipes only. */
static struct text_chunks *open_blob(const struct blob *blob, bool quoted)
{
    scratch_write("file", blob->bytes, blob->length);
    return open_chunks("file", quoted);
}

/* Parsers load whole words beyond the end of a chunk. */
static bool zeros_behind(const struct text_chunk *chunk)
{
    static const char zeros[CHUNK_ZEROS];
    return memcmp(chunk->bytes + chunk->length, zeros, CHUNK_ZEROS) == 0;
}

/* Whether the bytes end where a line does. */
static bool ends_well(const struct text_chunk *chunk, bool quoted)
{
    bool open = false;
    for (size_t i = 0; quoted && i < chunk->length; i++)
        open ^= chunk->bytes[i] == '"';
    return chunk->length > 0 && chunk->bytes[chunk->length - 1] == '\n' && !open;
}

/* Takes all chunks, checks each against the text, and closes; returns the number of chunks. The end is returned again
 * and again. */
static size_t check_all(struct text_chunks *chunks, const struct blob *text, bool quoted)
{
    struct text_chunk *chunk = NULL;
    temper_error error = {0};
    size_t at = 0, number = 0;
    for (;; number++) {
        if (!CHECKF(text_chunks_next(chunks, &chunk, &error) == TEMPER_OK, "%s", error.message))
            break;
        CHECK(chunk->number == number && zeros_behind(chunk));
        if (chunk->length == 0)
            break;
        CHECK(at + chunk->length <= text->length && memcmp(chunk->bytes, text->bytes + at, chunk->length) == 0);
        at += chunk->length;
        CHECK(at == text->length || (ends_well(chunk, quoted) && !chunk->last));
        text_chunks_give_back(chunks, chunk);
    }
    CHECK_EQ_SIZE(at, text->length);
    CHECK(chunk && chunk->length == 0 && chunk->last);
    text_chunks_give_back(chunks, chunk);
    CHECK(text_chunks_next(chunks, &chunk, NULL) == TEMPER_OK && chunk->length == 0 && chunk->last);
    text_chunks_close(chunks);
    return number;
}

/* The same text as lines and as a table with quotes, which have other boundaries. */
static void check_text(const struct blob *text)
{
    scratch_enter();
    check_all(open_blob(text, false), text, false);
    check_all(open_blob(text, true), text, true);
    scratch_leave();
}

static struct blob repeated(char byte, size_t length)
{
    struct blob text = {malloc(length + 1), length, length + 1};
    if (!text.bytes)
        abort();
    memset(text.bytes, byte, length);
    return text;
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/* Lengths around the sizes of chunks, with and without a last newline. */
TEST(texts_of_all_lengths)
{
    static const size_t lengths[] = {0,       1,           2,           10,      MIB - 1, MIB,
                                     MIB + 1, 2 * MIB - 1, 2 * MIB + 1, 5 * MIB, 9 * MIB, 100};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct blob text = blob_lines(lengths[i], 200);
        check_text(&text);
        text.length -= text.length > 0; /* no newline at the end */
        check_text(&text);
        blob_free(&text);
    }
}

/* The chunk doubles until it contains a line end. */
TEST(lines_longer_than_a_chunk)
{
    static const size_t longest[] = {MIB / 2, MIB, 3 * MIB, 9 * MIB};
    for (size_t i = 0; i < sizeof longest / sizeof *longest; i++) {
        struct blob text = blob_lines(20 * MIB, longest[i]);
        check_text(&text);
        blob_free(&text);
    }
}

/* Nothing but newlines, no newline, nothing but quotes, nothing but NUL bytes. */
TEST(lines_of_one_kind)
{
    static const char kinds[] = {'\n', 'x', '"', '\0'};
    for (size_t i = 0; i < sizeof kinds; i++) {
        struct blob text = repeated(kinds[i], 3 * MIB + 1);
        check_text(&text);
        text.bytes[2 * MIB] = '\n';
        check_text(&text);
        blob_free(&text);
    }
}

/* A quote that is never closed makes one chunk of everything after it; the parser reports it. */
TEST(an_open_quote_keeps_its_lines_together)
{
    struct blob text = blob_lines(4 * MIB, 100);
    for (size_t i = 0; i < text.length; i++)
        text.bytes[i] = text.bytes[i] == '"' ? 'x' : text.bytes[i];
    text.bytes[3 * MIB / 2] = '"';
    scratch_enter();
    size_t chunks = check_all(open_blob(&text, true), &text, true);
    CHECKF(chunks == 5, "%zu", chunks); /* 1 MiB, two of a quarter, the rest of the lines, this */
    scratch_leave();
    blob_free(&text);
}

/* Archives are read by the reader's thread, plain files by the caller. */
TEST(archives_are_unpacked_on_the_way)
{
    struct blob text = blob_lines(6 * MIB, 300), archive = {0};
    scratch_enter();
    blob_add_gzip(&archive, text.bytes, text.length);
    check_all(open_blob(&archive, false), &text, false);
    blob_free(&archive);
    blob_add_zstd(&archive, text.bytes, text.length);
    check_all(open_blob(&archive, true), &text, true);
    scratch_leave();
    blob_free(&archive);
    blob_free(&text);
}

/* A small archive of zeros would otherwise fill the memory. */
TEST(an_endless_line_is_refused)
{
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
    SKIP("takes gigabytes with a sanitizer");
#endif
#endif
    struct blob archive = {0};
    struct text_chunk *chunk;
    temper_error error = {0};
    blob_add_zstd_bomb(&archive, 300);
    scratch_enter();
    struct text_chunks *chunks = open_blob(&archive, false);
    CHECK(text_chunks_next(chunks, &chunk, &error) == TEMPER_BAD_DATA);
    CHECKF(strstr(error.message, "file: has a line of more than 256 MiB; end lines") != NULL, "%s", error.message);
    text_chunks_close(chunks);
    scratch_leave();
    blob_free(&archive);
}

/* ---- Whatever fails -------------------------------------------------------------------------- */

/* Chunks before the failure are valid and are returned first; the failure is repeated. */
TEST(a_failing_source_is_told_after_what_was_read)
{
    struct blob text = blob_lines(6 * MIB, 300), archive = {0};
    struct text_chunk *chunk = NULL;
    temper_error error = {0};
    size_t seen = 0;
    scratch_enter();
    blob_add_gzip(&archive, text.bytes, text.length);
    archive.length -= 9;
    struct text_chunks *chunks = open_blob(&archive, false);
    temper_status status;
    while ((status = text_chunks_next(chunks, &chunk, &error)) == TEMPER_OK && chunk->length > 0) {
        CHECK(memcmp(chunk->bytes, text.bytes + seen, chunk->length) == 0);
        seen += chunk->length;
        text_chunks_give_back(chunks, chunk);
    }
    CHECK(status == TEMPER_BAD_DATA && seen >= 4 * MIB);
    CHECKF(strstr(error.message, "file: the gzip archive is cut off") != NULL, "%s", error.message);
    CHECK(text_chunks_next(chunks, &chunk, &error) == TEMPER_BAD_DATA); /* and again */
    CHECK(text_chunks_next(chunks, &chunk, NULL) == TEMPER_BAD_DATA);
    text_chunks_close(chunks);
    scratch_leave();
    blob_free(&archive);
    blob_free(&text);
}

/* An archive, as a plain file is read by the caller anyway. */
TEST(without_a_thread_the_caller_reads)
{
    enum { MOST = 40 };
    struct blob text = blob_lines(6 * MIB, 3000), archive = {0};
    scratch_enter();
    blob_add_gzip(&archive, text.bytes, text.length);
    fault_arm_threads(1);
    struct text_chunks *chunks = open_blob(&archive, false);
    fault_disarm();
    CHECK(fault_fired());
    check_all(chunks, &text, false);
    fault_arm_threads(1);
    chunks = open_blob(&archive, false);
    fault_disarm();
    struct text_chunk *held[MOST];
    size_t count = 0;
    while (count < MOST && text_chunks_next(chunks, &held[count], NULL) == TEMPER_OK && held[count]->length > 0)
        count++;
    CHECKF(count >= 20 && count < MOST, "%zu", count);
    text_chunks_close(chunks);
    scratch_leave();
    blob_free(&archive);
    blob_free(&text);
}

/* Opens, takes all, holding some so that slots are added, and closes. */
static temper_status use_chunks(size_t hold)
{
    struct source *source;
    struct text_chunks *chunks;
    struct text_chunk *chunk;
    temper_status status = source_open("file", &source, NULL);
    if (status == TEMPER_OK)
        status = text_chunks_open(source, true, 0, &chunks, NULL);
    if (status != TEMPER_OK)
        return status;
    while ((status = text_chunks_next(chunks, &chunk, NULL)) == TEMPER_OK && chunk->length > 0)
        if (chunk->number >= hold)
            text_chunks_give_back(chunks, chunk);
    text_chunks_close(chunks);
    return status;
}

TEST(every_failing_allocation_is_told)
{
    struct blob text = blob_lines(12 * MIB, 3 * MIB);
    scratch_enter();
    scratch_write("file", text.bytes, text.length);
    size_t told = 0;
    for (size_t n = 1;; n++) {
        fault_arm(n);
        temper_status status = use_chunks(5);
        fault_disarm();
        if (!fault_fired()) {
            CHECK(status == TEMPER_OK);
            break;
        }
        told++;
        CHECK(status == TEMPER_NO_MEMORY);
    }
    CHECKF(told >= 14, "%zu", told); /* two of the source, and 1 + 4 * 2 + 2 + growing */
    scratch_leave();
    blob_free(&text);
}

TEST(every_failing_read_is_told)
{
    struct blob text = blob_lines(6 * MIB, 300);
    scratch_enter();
    scratch_write("file", text.bytes, text.length);
    for (size_t n = 1;; n++) {
        fault_arm_reads(n);
        temper_status status = use_chunks(0);
        fault_disarm();
        if (!fault_fired())
            break;
        CHECK(status == TEMPER_IO);
    }
    scratch_leave();
    blob_free(&text);
}

/* ---- Callers --------------------------------------------------------------------------------- */

TEST(closing_early_waits_for_nothing)
{
    struct blob text = blob_lines(12 * MIB, 300);
    struct text_chunk *chunk;
    scratch_enter();
    for (size_t taken = 0; taken < 12; taken++) {
        struct text_chunks *chunks = open_blob(&text, taken % 2 == 0);
        for (size_t i = 0; i < taken; i++) {
            CHECK(text_chunks_next(chunks, &chunk, NULL) == TEMPER_OK);
            if (i % 3 == 0) /* the others are held to the end */
                text_chunks_give_back(chunks, chunk);
        }
        text_chunks_close(chunks);
    }
    text_chunks_close(NULL);
    scratch_leave();
    blob_free(&text);
}

/* The reader sleeps in a read that nobody will ever answer. */
TEST(closing_wakes_a_reader_that_waits_for_a_pipe)
{
    int ends[2];
    char path[32];
    CHECK(pipe(ends) == 0 && write(ends[1], "a line\n", 7) == 7);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    struct text_chunks *chunks = open_chunks(path, false);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    text_chunks_close(chunks);
    close(ends[0]);
    close(ends[1]);
}

TEST(any_number_of_chunks_can_be_held)
{
    enum { MOST = 160 };
    struct blob text = blob_lines(30 * MIB, 300);
    struct text_chunk *held[MOST] = {NULL};
    size_t count = 0, at = 0;
    scratch_enter();
    struct text_chunks *chunks = open_blob(&text, false);
    while (count < MOST && CHECK(text_chunks_next(chunks, &held[count], NULL) == TEMPER_OK) && held[count]->length > 0)
        count++;
    for (size_t i = 0; i < count; i++) {
        CHECK(memcmp(held[i]->bytes, text.bytes + at, held[i]->length) == 0);
        at += held[i]->length;
        text_chunks_give_back(chunks, held[i]);
    }
    CHECK_EQ_SIZE(at, text.length);
    CHECK(count >= 100 && count < MOST);
    text_chunks_close(chunks);
    scratch_leave();
    blob_free(&text);
}

struct taker {
    struct text_chunks *chunks;
    size_t bytes, newlines;
    pthread_t thread;
};

static void *take_some(void *argument)
{
    struct taker *taker = argument;
    struct text_chunk *chunk;
    while (text_chunks_next(taker->chunks, &chunk, NULL) == TEMPER_OK && chunk->length > 0) {
        taker->bytes += chunk->length;
        for (size_t i = 0; i < chunk->length; i++)
            taker->newlines += chunk->bytes[i] == '\n';
        text_chunks_give_back(taker->chunks, chunk);
    }
    return NULL;
}

TEST(several_threads_may_take)
{
    struct blob text = blob_lines(20 * MIB, 300);
    struct taker takers[3];
    size_t bytes = 0, newlines = 0;
    scratch_enter();
    struct text_chunks *chunks = open_blob(&text, false);
    for (size_t i = 0; i < 3; i++) {
        takers[i] = (struct taker){.chunks = chunks};
        CHECK(pthread_create(&takers[i].thread, NULL, take_some, &takers[i]) == 0);
    }
    for (size_t i = 0; i < 3; i++) {
        CHECK(pthread_join(takers[i].thread, NULL) == 0);
        bytes += takers[i].bytes;
        newlines += takers[i].newlines;
    }
    for (size_t i = 0; i < text.length; i++)
        newlines -= text.bytes[i] == '\n';
    CHECK_EQ_SIZE(bytes, text.length);
    CHECK_EQ_SIZE(newlines, 0);
    text_chunks_close(chunks);
    scratch_leave();
    blob_free(&text);
}

/* Of all tests above: the thread that reads and those that take chunks share their state under a lock. */
TEST(no_lock_is_given_back_that_is_not_held)
{
    struct blob text = {0};
    blob_add_text(&text, "1 2\n3 4\n");
    scratch_enter();
    check_all(open_blob(&text, false), &text, false);
    scratch_leave();
    blob_free(&text);
    CHECK_EQ_SIZE(fault_wrong_unlocks(), 0);
}

TEST_LIST(LISTED(texts_of_all_lengths), LISTED(lines_longer_than_a_chunk), LISTED(lines_of_one_kind),
          LISTED(an_open_quote_keeps_its_lines_together), LISTED(archives_are_unpacked_on_the_way),
          LISTED(an_endless_line_is_refused), LISTED(a_failing_source_is_told_after_what_was_read),
          LISTED(without_a_thread_the_caller_reads), LISTED(every_failing_allocation_is_told),
          LISTED(every_failing_read_is_told), LISTED(closing_early_waits_for_nothing),
          LISTED(closing_wakes_a_reader_that_waits_for_a_pipe), LISTED(any_number_of_chunks_can_be_held),
          LISTED(several_threads_may_take), LISTED(no_lock_is_given_back_that_is_not_held))
