/* disk_array: unlinked temporary files, mapped into memory.
 *
 * An array is a descriptor, a mapping and its length, in one of a few slots. Growing reserves disk space, extends the
 * file and maps it again; the old mapping is removed when the new one exists, so that a failure leaves the array as it
 * was. Pages that were written are dropped from the process from time to time: they stay in the page cache and the
 * file, and the resident memory of the process stays small. */
#define _DEFAULT_SOURCE
#include "base/disk_array.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/path.h"

/* A dataset has a handful of arrays (features, row starts, columns, labels, weights). USED_MOST: bytes that a
 * sequential reader touches between two removals, small beside any memory limit and large beside the cost of
 * madvise. */
enum { MOST_ARRAYS = 8, USED_MOST = 4 * 1024 * 1024 };

/* One file and its mapping. */
struct mapped_array {
    void *address; /* NULL: no array */
    size_t length; /* bytes of the mapping, and of the file at least */
    int fd;
};

/* All arrays of one dataset, and the first cause of a failure. */
struct disk_array {
    struct mapped_array array[MOST_ARRAYS];
    size_t used;        /* bytes since the arrays were last removed from memory */
    const char *failed; /* what could not be done; NULL: out of memory */
    int reason;         /* an errno */
};

struct disk_array *disk_array_new(void)
{
    return mem_zeroed(1, sizeof(struct disk_array));
}

/* The file has no name any more, so that closing its descriptor frees the disk space. */
static void release(struct mapped_array *array)
{
    assert(array);
    if (!array->address)
        return;
    munmap(array->address, array->length);
    close(array->fd);
    *array = (struct mapped_array){0};
}

void disk_array_free(struct disk_array *disk)
{
    for (size_t i = 0; disk && i < MOST_ARRAYS; i++)
        release(&disk->array[i]);
    mem_free(disk);
}

/* The array at this address; of NULL an unused slot. NULL if there is none. */
static struct mapped_array *find(const struct disk_array *disk, const void *address)
{
    for (size_t i = 0; disk && i < MOST_ARRAYS; i++)
        if (disk->array[i].address == address)
            return (struct mapped_array *)&disk->array[i];
    return NULL;
}

bool disk_array_has(const struct disk_array *disk, const void *array)
{
    return array && find(disk, array);
}

/* MADV_DONTNEED on a shared mapping removes pages from the process only; dirty ones remain in the page cache, from
 * which the system writes them to the file. */
void disk_array_drop(const struct disk_array *disk)
{
    for (size_t i = 0; i < MOST_ARRAYS; i++)
        if (disk->array[i].address)
            (void)madvise(disk->array[i].address, disk->array[i].length, MADV_DONTNEED);
}

/* Without this the resident memory of the process would grow to the size of the arrays, as the system reclaims
 * pages only when memory becomes scarce. */
void disk_array_count_used(struct disk_array *disk, size_t bytes)
{
    disk->used += bytes;
    if (disk->used < USED_MOST)
        return;
    disk->used = 0;
    disk_array_drop(disk);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Not /tmp: where that is a tmpfs, its files would use the very memory that is to be saved. */
static const char *folder(void)
{
    const char *given = getenv("TMPDIR");
#ifdef _WIN32
    given = given && *given ? given : getenv("TEMP"); /* which every user has there */
#endif
    return given && *given ? given : "/var/tmp";
}

/* Opens a temporary file and removes its name; -1 and errno on failure. */
static int open_file(void)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/temper-XXXXXX", folder());
    if (length < 0 || (size_t)length >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkstemp(path);
    if (fd >= 0) {
        /* from here on the file exists as long as the descriptor is open, also after a crash */
        unlink(path);
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    return fd;
}

/* Keeps the cause for disk_array_failure. */
static bool fails(struct disk_array *disk, const char *what, int reason)
{
    assert(disk);
    disk->failed = what;
    disk->reason = reason;
    return false;
}

/* Reserves disk space, then maps the longer file: the old mapping remains until the new one exists. */
static bool grow(struct disk_array *disk, struct mapped_array *array, size_t bytes)
{
    int reason;
    do
        /* returns the cause, and does not set errno */
        reason = posix_fallocate(array->fd, 0, (off_t)bytes);
    while (reason == EINTR);
    if (reason) {
        if (ftruncate(array->fd, (off_t)array->length) != 0) /* frees what was reserved */
            return fails(disk, NULL, errno);
        return fails(disk, "there is no space", reason);
    }
    /* shared, so that pages can be written to the file and dropped from memory */
    void *address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, array->fd, 0);
    if (address == MAP_FAILED)
        return fails(disk, NULL, errno);
    if (array->address)
        munmap(array->address, array->length);
    array->address = address;
    array->length = bytes;
    return true;
}

/* A new array in an unused slot. */
static void *add(struct disk_array *disk, size_t bytes)
{
    /* the slot is filled only after all steps have succeeded */
    struct mapped_array *array = find(disk, NULL), made = {.fd = -1};
    if (!array) {
        fails(disk, NULL, ENOMEM);
        return NULL;
    }
    made.fd = open_file();
    if (made.fd < 0) {
        fails(disk, "no temporary file can be made", errno);
        return NULL;
    }
    if (!grow(disk, &made, bytes)) {
        close(made.fd);
        return NULL;
    }
    *array = made;
    return array->address;
}

/* An array that is unknown here, or long enough already, is returned unchanged. Growing maps the file at another
 * address, so pointers into the old array become invalid, as with realloc. */
void *disk_array_resize(struct disk_array *disk, void *old, size_t count, size_t size)
{
    size_t bytes;
    if (!mul_size(count, size, &bytes) || bytes > (size_t)INT64_MAX) {
        fails(disk, NULL, ENOMEM);
        return NULL;
    }
    /* mmap refuses a length of 0 */
    bytes = bytes ? bytes : 1;
    if (!old)
        return add(disk, bytes);
    struct mapped_array *array = find(disk, old);
    if (!array || bytes <= array->length) /* files never shrink */
        return old;
    return grow(disk, array, bytes) ? array->address : NULL;
}

bool disk_array_has_failed(const struct disk_array *disk)
{
    return disk->reason != 0;
}

/* The place is named because its free space is what the user can change. */
temper_status disk_array_failure(const struct disk_array *disk, temper_error *error)
{
    char place[PATH_SHOWN];
    if (!disk->failed)
        return error_no_memory(error);
    return error_set(error, TEMPER_IO,
                     "%s: %s for the part of the data that --memory leaves no room for (%s); free "
                     "some, or set TMPDIR to another folder",
                     path_shown(folder(), place), disk->failed, strerror(disk->reason));
}

/* Also frees arrays in memory, as a dataset may have both kinds. */
void disk_array_free_array(struct disk_array *disk, void *array)
{
    if (!disk_array_has(disk, array))
        mem_free(array);
    else
        release(find(disk, array));
}
