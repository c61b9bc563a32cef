/* What the system may refuse to an output: names, permissions, writes that write nothing, and second failures while the
 * first is undone. */
#define _DEFAULT_SOURCE /* seteuid */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"

enum { NAMES = 1000, LARGE = 100000, NOBODY = 65534 };

static temper_status save(const char *path, const char *text, temper_error *error)
{
    return atomic_file_save(path, text, strlen(text), error);
}

static struct atomic_file *filled(const char *path)
{
    struct atomic_file *sink = NULL;
    CHECK(atomic_file_open(path, &sink, NULL) == TEMPER_OK);
    CHECK(atomic_file_write(sink, "new", 3, NULL) == TEMPER_OK);
    return sink;
}

/* Without /proc a file that has no name could not get one: it has a name from the beginning. */
TEST(a_process_without_proc_uses_names)
{
    scratch_enter();
    fault_hide_proc(true);
    struct atomic_file *sink = filled("file");
    CHECK_EQ_SIZE(scratch_count(), 1);
    CHECK(atomic_file_commit(sink, NULL) == TEMPER_OK);
    fault_hide_proc(false);
    CHECK_EQ_TEXT(scratch_text("file"), "new");
    CHECK_EQ_SIZE(scratch_count(), 1);
    scratch_leave();
}

/* All temporary names of this process are taken: they belong to somebody, and stay. */
TEST(names_may_run_out)
{
    temper_error error = {0};
    scratch_enter();
    for (int i = 0; i < NAMES; i++) {
        char name[64];
        snprintf(name, sizeof name, ".temper-%ld-%d.tmp", (long)getpid(), i);
        scratch_write(name, "", 0);
    }
    fault_hide_unnamed_files(true);
    CHECK(save("file", "new", &error) == TEMPER_IO);
    fault_hide_unnamed_files(false);
    CHECKF(strncmp(error.message, "file: cannot be written: ", 25) == 0, "%s", error.message);
    CHECK_EQ_SIZE(scratch_count(), NAMES);
    scratch_leave();
}

/* By the effective user, as the test has to stay what it was. */
TEST(a_protected_file_in_an_open_folder)
{
    temper_error error = {0};
    scratch_enter();
    scratch_write("file", "old", 3);
    CHECK(chmod("file", 0444) == 0 && chmod(".", 0777) == 0);
    uid_t before = geteuid();
    bool other = before != 0 || seteuid(NOBODY) == 0;
    temper_status status = save("file", "new", &error);
    CHECK(before != 0 || seteuid(before) == 0);
    CHECK_EQ_TEXT(scratch_text("file"), "old");
    scratch_leave();
    if (!other)
        SKIP("cannot become another user here");
    CHECK(status == TEMPER_IO);
    CHECKF(strstr(error.message, "check the permissions"), "%s", error.message);
}

/* A socket is neither a file to replace nor one to write to. */
TEST(a_socket_is_refused)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
    temper_error error = {0};
    scratch_enter();
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0);
    CHECK(save("socket", "new", &error) == TEMPER_IO);
    CHECKF(strncmp(error.message, "socket: cannot be written: ", 27) == 0, "%s", error.message);
    close(fd);
    scratch_leave();
}

/* An error instead of an endless loop. */
TEST(writes_that_write_nothing_end)
{
    scratch_enter();
    scratch_write("file", "old", 3);
    fault_write_nothing();
    temper_status status = save("file", "new", NULL);
    fault_disarm();
    CHECK(status == TEMPER_IO);
    CHECK_EQ_TEXT(scratch_text("file"), "old");
    CHECK_EQ_SIZE(scratch_count(), 1);
    scratch_leave();
}

/* More than the buffer is written before the commit, and fails there. */
TEST(a_large_piece_that_cannot_be_written)
{
    char *large = calloc(LARGE, 1);
    scratch_enter();
    scratch_write("file", "old", 3);
    fault_write_nothing();
    temper_status status = atomic_file_save("file", large, LARGE, NULL);
    fault_disarm();
    CHECK(status == TEMPER_IO);
    CHECK_EQ_TEXT(scratch_text("file"), "old");
    CHECK_EQ_SIZE(scratch_count(), 1);
    scratch_leave();
    free(large);
}

/* What a call may refuse without harm: a folder that cannot be synced on this file system, a close that is interrupted.
 * The numbers of both calls are found by trying: the file is new if the save reports success. */
TEST(refusals_without_harm)
{
    static const int numbers[] = {EINTR, EINVAL, ENOTSUP};
    scratch_enter();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        size_t harmless = 0;
        for (size_t n = 1;; n++) {
            scratch_write("file", "old", 3);
            fault_arm_files_errno(n, numbers[i]);
            temper_status status = save("file", "new", NULL);
            fault_disarm();
            if (!fault_fired())
                break;
            harmless += status == TEMPER_OK;
            CHECK(strcmp(scratch_text("file"), "new") == 0 ||
                  (status == TEMPER_IO && strcmp(scratch_text("file"), "old") == 0));
            CHECK_EQ_SIZE(scratch_count(), 1);
        }
        CHECKF(harmless >= 2, "%s: %zu", strerror(numbers[i]), harmless);
    }
    scratch_leave();
}

/* How many files of the folder have this text. */
static size_t files_with(const char *text)
{
    size_t count = 0;
    DIR *folder = opendir(".");
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            count += strcmp(scratch_text(entry->d_name), text) == 0;
    closedir(folder);
    return count;
}

