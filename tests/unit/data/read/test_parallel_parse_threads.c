/* Chunks parsed on several threads: each once, joined in order, and no further than a failure. */
#include <string.h>

#include "data/read/parallel_parse.h"
#include "data/read/text_chunks.h"
#include "fixtures/data/archive_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"

enum { MOST_PARTS = 16 };

#define MIB ((size_t)1 << 20)

/* What was parsed, and what was joined so far. */
struct tally {
    size_t number[MOST_PARTS], bytes[MOST_PARTS];
    size_t joined, joined_bytes;
    size_t fail_at; /* this one cannot be joined */
    bool in_order;
};

/* Parsing records only which chunk went into the slot. */
static void parse(void *context, struct text_chunk *chunk, size_t part)
{
    struct tally *tally = context;
    tally->number[part] = chunk->number;
    tally->bytes[part] = chunk->length;
}

/* Merging checks the order; chunk fail_at cannot be merged. */
static temper_status join(void *context, size_t part)
{
    struct tally *tally = context;
    tally->in_order = tally->in_order && tally->number[part] == tally->joined;
    if (tally->joined == tally->fail_at)
        return TEMPER_BAD_DATA;
    tally->joined++;
    tally->joined_bytes += tally->bytes[part];
    return TEMPER_OK;
}

static struct text_chunks *open_chunks(void)
{
    struct source *source = NULL;
    struct text_chunks *chunks = NULL;
    CHECK(source_open("file", &source, NULL) == TEMPER_OK);
    CHECK(text_chunks_open(source, false, 0, &chunks, NULL) == TEMPER_OK);
    return chunks;
}

/* The file "file" on so many threads. */
static temper_status work(struct tally *tally, size_t threads, size_t parts, temper_error *error)
{
    struct text_chunks *chunks = open_chunks();
    tally->in_order = true;
    const struct parallel_parse all = {
        .chunks = chunks, .threads = threads, .slots = parts, .context = tally, .parse = parse, .merge = join};
    temper_status status = parallel_parse(&all, error);
    text_chunks_close(chunks);
    return status;
}

TEST(all_chunks_in_order)
{
    struct blob text = blob_lines(9 * MIB, 300);
    scratch_enter();
    scratch_write("file", text.bytes, text.length);
    for (size_t threads = 1; threads <= 6; threads++) {
        for (size_t parts = threads; parts <= MOST_PARTS; parts += 5) {
            struct tally tally = {.fail_at = SIZE_MAX};
            CHECK(work(&tally, threads, parts, NULL) == TEMPER_OK);
            CHECK(tally.in_order && tally.joined_bytes == text.length && tally.joined >= 36);
        }
    }
    scratch_leave();
    blob_free(&text);
}

TEST(a_failure_ends_it)
{
    struct blob text = blob_lines(9 * MIB, 300);
    scratch_enter();
    scratch_write("file", text.bytes, text.length);
    for (size_t fail_at = 0; fail_at < 36; fail_at += 7) {
        struct tally tally = {.fail_at = fail_at};
        CHECK(work(&tally, 3, 6, NULL) == TEMPER_BAD_DATA);
        CHECK(tally.in_order && tally.joined == fail_at);
    }
    scratch_leave();
    blob_free(&text);
}

/* Behind all that could be read; but a failure to join comes before it. */
TEST(a_failing_source)
{
    struct blob text = blob_lines(6 * MIB, 300), archive = {0};
    scratch_enter();
    blob_add_gzip(&archive, text.bytes, text.length);
    scratch_write("file", archive.bytes, archive.length - 9);
    for (size_t threads = 1; threads <= 4; threads++) {
        temper_error error = {0};
        struct tally tally = {.fail_at = SIZE_MAX};
        CHECK(work(&tally, threads, 8, &error) == TEMPER_BAD_DATA);
        CHECKF(strstr(error.message, "is cut off") != NULL, "%s", error.message);
        CHECK(tally.in_order && tally.joined_bytes >= 4 * MIB);
        tally = (struct tally){.fail_at = 5};
        error = (temper_error){0};
        CHECK(work(&tally, threads, 8, &error) == TEMPER_BAD_DATA);
        CHECK(tally.joined == 5 && error.message[0] == '\0');
    }
    scratch_leave();
    blob_free(&archive);
    blob_free(&text);
}

/* Some are put back, and come again as if nothing had happened. */
static void check_unread(const struct blob *text)
{
    struct text_chunk *chunk[3];
    struct text_chunks *chunks = open_chunks();
    size_t at = 0;
    for (size_t i = 0; i < 3; i++)
        CHECK(text_chunks_next(chunks, &chunk[i], NULL) == TEMPER_OK && chunk[i]->number == i);
    for (size_t i = 3; i-- > 0;)
        text_chunks_unread(chunks, chunk[i]);
    while (text_chunks_next(chunks, &chunk[0], NULL) == TEMPER_OK && chunk[0]->length > 0) {
        CHECK(memcmp(chunk[0]->bytes, text->bytes + at, chunk[0]->length) == 0);
        at += chunk[0]->length;
        text_chunks_give_back(chunks, chunk[0]);
    }
    CHECK_EQ_SIZE(at, text->length);
    text_chunks_close(chunks);
}

TEST(chunks_may_be_put_back)
{
    struct blob text = blob_lines(4 * MIB, 300), archive = {0};
    scratch_enter();
    scratch_write("file", text.bytes, text.length);
    check_unread(&text);
    blob_add_gzip(&archive, text.bytes, text.length); /* by a thread of its own */
    scratch_write("file", archive.bytes, archive.length);
    check_unread(&text);
    scratch_leave();
    blob_free(&archive);
    blob_free(&text);
}

/* ---- Guesses --------------------------------------------------------------------------------- */

TEST(guesses)
{
    static char array[100];
    CHECK(estimate_total(100, 10, 1000) >= 10000 && estimate_total(100, 10, 1000) < 11000);
    CHECK(estimate_total(0, 10, 1000) == 0);
    CHECK(estimate_total(SIZE_MAX, 1, SIZE_MAX) == SIZE_MAX);
    CHECK(estimate_total(5, 0, 5) < SIZE_MAX);
    huge_pages_advise(array, sizeof array); /* too small to matter */
    huge_pages_advise(NULL, 0);
}

TEST_LIST(LISTED(all_chunks_in_order), LISTED(a_failure_ends_it), LISTED(a_failing_source),
          LISTED(chunks_may_be_put_back), LISTED(guesses))
