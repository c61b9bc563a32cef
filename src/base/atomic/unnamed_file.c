/* unnamed_file: O_TMPFILE and linkat. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "base/atomic/unnamed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#ifdef O_TMPFILE

enum { DESCRIPTOR_PATH = 32 };

/* The name by which linkat finds an open file. The flag AT_EMPTY_PATH would need a privilege. */
static const char *descriptor_path(int fd, char out[DESCRIPTOR_PATH])
{
    snprintf(out, DESCRIPTOR_PATH, "/proc/self/fd/%d", fd);
    return out;
}

/* EOPNOTSUPP comes from the file system; EISDIR and ENOENT from kernels that do not know the flag. A process without
 * /proc could not name the file later, which has to be known before it is written. */
int unnamed_file_open(const char *folder, mode_t mode, int *fd)
{
    char path[DESCRIPTOR_PATH];
    *fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (*fd < 0)
        return errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT ? ENOTSUP : errno;
    if (access(descriptor_path(*fd, path), F_OK) == 0)
        return 0;
    close(*fd);
    *fd = -1;
    return ENOTSUP;
}

int unnamed_file_link(int fd, const char *name)
{
    char path[DESCRIPTOR_PATH];
    return linkat(AT_FDCWD, descriptor_path(fd, path), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

#else

int unnamed_file_open(const char *folder, mode_t mode, int *fd)
{
    (void)folder, (void)mode, (void)fd;
    return ENOTSUP;
}

int unnamed_file_link(int fd, const char *name)
{
    (void)fd, (void)name;
    return ENOTSUP;
}

#endif
