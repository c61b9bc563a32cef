/* processors: how many processors this process may use: those of its affinity mask, within the quota of its control
 * groups, which is how containers are limited. */
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

#include <stddef.h>

/* Where Linux reports the control groups of a process; tests have files of their own. */
struct control_group_files {
    const char *membership; /* /proc/self/cgroup */
    const char *mount;      /* /sys/fs/cgroup */
};

/* The least quota of the process's groups and of those above them, in processors; INFINITY: none. */
double control_group_processors(const struct control_group_files *files);

/* At least 1. Quotas are rounded up. */
size_t processor_count(void);

#endif
