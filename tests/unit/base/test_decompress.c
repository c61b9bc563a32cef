/* Archives, through a source: whole ones give their bytes, all others an answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/source.h"
#include "fixtures/data/archive_fixture.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"

/* ---- Helpers --------------------------------------------------------------------------------- */

enum { PIECE = 50000 };

static temper_status unpack(const struct blob *archive, struct blob *all, temper_error *error)
{
    static unsigned char bytes[PIECE];
    struct source *source;
    scratch_write("archive", archive->bytes, archive->length);
    temper_status status = source_open("archive", &source, error);
    if (status != TEMPER_OK)
        return status;
    for (size_t got = 1; status == TEMPER_OK && got > 0;) {
        status = source_read(source, bytes, sizeof bytes, &got, error);
        if (status == TEMPER_OK)
            blob_add(all, bytes, got);
    }
    source_close(source);
    return status;
}

static bool same(const struct blob *a, const struct blob *b)
{
    return a->length == b->length && (a->length == 0 || memcmp(a->bytes, b->bytes, a->length) == 0);
}

static void check_unpacks(const struct blob *archive, const struct blob *expected)
{
    struct blob all = {0};
    temper_error error = {0};
    CHECKF(unpack(archive, &all, &error) == TEMPER_OK, "%s", error.message);
    CHECK(same(&all, expected));
    blob_free(&all);
}

static void check_refused(const struct blob *archive, const char *words)
{
    struct blob all = {0};
    temper_error error = {0};
    CHECK(unpack(archive, &all, &error) == TEMPER_BAD_DATA);
    CHECKF(strstr(error.message, words) != NULL && strstr(error.message, "archive: ") && strchr(error.message, ';'),
           "\"%s\" does not say \"%s\"", error.message, words);
    blob_free(&all);
}

/* What both formats must stand; `add` makes a member or frame. */
typedef void add_fn(struct blob *blob, const void *bytes, size_t length);

static struct blob archive_of(add_fn *add, const char *text)
{
    struct blob archive = {0};
    add(&archive, text, strlen(text));
    return archive;
}

/* With something behind it, which must be refused. */
static void check_garbage(add_fn *add, const char *garbage, size_t length, const char *words)
{
    struct blob archive = archive_of(add, "1 1:2\n");
    blob_add(&archive, garbage, length);
    check_refused(&archive, words);
    blob_free(&archive);
}

/* Cut after every byte. What is left is an archive still if it has its first bytes. */
static void check_every_cut(add_fn *add, size_t magic)
{
    struct blob archive = archive_of(add, "1 1:2\n2 7:0.5\n1 1:2\n");
    size_t whole = archive.length;
    for (archive.length = magic; archive.length < whole; archive.length++)
        check_refused(&archive, "cut off");
    /* and within the second of two, where the first is whole */
    archive.length = whole;
    add(&archive, "3\n", 2);
    for (size_t length = archive.length; --length > whole;) {
        archive.length = length;
        check_refused(&archive, length > whole + magic ? "cut off" : "");
    }
    blob_free(&archive);
}

/* A place in a message is behind byte `at` (from 0), and within the file. */
static void check_place(const char *message, size_t at, size_t length)
{
    static const char words[] = "damaged before byte ";
    const char *place = strstr(message, words);
    size_t byte = place ? strtoul(place + sizeof words - 1, NULL, 10) : length;
    CHECKF(!place || (byte > at + 1 && byte <= length + 1), "byte %zu of %zu was changed: %s", at + 1, length, message);
}

