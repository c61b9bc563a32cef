/* Sources: files, pipes and archives give their bytes or an answer, whatever is wrong with them. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/source.h"
#include "fixtures/data/archive_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"

/* ---- Helpers --------------------------------------------------------------------------------- */

static struct source *open_or_fail(const char *path)
{
    struct source *source = NULL;
    temper_error error = {0};
    temper_status status = source_open(path, &source, &error);
    CHECKF(status == TEMPER_OK, "%s", error.message);
    return source;
}

/* Everything, `piece` bytes at a time; the status of the last read. */
static temper_status read_all(const char *path, size_t piece, struct blob *all, temper_error *error)
{
    struct source *source;
    temper_status status = source_open(path, &source, error);
    if (status != TEMPER_OK)
        return status;
    unsigned char *bytes = malloc(piece);
    for (size_t got = 1; bytes && status == TEMPER_OK && got > 0;) {
        status = source_read(source, bytes, piece, &got, error);
        if (status == TEMPER_OK)
            blob_add(all, bytes, got);
    }
    free(bytes);
    source_close(source);
    return status;
}

static void check_reads(const char *path, const struct blob *expected, size_t piece)
{
    struct blob all = {0};
    temper_error error = {0};
    temper_status status = read_all(path, piece, &all, &error);
    CHECKF(status == TEMPER_OK, "%s", error.message);
    CHECK_EQ_SIZE(all.length, expected->length);
    CHECK(all.length == expected->length && (all.length == 0 || memcmp(all.bytes, expected->bytes, all.length) == 0));
    blob_free(&all);
}

/* Writes the archive and expects it to be `expected`, however it is read. */
static void check_unpacks(const struct blob *archive, const struct blob *expected)
{
    static const size_t pieces[] = {1, 7, 4096, 65536, 1 << 20, 5000000};
    scratch_write("archive", archive->bytes, archive->length);
    for (size_t i = expected->length > 100000 ? 2 : 0; i < sizeof pieces / sizeof *pieces; i++)
        check_reads("archive", expected, pieces[i]);
}

static void check_refused(const char *path, temper_status expected, const char *words)
{
    temper_error error = {0};
    struct blob all = {0};
    CHECK(read_all(path, 4096, &all, &error) == expected);
    CHECKF(error.status == expected && strstr(error.message, words) != NULL, "%s \"%s\" does not say \"%s\"",
           temper_status_name(error.status), error.message, words);
    CHECKF(strstr(error.message, path) == error.message, "\"%s\" does not begin with %s", error.message, path);
    CHECKF(strchr(error.message, ';') != NULL, "\"%s\" does not say what to do", error.message);
    blob_free(&all);
}

/* ---- Plain files ----------------------------------------------------------------------------- */

TEST(a_file_is_read_in_pieces_of_any_size)
{
    static const size_t pieces[] = {1, 3, 262143, 262144, 262145, 700000, 3000000};
    struct blob noise = blob_noise(700000);
    scratch_enter();
    scratch_write("file", noise.bytes, noise.length);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        check_reads("file", &noise, pieces[i]);
    struct source *source = open_or_fail("file");
    CHECK(source_compression(source) == NULL);
    CHECK(source_file_size(source) == 700000);
    CHECK_EQ_TEXT(source_name(source), "file");
    source_close(source);
    source_close(NULL);
    scratch_leave();
    blob_free(&noise);
}

TEST(short_files_are_not_taken_for_archives)
{
    static const char *const texts[] = {"", "1", "\x1f", "\x28\xb5\x2f", "1 2", "P*M"};
    scratch_enter();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct blob text = {0};
        blob_add_text(&text, texts[i]);
        check_unpacks(&text, &text);
        blob_free(&text);
    }
    scratch_leave();
}

TEST(what_cannot_be_opened_is_said)
{
    char name[300];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    scratch_enter();
    scratch_write("file", "x", 1);
    check_refused("missing", TEMPER_NO_INPUT, "check the name");
    check_refused("missing/below", TEMPER_NO_INPUT, "check the name");
    check_refused("file/below", TEMPER_NO_INPUT, "is a file");
    check_refused(".", TEMPER_IO, "give the name of a file in it");
    CHECK(symlink("a", "b") == 0 && symlink("b", "a") == 0);
    check_refused("a", TEMPER_NO_INPUT, "circle");
    struct source *untouched = NULL;
    temper_error error = {0};
    CHECK(source_open(name, &untouched, &error) == TEMPER_NO_INPUT && !untouched);
    CHECKF(strstr(error.message, "check the name") != NULL, "%s", error.message);
    CHECK(source_open("missing", &untouched, NULL) == TEMPER_NO_INPUT);
    scratch_leave();
}