/* The n-th call and all after it fail: also those that undo. A save that reports a failure has lost nothing: each old
 * content has a name, its own or that of the second link, unless the new one is in place. */
TEST(nothing_is_lost_when_undoing_fails)
{
    scratch_enter();
    for (size_t n = 1;; n++) {
        struct atomic_file *sinks[2];
        scratch_write("first", "old", 3);
        scratch_write("second", "old", 3);
        sinks[0] = filled("first");
        sinks[1] = filled("second");
        fault_arm_files_from(n);
        temper_status status = atomic_file_commit_all(sinks, 2, NULL);
        fault_disarm();
        if (!fault_fired()) {
            CHECK(status == TEMPER_OK);
            break;
        }
        bool published = files_with("new") == 2 && access("first", F_OK) == 0 && access("second", F_OK) == 0;
        CHECKF(published || (status == TEMPER_IO && files_with("old") >= 2), "from call %zu on: %zu old, %zu new", n,
               files_with("old"), files_with("new"));
        scratch_leave();
        scratch_enter();
    }
    CHECK_EQ_TEXT(scratch_text("first"), "new");
    CHECK_EQ_TEXT(scratch_text("second"), "new");
    scratch_leave();
}

/* A device among the files has nothing to undo. */
TEST(a_device_and_a_file_that_fails)
{
    scratch_enter();
    struct atomic_file *sinks[] = {filled("/dev/null"), filled("file")};
    CHECK(mkdir("file", 0777) == 0);
    CHECK(atomic_file_commit_all(sinks, 2, NULL) == TEMPER_IO);
    struct stat device;
    CHECK(stat("/dev/null", &device) == 0 && S_ISCHR(device.st_mode));
    CHECK(rmdir("file") == 0);
    CHECK_EQ_SIZE(scratch_count(), 0);
    scratch_leave();
}

/* Every call of a commit of two files fails once, for each of the reasons that are distinguished: the file exists, is
 * not there, or may not be linked, which is done by renaming then. Both are new, or both old. */
TEST(several_files_and_every_errno)
{
    static const int numbers[] = {EEXIST, ENOENT, EPERM, EISDIR};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (size_t n = 1;; n++) {
            struct atomic_file *sinks[2];
            char taken[64];
            scratch_enter();
            scratch_write("first", "old", 3);
            scratch_write("second", "old", 3);
            snprintf(taken, sizeof taken, ".temper-%ld-0.tmp", (long)getpid());
            scratch_write(taken, "other", 5);
            sinks[0] = filled("first");
            sinks[1] = filled("second");
            fault_arm_files_errno(n, numbers[i]);
            temper_status status = atomic_file_commit_all(sinks, 2, NULL);
            fault_disarm();
            CHECK(status == TEMPER_OK || status == TEMPER_IO);
            size_t fresh = files_with("new"), stale = files_with("old");
            CHECKF((fresh == 2 && stale == 0) || (status == TEMPER_IO && fresh == 0 && stale == 2),
                   "%s at call %zu: %zu new, %zu old", strerror(numbers[i]), n, fresh, stale);
            CHECK_EQ_TEXT(scratch_text(taken), "other");
            CHECK_EQ_SIZE(scratch_count(), 3);
            scratch_leave();
            if (!fault_fired())
                break;
        }
}

/* Where hard links are not permitted, old files are renamed instead, and both new ones appear. */
TEST(several_files_without_hard_links)
{
    scratch_enter();
    scratch_write("first", "old", 3);
    scratch_write("second", "old", 3);
    struct atomic_file *sinks[] = {filled("first"), filled("second")};
    temper_error error = {0};
    fault_refuse_links(true);
    CHECKF(atomic_file_commit_all(sinks, 2, &error) == TEMPER_OK, "%s", error.message);
    fault_refuse_links(false);
    CHECK_EQ_TEXT(scratch_text("first"), "new");
    CHECK_EQ_TEXT(scratch_text("second"), "new");
    CHECK_EQ_SIZE(scratch_count(), 2);
    scratch_leave();
}

/* The same for one file while it is opened: a folder that cannot have files without names gets one with a name. */
TEST(opening_and_every_errno)
{
    static const int numbers[] = {EISDIR, ENOENT, EOPNOTSUPP, EACCES};
    scratch_enter();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (size_t n = 1;; n++) {
            scratch_write("file", "old", 3);
            fault_arm_files_errno(n, numbers[i]);
            temper_status status = save("file", "new", NULL);
            fault_disarm();
            CHECK_EQ_SIZE(files_with("new") + files_with("old"), 1);
            CHECK(status == TEMPER_IO || files_with("new") == 1);
            CHECK_EQ_SIZE(scratch_count(), 1);
            if (!fault_fired())
                break;
        }
    scratch_leave();
}

TEST_LIST(LISTED(a_process_without_proc_uses_names), LISTED(names_may_run_out),
          LISTED(a_protected_file_in_an_open_folder), LISTED(a_socket_is_refused),
          LISTED(writes_that_write_nothing_end), LISTED(a_large_piece_that_cannot_be_written),
          LISTED(refusals_without_harm), LISTED(nothing_is_lost_when_undoing_fails),
          LISTED(a_device_and_a_file_that_fails), LISTED(several_files_and_every_errno),
          LISTED(several_files_without_hard_links), LISTED(opening_and_every_errno))