/* Every bit flipped: refused, or in a field that means nothing for the bytes. */
static size_t check_every_flip(add_fn *add, size_t magic)
{
    struct blob expected = {0}, archive = archive_of(add, "1 1:2\n2 7:0.5\n1 1:2\n");
    size_t harmless = 0;
    blob_add_text(&expected, "1 1:2\n2 7:0.5\n1 1:2\n");
    for (size_t i = magic * 8; i < archive.length * 8; i++) {
        struct blob all = {0};
        temper_error error = {0};
        archive.bytes[i / 8] ^= (unsigned char)(1 << i % 8);
        temper_status status = unpack(&archive, &all, &error);
        archive.bytes[i / 8] ^= (unsigned char)(1 << i % 8);
        CHECKF(status == TEMPER_BAD_DATA || (status == TEMPER_OK && same(&all, &expected)), "bit %zu: %s, %zu bytes", i,
               temper_status_name(status), all.length);
        check_place(error.message, i / 8, archive.length);
        harmless += status == TEMPER_OK;
        blob_free(&all);
    }
    blob_free(&archive);
    blob_free(&expected);
    return harmless;
}

/* ---- gzip ------------------------------------------------------------------------------------ */

TEST(gzip_members_are_one_stream)
{
    struct blob noise = blob_noise(800000), expected = {0}, archive = {0};
    scratch_enter();
    blob_add_gzip(&archive, noise.bytes, noise.length);
    check_unpacks(&archive, &noise);
    blob_add_gzip(&archive, "", 0);
    blob_add_gzip_full(&archive, "one\n", 4);
    blob_add_gzip(&archive, noise.bytes, noise.length);
    blob_add(&expected, noise.bytes, noise.length);
    blob_add_text(&expected, "one\n");
    blob_add(&expected, noise.bytes, noise.length);
    check_unpacks(&archive, &expected);
    struct source *source = NULL;
    CHECK(source_open("archive", &source, NULL) == TEMPER_OK);
    CHECK_EQ_TEXT(source_compression(source), "gzip");
    CHECK(source_file_size(source) == archive.length);
    source_close(source);
    scratch_leave();
    blob_free(&noise);
    blob_free(&expected);
    blob_free(&archive);
}

/* As tapes have them, and as gzip itself takes them. */
TEST(gzip_may_be_padded_with_zeros)
{
    static const char zeros[600000];
    struct blob archive = archive_of(blob_add_gzip, "1\n"), expected = {0};
    blob_add_text(&expected, "1\n");
    scratch_enter();
    blob_add(&archive, zeros, 1);
    check_unpacks(&archive, &expected);
    blob_add(&archive, zeros, sizeof zeros);
    check_unpacks(&archive, &expected);
    blob_add(&archive, "x", 1);
    check_refused(&archive, "what follows is none");
    scratch_leave();
    blob_free(&archive);
    blob_free(&expected);
}

TEST(gzip_followed_by_garbage_is_refused)
{
    scratch_enter();
    check_garbage(blob_add_gzip, "x", 1, "what follows is none");
    check_garbage(blob_add_gzip, "\x1f\x8c more", 7, "what follows is none");
    check_garbage(blob_add_gzip, "\0\0x", 3, "what follows is none");
    check_garbage(blob_add_gzip, "\x1f", 1, "cut off");
    check_garbage(blob_add_gzip, "\x1f\x8b\x07\0\0\0\0\0\0\0", 10, "damaged");
    scratch_leave();
}

TEST(gzip_cut_anywhere_is_refused)
{
    scratch_enter();
    check_every_cut(blob_add_gzip, 2);
    check_every_cut(blob_add_gzip_full, 2);
    scratch_leave();
}

TEST(gzip_with_any_bit_flipped_is_refused)
{
    scratch_enter();
    check_every_flip(blob_add_gzip, 2); /* time, system and level of the header mean nothing */
    size_t harmless = check_every_flip(blob_add_gzip_full, 2);
    CHECKF(harmless <= 1, "%zu", harmless); /* but a header may have a checksum of its own */
    scratch_leave();
}

TEST(a_wrong_length_or_checksum_is_named)
{
    struct blob archive = archive_of(blob_add_gzip, "1 1:2\n");
    scratch_enter();
    archive.bytes[archive.length - 1] ^= 1;
    check_refused(&archive, "incorrect length check; get the file again");
    archive.bytes[archive.length - 5] ^= 1;
    check_refused(&archive, "incorrect data check");
    scratch_leave();
    blob_free(&archive);
}

