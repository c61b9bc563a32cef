/* Sinks: pieces of any size become a whole file, or none. test_base_file has the rest. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic/unnamed_file.h"
#include "base/atomic_file.h"
#include "fixtures/data/archive_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"

/* ---- Helpers --------------------------------------------------------------------------------- */

static struct atomic_file *open_or_fail(const char *path)
{
    struct atomic_file *sink = NULL;
    temper_error error = {0};
    temper_status status = atomic_file_open(path, &sink, &error);
    CHECKF(status == TEMPER_OK, "%s", error.message);
    return sink;
}

/* Writes the blob in pieces and commits; drops after a failure. */
static temper_status write_pieces(const char *path, const struct blob *blob, size_t piece)
{
    struct atomic_file *sink;
    temper_status status = atomic_file_open(path, &sink, NULL);
    if (status != TEMPER_OK)
        return status;
    for (size_t at = 0; status == TEMPER_OK && at < blob->length; at += piece) {
        size_t length = blob->length - at < piece ? blob->length - at : piece;
        status = atomic_file_write(sink, blob->bytes + at, length, NULL);
    }
    if (status == TEMPER_OK)
        return atomic_file_commit(sink, NULL);
    atomic_file_drop(sink);
    return status;
}

static bool file_is(const char *path, const struct blob *blob)
{
    FILE *file = fopen(path, "r");
    unsigned char *bytes = malloc(blob->length + 1);
    size_t length = file && bytes ? fread(bytes, 1, blob->length + 1, file) : 0;
    bool equal = length == blob->length && bytes && memcmp(bytes, blob->bytes, length) == 0;
    if (file)
        fclose(file);
    free(bytes);
    return equal;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

TEST(pieces_of_any_size_are_one_file)
{
    static const size_t pieces[] = {1, 1000, 65535, 65536, 65537, 200000, 1000000};
    struct blob noise = blob_noise(300001);
    scratch_enter();
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        CHECK(write_pieces("file", &noise, pieces[i]) == TEMPER_OK);
        CHECKF(file_is("file", &noise), "in pieces of %zu", pieces[i]);
    }
    CHECK_EQ_SIZE(scratch_count(), 1);
    scratch_leave();
    blob_free(&noise);
}

/* Small pieces behind and before large ones keep their order. */
TEST(mixed_pieces_keep_their_order)
{
    static const size_t pieces[] = {10, 100000, 0, 65530, 6, 1, 65536, 3, 70000, 5};
    struct blob noise = blob_noise(301091), written = {noise.bytes, 0, 0};
    scratch_enter();
    struct atomic_file *sink = open_or_fail("file");
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        CHECK(atomic_file_write(sink, noise.bytes + written.length, pieces[i], NULL) == TEMPER_OK);
        written.length += pieces[i];
    }
    CHECK(atomic_file_write(sink, NULL, 0, NULL) == TEMPER_OK);
    CHECK(atomic_file_commit(sink, NULL) == TEMPER_OK);
    CHECK(file_is("file", &written));
    scratch_leave();
    blob_free(&noise);
}

TEST(nothing_appears_before_it_is_whole)
{
    scratch_enter();
    scratch_write("file", "old", 3);
    struct atomic_file *sink = open_or_fail("file"), *fresh = open_or_fail("fresh");
    CHECK(atomic_file_write(sink, "new", 3, NULL) == TEMPER_OK);
    CHECK(atomic_file_write(fresh, "new", 3, NULL) == TEMPER_OK);
    CHECK_EQ_TEXT(scratch_text("file"), "old");
    CHECK(access("fresh", F_OK) != 0);
    CHECK(atomic_file_commit(sink, NULL) == TEMPER_OK);
    CHECK(atomic_file_commit(fresh, NULL) == TEMPER_OK);
    CHECK_EQ_TEXT(scratch_text("file"), "new");
    CHECK_EQ_TEXT(scratch_text("fresh"), "new");
    CHECK_EQ_SIZE(scratch_count(), 2);
    scratch_leave();
}

/* Names in the folder while a file is written: none, where the system has files without a name, so that a killed
 * process leaves nothing. Elsewhere there is one, which commit and drop remove. */
TEST(a_file_in_progress_has_no_name)
{
    scratch_enter();
    int fd = -1;
    bool known = unnamed_file_open(".", 0600, &fd) == 0;
    if (known)
        close(fd);
    struct atomic_file *file = open_or_fail("file");
    CHECK(atomic_file_write(file, "new", 3, NULL) == TEMPER_OK);
    CHECK_EQ_SIZE(scratch_count(), known ? 0 : 1);
    CHECK(atomic_file_commit(file, NULL) == TEMPER_OK);
    CHECK_EQ_TEXT(scratch_text("file"), "new");
    CHECK_EQ_SIZE(scratch_count(), 1);
    scratch_leave();
}

TEST(what_is_dropped_leaves_nothing)
{
    struct blob noise = blob_noise(200000);
    scratch_enter();
    scratch_write("file", "old", 3);
    for (int i = 0; i < 4; i++) {
        struct atomic_file *sink = open_or_fail(i % 2 ? "file" : "fresh");
        if (i >= 2)
            CHECK(atomic_file_write(sink, noise.bytes, noise.length, NULL) == TEMPER_OK);
        atomic_file_drop(sink);
        CHECK_EQ_SIZE(scratch_count(), 1);
        CHECK_EQ_TEXT(scratch_text("file"), "old");
    }
    atomic_file_drop(NULL);
    scratch_leave();
    blob_free(&noise);
}

