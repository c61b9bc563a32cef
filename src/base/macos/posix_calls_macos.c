/* posix_calls_macos: posix_fallocate by fcntl. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* First contiguous space, then any. */
static int reserve(int fd, off_t length)
{
    fstore_t space = {
        .fst_flags = F_ALLOCATECONTIG | F_ALLOCATEALL, .fst_posmode = F_PEOFPOSMODE, .fst_length = length};
    if (fcntl(fd, F_PREALLOCATE, &space) == 0)
        return 0;
    space.fst_flags = F_ALLOCATEALL;
    return fcntl(fd, F_PREALLOCATE, &space) == 0 ? 0 : errno;
}

/* Space is reserved behind the present end of the file. Where the file system cannot reserve (ENOTSUP), the file is
 * lengthened all the same. */
int posix_fallocate(int fd, off_t from, off_t length)
{
    off_t now = lseek(fd, 0, SEEK_END), end = from + length;
    if (now < 0)
        return errno;
    if (end <= now)
        return 0;
    int failure = reserve(fd, end - now);
    if (failure && failure != ENOTSUP)
        return failure;
    return ftruncate(fd, end) == 0 ? 0 : errno;
}