/* ---- zstd ------------------------------------------------------------------------------------ */

TEST(zstd_frames_are_one_stream)
{
    struct blob noise = blob_noise(800000), expected = {0}, archive = {0};
    scratch_enter();
    blob_add_zstd_skipped(&archive);
    blob_add_zstd(&archive, noise.bytes, noise.length);
    blob_add_zstd(&archive, "", 0);
    blob_add_zstd_skipped(&archive);
    blob_add_zstd(&archive, "one\n", 4);
    blob_add_zstd_skipped(&archive);
    blob_add(&expected, noise.bytes, noise.length);
    blob_add_text(&expected, "one\n");
    check_unpacks(&archive, &expected);
    struct source *source = NULL;
    CHECK(source_open("archive", &source, NULL) == TEMPER_OK);
    CHECK_EQ_TEXT(source_compression(source), "zstd");
    source_close(source);
    scratch_leave();
    blob_free(&noise);
    blob_free(&expected);
    blob_free(&archive);
}

TEST(zstd_followed_by_garbage_is_refused)
{
    scratch_enter();
    check_garbage(blob_add_zstd, "garbage", 7, "what follows is none");
    check_garbage(blob_add_zstd, "\0\0\0\0", 4, "what follows is none");
    check_garbage(blob_add_zstd, "x", 1, "");
    scratch_leave();
}

TEST(zstd_cut_anywhere_is_refused)
{
    scratch_enter();
    check_every_cut(blob_add_zstd, 4);
    scratch_leave();
}

TEST(zstd_with_any_bit_flipped_is_refused)
{
    scratch_enter();
    size_t harmless = check_every_flip(blob_add_zstd, 4);
    CHECKF(harmless <= 8, "%zu", harmless); /* unused bits of the header */
    scratch_leave();
}

/* A file of many blocks: the reported place is soon after the damage, unless only the checksum detects it. */
TEST(damage_in_zstd_has_a_place)
{
    enum { LINES = 200000, CLOSE = 131072 + 18 };
    struct blob text = {0}, archive = {0};
    char line[32];
    scratch_enter();
    for (unsigned i = 0; i < LINES; i++) {
        snprintf(line, sizeof line, "1 1:%u 2:%u\n", i * 2654435761u, i);
        blob_add_text(&text, line);
    }
    blob_add_zstd(&archive, text.bytes, text.length);
    size_t close = 0;
    for (size_t at = 5; at < archive.length; at += archive.length / 40) {
        struct blob all = {0};
        temper_error error = {0};
        archive.bytes[at] ^= 0x55;
        CHECK(unpack(&archive, &all, &error) == TEMPER_BAD_DATA);
        check_place(error.message, at, archive.length);
        const char *place = strstr(error.message, "before byte ");
        close += place && strtoul(place + 12, NULL, 10) <= at + CLOSE;
        archive.bytes[at] ^= 0x55;
        blob_free(&all);
    }
    CHECKF(close > 10, "%zu", close);
    scratch_leave();
    blob_free(&text);
    blob_free(&archive);
}

/* The bytes of a frame with one block, behind a header of its own. */
static void check_header_refused(const char *header, size_t length, const char *words)
{
    struct blob archive = {0};
    blob_add(&archive, "\x28\xb5\x2f\xfd", 4);
    blob_add(&archive, header, length);
    blob_add(&archive, "\x09\0\0x", 4);
    check_refused(&archive, words);
    blob_free(&archive);
}

/* The status of the first read that gives nothing, a byte at a time. */
static temper_status read_bytes(const char *path)
{
    struct source *source;
    char byte;
    size_t got = 1;
    temper_status status = source_open(path, &source, NULL);
    if (status != TEMPER_OK)
        return status;
    while (status == TEMPER_OK && got > 0)
        status = source_read(source, &byte, 1, &got, NULL);
    source_close(source);
    return status;
}

