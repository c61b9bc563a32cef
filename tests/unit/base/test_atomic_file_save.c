/* Saving: complete or not at all, whatever is at the path and whichever system call fails. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "base/path.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "temper_extra.h"

/* ---- Helpers --------------------------------------------------------------------------------- */

static temper_status save(const char *path, const char *text)
{
    temper_error error = {0};
    temper_status status = atomic_file_save(path, text, strlen(text), &error);
    CHECKF(status == error.status, "%s", error.message);
    return status;
}

static void check_refused(const char *path, const char *words)
{
    temper_error error = {0};
    CHECK(atomic_file_save(path, "new", 3, &error) == TEMPER_IO);
    CHECK(error.status == TEMPER_IO);
    CHECKF(strstr(error.message, words) != NULL, "\"%s\" does not say \"%s\"", error.message, words);
    CHECKF(strstr(error.message, path) != NULL, "\"%s\" does not name %s", error.message, path);
}

/* ---- Regular files --------------------------------------------------------------------------- */

TEST(a_new_file)
{
    scratch_enter();
    mode_t mask = umask(027);
    CHECK(save("new", "hello") == TEMPER_OK);
    umask(mask);
    CHECK_EQ_TEXT(scratch_text("new"), "hello");
    struct stat made;
    CHECK(stat("new", &made) == 0 && (made.st_mode & 0777) == 0640);
    CHECK(save("empty", "") == TEMPER_OK);
    CHECK(stat("empty", &made) == 0 && made.st_size == 0);
    CHECK_EQ_SIZE(scratch_count(), 2);
    scratch_leave();
}

TEST(a_replaced_file_keeps_its_mode)
{
    static const mode_t modes[] = {0600, 0644, 0755, 0666};
    scratch_enter();
    mode_t mask = umask(077);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct stat made;
        CHECK(save("file", "old, and longer") == TEMPER_OK);
        CHECK(chmod("file", modes[i]) == 0);
        CHECK(save("file", "new") == TEMPER_OK);
        CHECK_EQ_TEXT(scratch_text("file"), "new");
        CHECK(stat("file", &made) == 0 && (made.st_mode & 0777) == modes[i]);
    }
    umask(mask);
    CHECK_EQ_SIZE(scratch_count(), 1);
    scratch_leave();
}

/* Replaced, not overwritten: a process that has the old file open still reads the old contents. */
TEST(the_old_file_is_replaced_not_written_over)
{
    scratch_enter();
    CHECK(save("file", "old") == TEMPER_OK);
    CHECK(link("file", "other") == 0);
    CHECK(save("file", "new") == TEMPER_OK);
    CHECK_EQ_TEXT(scratch_text("file"), "new");
    CHECK_EQ_TEXT(scratch_text("other"), "old");
    scratch_leave();
}

TEST(a_large_file_is_whole)
{
    enum { SIZE = 5000000 };
    char *bytes = mem_alloc(SIZE, 1);
    if (!CHECK(bytes != NULL))
        return;
    scratch_enter();
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (char)(i * 31 % 251);
    CHECK(atomic_file_save("large", bytes, SIZE, NULL) == TEMPER_OK);
    FILE *file = fopen("large", "r");
    size_t wrong = 0, length = 0;
    for (int c; file && (c = getc(file)) != EOF; length++)
        wrong += length >= SIZE || (char)c != bytes[length];
    if (file)
        fclose(file);
    CHECK_EQ_SIZE(length, SIZE);
    CHECK_EQ_SIZE(wrong, 0);
    mem_free(bytes);
    scratch_leave();
}

TEST(a_temporary_file_of_another_is_left_alone)
{
    scratch_enter();
    char name[64];
    snprintf(name, sizeof name, ".temper-%ld-0.tmp", (long)getpid());
    CHECK(save(name, "not ours") == TEMPER_OK);
    CHECK(save("file", "new") == TEMPER_OK);
    CHECK_EQ_TEXT(scratch_text("file"), "new");
    CHECK_EQ_TEXT(scratch_text(name), "not ours");
    CHECK_EQ_SIZE(scratch_count(), 2);
    scratch_leave();
}

/* ---- Links, devices, pipes, folders ---------------------------------------------------------- */

static bool is_link(const char *path)
{
    struct stat found;
    return lstat(path, &found) == 0 && S_ISLNK(found.st_mode);
}