static int open_status(const char *path)
{
    struct source *source;
    temper_status status = source_open(path, &source, NULL);
    if (status == TEMPER_OK)
        source_close(source);
    return (int)status;
}

TEST(a_file_without_permission_is_refused)
{
    scratch_enter();
    scratch_write("file", "x", 1);
    CHECK(chmod("file", 0) == 0 && chmod(".", 0777) == 0);
    int status = scratch_unprivileged(open_status, "file");
    scratch_leave();
    if (status == -1)
        SKIP("cannot become another user here");
    CHECK(status == TEMPER_IO);
}

/* ---- Pipes and the standard input ------------------------------------------------------------ */

/* The path of a pipe into which another process writes the bytes, `piece` at a time: what a shell
 * makes of <(...). */
static pid_t pipe_from(const struct blob *blob, size_t piece, int ends[2])
{
    if (!CHECK(pipe(ends) == 0))
        return -1;
    pid_t child = fork();
    if (child == 0) {
        size_t done = 0;
        close(ends[0]);
        while (done < blob->length) {
            size_t length = blob->length - done < piece ? blob->length - done : piece;
            ssize_t written = write(ends[1], blob->bytes + done, length);
            done += written > 0 ? (size_t)written : 0;
        }
        _exit(0);
    }
    close(ends[1]);
    return child;
}

static void check_pipe(const struct blob *archive, const struct blob *expected, size_t piece)
{
    char path[32];
    int ends[2];
    pid_t child = pipe_from(archive, piece, ends);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    check_reads(path, expected, 5000);
    close(ends[0]);
    CHECK(child > 0 && waitpid(child, NULL, 0) == child);
}

TEST(pipes_are_read_however_they_are_written)
{
    struct blob noise = blob_noise(200000), few = blob_noise(1000), packed = {0}, small = {0};
    blob_add_gzip(&packed, noise.bytes, noise.length);
    blob_add_zstd(&small, few.bytes, few.length);
    check_pipe(&noise, &noise, 10000);
    check_pipe(&packed, &noise, 10000);
    check_pipe(&few, &few, 1);
    check_pipe(&small, &few, 1);
    blob_free(&noise);
    blob_free(&few);
    blob_free(&packed);
    blob_free(&small);
}