/* Which libzstd itself lets pass if the last block is empty, unless the buffer is large. */
TEST(zstd_of_another_length_than_its_header_says_is_refused)
{
    static const unsigned char frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x80, 0x38, 5, 0, 0,
                                          0,    0x10, 0,    0,    'a',  'b',  1, 0, 0};
    struct blob archive = {0}, expected = {0};
    scratch_enter();
    blob_add(&archive, frame, sizeof frame);
    check_refused(&archive, "damaged");
    CHECK(read_bytes("archive") == TEMPER_BAD_DATA);
    archive.bytes[6] = 2;
    blob_add_text(&expected, "ab");
    check_unpacks(&archive, &expected);
    scratch_leave();
    blob_free(&archive);
    blob_free(&expected);
}

TEST(zstd_that_needs_much_memory_is_refused)
{
    struct blob archive = {0}, expected = {0};
    scratch_enter();
    check_header_refused("\0\xa8", 2, "more than 128 MiB");                       /* 2 GiB */
    check_header_refused("\0\x90", 2, "more than 128 MiB");                       /* 256 MiB */
    check_header_refused("\xe0\0\0\0\0\xff\0\0\0", 9, "more than 128 MiB");       /* one piece */
    check_header_refused("\xe0\xff\xff\xff\xff\xff\xff\xff\xff", 9, "more than"); /* 2^64 - 1 */
    check_header_refused("\x01\x38\x2a", 3, "zstd -d -D DICTIONARY");
    check_header_refused("\x08\x38", 2, "damaged");            /* a reserved bit */
    blob_add(&archive, "\x28\xb5\x2f\xfd\0\x88\x09\0\0x", 10); /* just 128 MiB */
    blob_add_text(&expected, "x");
    check_unpacks(&archive, &expected);
    scratch_leave();
    blob_free(&archive);
    blob_free(&expected);
}

/* 64 MiB out of 2 KiB, in far less memory than that. */
TEST(a_bomb_takes_no_memory)
{
    static unsigned char bytes[1 << 20];
    struct blob archive = {0};
    struct rusage before, after;
    struct source *source = NULL;
    size_t got = 1, total = 0, wrong = 0;
    blob_add_zstd_bomb(&archive, 64);
    scratch_enter();
    scratch_write("bomb", archive.bytes, archive.length);
    getrusage(RUSAGE_SELF, &before);
    CHECK(source_open("bomb", &source, NULL) == TEMPER_OK);
    while (got > 0 && CHECK(source_read(source, bytes, sizeof bytes, &got, NULL) == TEMPER_OK)) {
        wrong += got > 0 && (bytes[0] != 0 || memcmp(bytes, bytes + 1, got - 1) != 0);
        total += got;
    }
    source_close(source);
    getrusage(RUSAGE_SELF, &after);
    CHECK_EQ_SIZE(total, 64 << 20);
    CHECK_EQ_SIZE(wrong, 0);
    CHECKF(after.ru_maxrss - before.ru_maxrss < 16 << 10, "%ld KiB", after.ru_maxrss - before.ru_maxrss);
    scratch_leave();
    blob_free(&archive);
}

TEST_LIST(LISTED(gzip_members_are_one_stream), LISTED(gzip_may_be_padded_with_zeros),
          LISTED(gzip_followed_by_garbage_is_refused), LISTED(gzip_cut_anywhere_is_refused),
          LISTED(gzip_with_any_bit_flipped_is_refused), LISTED(a_wrong_length_or_checksum_is_named),
          LISTED(zstd_frames_are_one_stream), LISTED(zstd_followed_by_garbage_is_refused),
          LISTED(zstd_cut_anywhere_is_refused), LISTED(zstd_with_any_bit_flipped_is_refused),
          LISTED(damage_in_zstd_has_a_place), LISTED(zstd_of_another_length_than_its_header_says_is_refused),
          LISTED(zstd_that_needs_much_memory_is_refused), LISTED(a_bomb_takes_no_memory))