TEST(links_are_followed)
{
    scratch_enter();
    char absolute[600];
    snprintf(absolute, sizeof absolute, "%s/file", scratch_folder());
    CHECK(save("file", "old") == TEMPER_OK);
    CHECK(symlink("file", "link") == 0 && symlink("link", "chain") == 0);
    CHECK(symlink(absolute, "far") == 0 && symlink("made", "dangling") == 0);
    CHECK(save("link", "one") == TEMPER_OK);
    CHECK_EQ_TEXT(scratch_text("file"), "one");
    CHECK(save("chain", "two") == TEMPER_OK);
    CHECK_EQ_TEXT(scratch_text("file"), "two");
    CHECK(save("far", "three") == TEMPER_OK);
    CHECK_EQ_TEXT(scratch_text("file"), "three");
    CHECK(save("dangling", "four") == TEMPER_OK);
    CHECK_EQ_TEXT(scratch_text("made"), "four");
    CHECK(is_link("link") && is_link("chain") && is_link("far") && is_link("dangling"));
    CHECK_EQ_SIZE(scratch_count(), 6);
    scratch_leave();
}

TEST(links_in_a_circle_are_refused)
{
    scratch_enter();
    CHECK(symlink("a", "b") == 0 && symlink("b", "a") == 0);
    check_refused("a", "circle");
    CHECK_EQ_SIZE(scratch_count(), 2);
    scratch_leave();
}

TEST(devices_are_written_to_and_stay)
{
    struct stat found;
    CHECK(save("/dev/null", "gone") == TEMPER_OK);
    CHECK(stat("/dev/null", &found) == 0 && S_ISCHR(found.st_mode));
    if (stat("/dev/full", &found) != 0)
        SKIP("no /dev/full here");
    check_refused("/dev/full", "free some space");
    CHECK(stat("/dev/full", &found) == 0 && S_ISCHR(found.st_mode));
}

TEST(pipes_are_written_to_and_stay)
{
    scratch_enter();
    struct stat found;
    char text[16] = "";
    CHECK(mkfifo("pipe", 0600) == 0);
    int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    CHECK(reader >= 0);
    CHECK(save("pipe", "through") == TEMPER_OK);
    CHECK(read(reader, text, sizeof text - 1) == 7);
    CHECK_EQ_TEXT(text, "through");
    close(reader);
    CHECK(stat("pipe", &found) == 0 && S_ISFIFO(found.st_mode));
    CHECK_EQ_SIZE(scratch_count(), 1);
    scratch_leave();
}

TEST(what_cannot_be_written_is_said)
{
    scratch_enter();
    char name[300];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    check_refused("missing/file", "create its folder");
    check_refused(".", "give the name of a file");
    CHECK(save("file", "old") == TEMPER_OK);
    check_refused("file/below", "one part of the path is a file");
    temper_error error = {0};
    CHECK(atomic_file_save(name, "new", 3, &error) == TEMPER_IO);
    CHECKF(strstr(error.message, "shorter name") != NULL, "%s", error.message);
    CHECK(atomic_file_save("missing/file", "new", 3, NULL) == TEMPER_IO);
    CHECK_EQ_SIZE(scratch_count(), 1);
    scratch_leave();
}

TEST(the_public_call_checks_its_arguments)
{
    temper_error error = {0};
    CHECK(temper_file_save("", "x", 1, &error) == TEMPER_USAGE);
    CHECK(temper_file_save(NULL, "x", 1, &error) == TEMPER_USAGE);
    CHECK(temper_file_save("/dev/null", NULL, 1, &error) == TEMPER_USAGE);
    CHECK(temper_file_save("/dev/null", NULL, 0, NULL) == TEMPER_OK);
    temper_free(NULL);
}

/* The standard output is for those who ask for it: the command does. */
TEST(a_dash_is_a_name_like_others)
{
    scratch_enter();
    CHECK(save("-", "dash") == TEMPER_OK);
    CHECK_EQ_TEXT(scratch_text("-"), "dash");
    CHECK_EQ_SIZE(scratch_count(), 1);
    scratch_leave();
}

/* ---- Permissions ----------------------------------------------------------------------------- */

static int save_status(const char *path)
{
    return (int)atomic_file_save(path, "new", 3, NULL);
}

TEST(a_folder_without_permission_is_refused)
{
    scratch_enter();
    CHECK(save("file", "old") == TEMPER_OK);
    CHECK(chmod("file", 0666) == 0 && chmod(".", 0555) == 0);
    int status = scratch_unprivileged(save_status, "file"), fresh = scratch_unprivileged(save_status, "fresh");
    CHECK(chmod(".", 0755) == 0);
    CHECK_EQ_TEXT(scratch_text("file"), "old");
    CHECK_EQ_SIZE(scratch_count(), 1);
    scratch_leave();
    if (status == -1 || fresh == -1)
        SKIP("cannot become another user here");
    CHECK(status == TEMPER_IO && fresh == TEMPER_IO);
}

