/* scratch: temporary folders of the tests. */
#include "scratch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

enum { PATH_LENGTH = 512, NOBODY = 65534, CANNOT = 99 };
static char folder[PATH_LENGTH];

void scratch_enter(void)
{
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/temper-test-XXXXXX", temporary ? temporary : "/tmp");
    if (!CHECK(mkdtemp(folder) != NULL) || !CHECK(chdir(folder) == 0))
        exit(1);
}

const char *scratch_folder(void)
{
    return folder;
}

static bool is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

size_t scratch_count(void)
{
    size_t count = 0;
    DIR *here = opendir(".");
    const struct dirent *entry;
    if (!CHECK(here != NULL))
        return 0;
    while ((entry = readdir(here)))
        count += is_entry(entry);
    closedir(here);
    return count;
}

/* No test makes folders with anything in them. */
void scratch_leave(void)
{
    DIR *here = opendir(".");
    const struct dirent *entry;
    while (here && (entry = readdir(here)))
        if (is_entry(entry))
            remove(entry->d_name);
    if (here)
        closedir(here);
    CHECK(chdir("/") == 0 && rmdir(folder) == 0);
}

void scratch_write(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "w");
    if (!CHECK(file != NULL))
        return;
    CHECK(length == 0 || fwrite(bytes, 1, length, file) == length);
    CHECK(fclose(file) == 0);
}

const char *scratch_text(const char *path)
{
    static char text[256];
    FILE *file = fopen(path, "r");
    if (!file)
        return "(no such file)";
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

int scratch_unprivileged(int (*call)(const char *path), const char *path)
{
    pid_t child = fork();
    if (child == 0) {
        if (getuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
            _exit(CANNOT);
        _exit(call(path));
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status) == CANNOT ? -1 : WEXITSTATUS(status);
}
