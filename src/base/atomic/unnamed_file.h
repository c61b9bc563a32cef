/* unnamed_file: a file without a name, which disappears with the process that writes it.
 *
 * A process that is killed leaves no temporary file behind. Linux has such files (O_TMPFILE) on most of its file
 * systems; elsewhere both calls report ENOTSUP, and the caller uses a file with a temporary name. */
#ifndef BASE_UNNAMED_FILE_H
#define BASE_UNNAMED_FILE_H

#include <sys/types.h>

/* Opens one in the folder for writing: 0, or an errno, which is ENOTSUP where there are none. */
int unnamed_file_open(const char *folder, mode_t mode, int *fd);
/* Gives it a name on the same file system, which must not exist: 0, or an errno. */
int unnamed_file_link(int fd, const char *name);

#endif