TEST(the_standard_input_is_read_and_stays_open)
{
    struct blob noise = blob_noise(100000);
    int ends[2], saved = dup(STDIN_FILENO);
    pid_t child = pipe_from(&noise, 4096, ends);
    CHECK(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    struct source *source = open_or_fail("-");
    CHECK_EQ_TEXT(source_name(source), "standard input");
    CHECK(source_file_size(source) == 0);
    source_close(source);
    CHECK(fcntl(STDIN_FILENO, F_GETFD) >= 0);
    close(STDIN_FILENO);
    close(ends[0]);
    temper_error error = {0};
    CHECK(source_open("-", &source, &error) == TEMPER_IO);
    CHECKF(strstr(error.message, "standard input: cannot be read") == error.message, "%s", error.message);
    if (saved >= 0) {
        CHECK(dup2(saved, STDIN_FILENO) == STDIN_FILENO);
        close(saved);
    }
    CHECK(waitpid(child, NULL, 0) == child);
    blob_free(&noise);
}

TEST(a_read_that_waits_can_be_stopped)
{
    int ends[2];
    char path[32], byte[8];
    size_t got = 99;
    temper_error error = {0};
    CHECK(pipe(ends) == 0 && write(ends[1], "a line", 6) == 6);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    struct source *source = open_or_fail(path);
    source_stop(source); /* nothing more comes, and nobody closes the other end */
    CHECK(source_read(source, byte, sizeof byte, &got, &error) == TEMPER_INTERRUPTED);
    CHECK(error.status == TEMPER_INTERRUPTED && got == 99);
    source_close(source);
    close(ends[0]);
    close(ends[1]);
}

/* ---- Peeking --------------------------------------------------------------------------------- */

static void check_peek(struct source *source, const struct blob *noise, size_t at, size_t size)
{
    const unsigned char *bytes = NULL;
    size_t got = 0, left = noise->length - at, most = size < 65536 ? size : 65536;
    CHECK(source_peek(source, size, &bytes, &got, NULL) == TEMPER_OK);
    CHECK_EQ_SIZE(got, left < most ? left : most);
    CHECK(got == 0 || (bytes && memcmp(bytes, noise->bytes + at, got) == 0));
}

TEST(peeking_takes_nothing)
{
    struct blob noise = blob_noise(300000), packed = {0};
    unsigned char *bytes = malloc(noise.length);
    blob_add_zstd(&packed, noise.bytes, noise.length);
    scratch_enter();
    for (int zipped = 0; bytes && zipped < 2; zipped++) {
        const struct blob *file = zipped ? &packed : &noise;
        scratch_write("file", file->bytes, file->length);
        struct source *source = open_or_fail("file");
        size_t got = 0, at = 0;
        for (size_t size = 0; at < noise.length; size += 7001) {
            check_peek(source, &noise, at, size);
            check_peek(source, &noise, at, 10);
            check_peek(source, &noise, at, 1000000);
            CHECK(source_read(source, bytes, size * 2, &got, NULL) == TEMPER_OK);
            CHECK(memcmp(bytes, noise.bytes + at, got) == 0);
            at += got;
        }
        check_peek(source, &noise, at, 100);
        source_close(source);
    }
    scratch_leave();
    free(bytes);
    blob_free(&noise);
    blob_free(&packed);
}

/* ---- Whatever fails -------------------------------------------------------------------------- */

TEST(a_read_error_half_way_is_told_and_stays)
{
    struct blob noise = blob_noise(1000000), all = {0};
    scratch_enter();
    scratch_write("file", noise.bytes, noise.length);
    for (size_t n = 1;; n++) {
        temper_error error = {0};
        blob_free(&all);
        fault_arm_reads(n);
        temper_status status = read_all("file", 65536, &all, &error);
        fault_disarm();
        if (!fault_fired())
            break;
        CHECK(status == TEMPER_IO && all.length < noise.length);
        CHECKF(strstr(error.message, "file: cannot be read: ") == error.message, "%s", error.message);
    }
    CHECK(all.length == noise.length);
    struct source *source = open_or_fail("file");
    size_t got;
    char bytes[300000];
    fault_arm_reads(1);
    CHECK(source_read(source, bytes, sizeof bytes, &got, NULL) == TEMPER_IO);
    fault_disarm();
    CHECK(source_read(source, bytes, sizeof bytes, &got, NULL) == TEMPER_IO);
    source_close(source);
    scratch_leave();
    blob_free(&all);
    blob_free(&noise);
}

/* Truncated between two reads: what follows is an error, not the end. A file that grows is read to its new end. */
TEST(a_file_that_becomes_shorter_is_an_error)
{
    struct blob noise = blob_noise(300000);
    char *bytes = malloc(400000);
    size_t got = 0;
    scratch_enter();
    for (size_t keep = 0; bytes && keep < 300000; keep += 99999) {
        temper_error error = {0};
        scratch_write("file", noise.bytes, noise.length);
        struct source *source = open_or_fail("file");
        CHECK(source_read(source, bytes, 100000, &got, &error) == TEMPER_OK && got == 100000);
        CHECK(truncate("file", (off_t)keep) == 0);
        CHECK(source_read(source, bytes, 400000, &got, &error) == TEMPER_IO);
        CHECKF(strstr(error.message, "has become shorter"), "%s", error.message);
        CHECK(source_read_at(source, 299000, bytes, 1000, &error) == TEMPER_IO);
        CHECKF(strstr(error.message, "has become shorter"), "%s", error.message);
        source_close(source);
    }
    scratch_write("file", noise.bytes, noise.length);
    struct source *source = open_or_fail("file");
    CHECK(truncate("file", 350000) == 0);
    CHECK(bytes && source_read(source, bytes, 400000, &got, NULL) == TEMPER_OK && got == 350000);
    source_close(source);
    scratch_leave();
    free(bytes);
    blob_free(&noise);
}

/* A file that Linux itself cannot read, without our help. */
TEST(a_read_error_of_the_system)
{
    if (access("/proc/self/mem", R_OK) != 0)
        SKIP("no /proc/self/mem here");
    check_refused("/proc/self/mem", TEMPER_IO, "check the disk");
}

TEST(interrupted_and_short_reads_go_on)
{
    struct blob noise = blob_noise(2000), packed = {0};
    blob_add_gzip(&packed, noise.bytes, noise.length);
    scratch_enter();
    scratch_write("plain", noise.bytes, noise.length);
    scratch_write("packed", packed.bytes, packed.length);
    fault_hamper_reads();
    check_reads("plain", &noise, 300);
    check_reads("packed", &noise, 300);
    fault_disarm();
    CHECK(fault_count() >= 4000);
    scratch_leave();
    blob_free(&noise);
    blob_free(&packed);
}

/* Opens, peeks and reads, so that everything that allocates is reached. */
static temper_status use_source(const char *path)
{
    struct source *source;
    char bytes[64];
    const unsigned char *ahead;
    size_t got;
    temper_status status = source_open(path, &source, NULL);
    if (status != TEMPER_OK)
        return status;
    status = source_peek(source, 8, &ahead, &got, NULL);
    if (status == TEMPER_OK)
        status = source_read(source, bytes, sizeof bytes, &got, NULL);
    source_close(source);
    return status;
}

TEST(every_failing_allocation_is_told)
{
    struct blob noise = blob_noise(100000), packed = {0};
    blob_add_gzip(&packed, noise.bytes, noise.length);
    scratch_enter();
    scratch_write("packed", packed.bytes, packed.length);
    for (size_t n = 1;; n++) {
        fault_arm(n);
        temper_status status = use_source("packed");
        fault_disarm();
        if (!fault_fired()) {
            CHECK(status == TEMPER_OK && n > 4); /* source, input, unpacker, zlib's, peeked bytes */
            break;
        }
        CHECK(status == TEMPER_NO_MEMORY);
    }
    scratch_leave();
    blob_free(&noise);
    blob_free(&packed);
}

/* Closing what was read from memory closes no file, least of all the standard input. */
TEST(bytes_in_memory_have_no_descriptor)
{
    static const char letters[] = {'a', 'b', 'c'};
    struct source *source = NULL;
    char *bytes = malloc(sizeof letters), got[8];
    size_t length = 0;
    int standard = fcntl(0, F_GETFD) < 0 ? open("/dev/null", O_RDONLY) : 0;
    CHECK(standard == 0 && bytes);
    if (!bytes)
        return;
    memcpy(bytes, letters, sizeof letters);
    CHECK(source_bytes("x", bytes, sizeof letters, &source, NULL) == TEMPER_OK);
    CHECK(source_read(source, got, sizeof got, &length, NULL) == TEMPER_OK);
    CHECK(length == sizeof letters && memcmp(got, letters, length) == 0);
    source_close(source);
    CHECK(fcntl(0, F_GETFD) >= 0);
}

/* Whatever the remainder of the division of the file among the ranks is, each line belongs to one of them. */
TEST(ranks_have_every_line_once)
{
    char text[64], joined[64];
    scratch_enter();
    for (size_t lines = 1; lines < 20; lines++)
        for (size_t ranks = 1; ranks < 6; ranks++) {
            size_t length = 0, all = 0;
            for (size_t i = 0; i < lines; i++) { /* the last ones are short */
                memcpy(text + length, i % 2 ? "b\n" : "abc\n", i % 2 ? 2 : 4);
                length += i % 2 ? 2 : 4;
            }
            scratch_write("lines", text, length);
            for (size_t rank = 0; rank < ranks; rank++) {
                struct source *source = NULL;
                size_t got = 1;
                CHECK(source_open_lines("lines", rank, ranks, &source, NULL) == TEMPER_OK);
                for (; got > 0 && all < sizeof joined; all += got)
                    CHECK(source_read(source, joined + all, sizeof joined - all, &got, NULL) == TEMPER_OK);
                source_close(source);
            }
            CHECKF(all == length && memcmp(joined, text, length) == 0, "%zu lines by %zu ranks: %zu bytes of %zu",
                   lines, ranks, all, length);
        }
    scratch_leave();
}

TEST_LIST(LISTED(a_file_is_read_in_pieces_of_any_size), LISTED(short_files_are_not_taken_for_archives),
          LISTED(what_cannot_be_opened_is_said), LISTED(a_file_without_permission_is_refused),
          LISTED(pipes_are_read_however_they_are_written), LISTED(the_standard_input_is_read_and_stays_open),
          LISTED(a_read_that_waits_can_be_stopped), LISTED(peeking_takes_nothing),
          LISTED(a_read_error_half_way_is_told_and_stays), LISTED(a_file_that_becomes_shorter_is_an_error),
          LISTED(a_read_error_of_the_system), LISTED(interrupted_and_short_reads_go_on),
          LISTED(every_failing_allocation_is_told), LISTED(bytes_in_memory_have_no_descriptor),
          LISTED(ranks_have_every_line_once))