TEST(a_file_without_permission_is_refused)
{
    scratch_enter();
    CHECK(save("file", "old") == TEMPER_OK);
    CHECK(chmod("file", 0444) == 0 && chmod(".", 0777) == 0);
    int status = scratch_unprivileged(save_status, "file");
    CHECK_EQ_TEXT(scratch_text("file"), "old");
    CHECK_EQ_SIZE(scratch_count(), 1);
    scratch_leave();
    if (status == -1)
        SKIP("cannot become another user here");
    CHECK(status == TEMPER_IO);
}

/* ---- Everything fails once ------------------------------------------------------------------- */

/* The old text or the new one, whole, and nothing beside it. */
static void check_whole(temper_status status, size_t n)
{
    const char *text = scratch_text("file");
    CHECKF(strcmp(text, "new text") == 0 || (status != TEMPER_OK && strcmp(text, "old text") == 0),
           "after fault %zu: \"%s\", %s", n, text, temper_status_name(status));
    CHECK_EQ_SIZE(scratch_count(), 1);
}

/* Saves once for each system call, which is made to fail; returns how many of the saves reported an error. A
 * folder that cannot be opened to be synced is no reason to fail. */
static size_t fail_each(void (*arm)(size_t), temper_status expected)
{
    size_t reported = 0;
    for (size_t n = 1;; n++) {
        CHECK(save("file", "old text") == TEMPER_OK);
        arm(n);
        temper_status status = atomic_file_save("file", "new text", 8, NULL);
        fault_disarm();
        check_whole(status, n);
        if (!fault_fired())
            return reported;
        CHECKF(status == expected || status == TEMPER_OK, "fault %zu: %s", n, temper_status_name(status));
        reported += status == expected;
    }
}

TEST(every_failing_call_leaves_a_whole_file)
{
    scratch_enter();
    size_t told = fail_each(fault_arm_files, TEMPER_IO);
    CHECKF(told >= 6, "%zu", told); /* open, write, fchmod, fsync, linkat, close, rename */
    fault_hide_unnamed_files(true);
    told = fail_each(fault_arm_files, TEMPER_IO);
    fault_hide_unnamed_files(false);
    CHECKF(told >= 6, "%zu", told); /* open, write, fchmod, fsync, close, rename */
    scratch_leave();
}

TEST(every_failing_allocation_leaves_a_whole_file)
{
    scratch_enter();
    CHECK(fail_each(fault_arm, TEMPER_NO_MEMORY) >= 1);
    fault_hide_unnamed_files(true);
    CHECK(fail_each(fault_arm, TEMPER_NO_MEMORY) >= 1);
    fault_hide_unnamed_files(false);
    scratch_leave();
}

TEST(interrupted_and_short_writes_go_on)
{
    scratch_enter();
    fault_hamper_writes();
    temper_status status = save("file", "a byte at a time");
    fault_disarm();
    CHECK(status == TEMPER_OK);
    CHECK(fault_count() >= 32);
    CHECK_EQ_TEXT(scratch_text("file"), "a byte at a time");
    scratch_leave();
}

/* A chain of links ends at a file, or at a name that does not exist yet; a circle does not end. */
TEST(a_circle_of_links_leads_nowhere)
{
    int failure = 0;
    scratch_enter();
    CHECK(symlink("b", "a") == 0 && symlink("new", "b") == 0);
    char *end = path_resolve("a", &failure);
    CHECK(end && strcmp(end, "new") == 0);
    mem_free(end);
    CHECK(symlink("a", "new") == 0);
    CHECK(path_resolve("a", &failure) == NULL && failure == ELOOP);
    scratch_leave();
}

TEST_LIST(LISTED(a_new_file), LISTED(a_replaced_file_keeps_its_mode), LISTED(the_old_file_is_replaced_not_written_over),
          LISTED(a_large_file_is_whole), LISTED(a_temporary_file_of_another_is_left_alone), LISTED(links_are_followed),
          LISTED(links_in_a_circle_are_refused), LISTED(devices_are_written_to_and_stay),
          LISTED(pipes_are_written_to_and_stay), LISTED(what_cannot_be_written_is_said),
          LISTED(the_public_call_checks_its_arguments), LISTED(a_dash_is_a_name_like_others),
          LISTED(a_folder_without_permission_is_refused), LISTED(a_file_without_permission_is_refused),
          LISTED(every_failing_call_leaves_a_whole_file), LISTED(every_failing_allocation_leaves_a_whole_file),
          LISTED(interrupted_and_short_writes_go_on), LISTED(a_circle_of_links_leads_nowhere))
