/* processors: the affinity mask by a system call, quotas of control groups from files of Linux.
 *
 * A quota is processor time in each period, as 150 ms in 100 ms for one and a half processors. When the time is used
 * up, all threads of the group are stopped until the period ends: more threads than the quota are slower than as
 * many. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/system/processors.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#endif

enum { PATH_BYTES = 4096, NUMBERS_BYTES = 64 };

/* Reads up to `size` - 1 bytes of a file as text; false: there is none. Through stdio, because a failure here is not
 * one of the data: without a quota that can be read there is none. */
static bool read_text(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    size_t length = fread(text, 1, size - 1, file);
    bool failed = ferror(file) != 0;
    fclose(file);
    text[length] = '\0';
    return !failed;
}

/* Processors of a quota and a period in microseconds; no quota is "max" in version 2, -1 in version 1. */
static double processors_of(double quota, double period)
{
    return quota > 0 && period > 0 ? quota / period : (double)INFINITY;
}

/* Reads a file of a folder with one or two numbers; words are 0. */
static bool read_numbers(const char *folder, const char *name, double numbers[2])
{
    char path[PATH_BYTES + NUMBERS_BYTES], text[NUMBERS_BYTES], *end;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!read_text(path, text, sizeof text))
        return false;
    end = text + strcspn(text, " \n");
    numbers[0] = (double)strtoll(text, NULL, 10);
    numbers[1] = (double)strtoll(end, NULL, 10);
    return true;
}

/* The quota of a folder of version 2: cpu.max has "150000 100000" or "max 100000". */
static double quota_of_version_2(const char *folder)
{
    double both[2];
    return read_numbers(folder, "cpu.max", both) ? processors_of(both[0], both[1]) : (double)INFINITY;
}

/* The same of version 1, which has a file for each number. */
static double quota_of_version_1(const char *folder)
{
    double quota[2], period[2];
    if (!read_numbers(folder, "cpu.cfs_quota_us", quota) || !read_numbers(folder, "cpu.cfs_period_us", period))
        return (double)INFINITY;
    return processors_of(quota[0], period[0]);
}

/* The least quota of a group and of those above it. In a container the group may be named as on the host while only
 * its own folder is mounted: folders that do not exist have no quota, and the mounted one is the last. */
static double least_quota(const char *mount, const char *group, double (*quota_of)(const char *folder))
{
    char folder[PATH_BYTES];
    size_t root = strlen(mount);
    double least = (double)INFINITY;
    if (snprintf(folder, sizeof folder, "%s%s", mount, group) >= (int)sizeof folder)
        return least;
    for (;;) {
        least = fmin(least, quota_of(folder));
        char *last = strrchr(folder + root, '/');
        if (!last)
            return least;
        *last = '\0';
    }
}

/* Does a list "cpu,cpuacct" of controllers have "cpu"? */
static bool has_cpu(const char *list)
{
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, "cpu", 3) == 0 && (at[3] == ',' || at[3] == '\0'))
            return true;
    return false;
}

/* A line "number:controllers:group"; version 2 has the number 0 and no controllers. */
static double quota_of_line(const struct control_group_files *files, char *line)
{
    char mount[PATH_BYTES], *controllers = strchr(line, ':'),
                            *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return (double)INFINITY;
    *group++ = '\0';
    controllers++;
    if (*controllers == '\0')
        return least_quota(files->mount, group, quota_of_version_2);
    if (!has_cpu(controllers) || snprintf(mount, sizeof mount, "%s/cpu", files->mount) >= (int)sizeof mount)
        return (double)INFINITY;
    return least_quota(mount, group, quota_of_version_1);
}

double control_group_processors(const struct control_group_files *files)
{
    char text[PATH_BYTES], *end;
    double least = (double)INFINITY;
    if (!read_text(files->membership, text, sizeof text))
        return least;
    for (char *line = text; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        least = fmin(least, quota_of_line(files, line));
    }
    return least;
}

/* Processors that are online. */
static size_t online(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (size_t)count : 1;
}

#ifdef __linux__
/* Of the affinity mask, as of taskset and of batch systems. The kernel refuses a mask that is smaller than its own, of
 * at most 8,192 processors. */
static size_t allowed_by_mask(void)
{
    cpu_set_t mask[8 * 1024 / CPU_SETSIZE];
    if (sched_getaffinity(0, sizeof mask, mask) != 0)
        return online();
    const int count = CPU_COUNT_S(sizeof mask, mask);
    return count > 0 ? (size_t)count : online();
}

size_t processor_count(void)
{
    const struct control_group_files files = {"/proc/self/cgroup", "/sys/fs/cgroup"};
    size_t allowed = allowed_by_mask();
    double quota = allowed > 1 ? ceil(control_group_processors(&files)) : 1;
    return quota < (double)allowed ? (size_t)fmax(quota, 1) : allowed;
}
#else
size_t processor_count(void)
{
    return online();
}
#endif