TEST(refused_when_opened_not_when_committed)
{
    struct atomic_file *sink = NULL;
    temper_error error = {0};
    scratch_enter();
    CHECK(atomic_file_open("missing/file", &sink, &error) == TEMPER_IO && !sink);
    CHECKF(strstr(error.message, "missing/file: cannot be written") == error.message, "%s", error.message);
    CHECK(atomic_file_open(".", &sink, NULL) == TEMPER_IO && !sink);
    scratch_leave();
}

/* The message ends with its remedy however long the path is. */
TEST(long_paths_are_shortened)
{
    struct atomic_file *sink;
    temper_error error = {0};
    char path[3000];
    memset(path, '/', sizeof path);
    for (size_t i = 1; i + 1 < sizeof path; i += 10)
        memset(path + i, 'd', i + 10 < sizeof path ? 9 : sizeof path - 1 - i);
    path[sizeof path - 1] = '\0';
    CHECK(atomic_file_open(path, &sink, &error) == TEMPER_IO);
    CHECKF(strncmp(error.message, "...", 3) == 0 && strstr(error.message, "; create its folder"), "%s", error.message);
}

/* ---- The standard output --------------------------------------------------------------------- */

/* Writes "text" to a sink while the standard output is another file; the status of the commit. */
static temper_status write_redirected(const char *path, const char *to, int flags)
{
    fflush(stdout);
    int saved = dup(STDOUT_FILENO), file = open(to, flags, 0600);
    CHECK(saved >= 0 && file >= 0 && dup2(file, STDOUT_FILENO) == STDOUT_FILENO);
    struct atomic_file *sink = open_or_fail(path);
    temper_status status = atomic_file_write(sink, "text", 4, NULL);
    CHECK(status == TEMPER_OK);
    status = atomic_file_commit(sink, NULL);
    CHECK(dup2(saved, STDOUT_FILENO) == STDOUT_FILENO);
    close(saved);
    close(file);
    return status;
}

TEST(the_standard_output_is_written_to_and_stays_open)
{
    scratch_enter();
    scratch_write("file", "old ", 4);
    CHECK(write_redirected("-", "file", O_WRONLY | O_APPEND) == TEMPER_OK);
    CHECK_EQ_TEXT(scratch_text("file"), "old text");
    CHECK(write_redirected("/dev/stdout", "file", O_WRONLY | O_APPEND) == TEMPER_OK);
    CHECK_EQ_TEXT(scratch_text("file"), "old texttext");
    CHECK_EQ_SIZE(scratch_count(), 1);
    CHECK(fcntl(STDOUT_FILENO, F_GETFD) >= 0);
    scratch_leave();
    if (access("/dev/full", W_OK) == 0)
        CHECK(write_redirected("-", "/dev/full", O_WRONLY) == TEMPER_IO);
}

/* ---- Everything fails once ------------------------------------------------------------------- */

static void fail_each(void (*arm)(size_t), const struct blob *noise, temper_status expected)
{
    for (size_t n = 1;; n++) {
        scratch_write("file", "old", 3);
        arm(n);
        temper_status status = write_pieces("file", noise, 50000);
        fault_disarm();
        CHECKF(file_is("file", noise) || (status != TEMPER_OK && strcmp(scratch_text("file"), "old") == 0),
               "after fault %zu: %s", n, temper_status_name(status));
        CHECK_EQ_SIZE(scratch_count(), 1);
        if (!fault_fired())
            break;
        CHECK(status == expected || status == TEMPER_OK);
    }
}

TEST(every_failure_leaves_a_whole_file)
{
    struct blob noise = blob_noise(300000);
    scratch_enter();
    fail_each(fault_arm_files, &noise, TEMPER_IO);
    fail_each(fault_arm, &noise, TEMPER_NO_MEMORY);
    scratch_leave();
    blob_free(&noise);
}

/* ---- Several files --------------------------------------------------------------------------- */

static struct atomic_file *filled(const char *path)
{
    struct atomic_file *sink = open_or_fail(path);
    CHECK(atomic_file_write(sink, "new", 3, NULL) == TEMPER_OK);
    return sink;
}

/* The last name is taken by a folder while the files wait: those that were renamed get undone. */
TEST(several_files_appear_or_none_does)
{
    static const char *const paths[] = {"was-there", "was-not", "last"};
    temper_error error = {0};
    scratch_enter();
    for (int fails = 1; fails >= 0; fails--) {
        struct atomic_file *sinks[3];
        scratch_write("was-there", "old", 3);
        for (size_t i = 0; i < 3; i++)
            sinks[i] = filled(paths[i]);
        if (fails)
            CHECK(mkdir("last", 0777) == 0);
        CHECK(atomic_file_commit_all(sinks, 3, &error) == (fails ? TEMPER_IO : TEMPER_OK));
        CHECK_EQ_TEXT(scratch_text("was-there"), fails ? "old" : "new");
        CHECK((access("was-not", F_OK) != 0) == fails);
        CHECK_EQ_SIZE(scratch_count(), fails ? 2 : 3);
        if (fails) {
            CHECKF(strncmp(error.message, "last: cannot be written: ", 25) == 0, "%s", error.message);
            CHECK(rmdir("last") == 0);
        }
    }
    CHECK_EQ_TEXT(scratch_text("last"), "new");
    scratch_leave();
}

TEST_LIST(LISTED(pieces_of_any_size_are_one_file), LISTED(mixed_pieces_keep_their_order),
          LISTED(nothing_appears_before_it_is_whole), LISTED(a_file_in_progress_has_no_name),
          LISTED(what_is_dropped_leaves_nothing), LISTED(refused_when_opened_not_when_committed),
          LISTED(long_paths_are_shortened), LISTED(the_standard_output_is_written_to_and_stays_open),
          LISTED(every_failure_leaves_a_whole_file), LISTED(several_files_appear_or_none_does))
