/* spill: files without names, mapped. */
#define _DEFAULT_SOURCE
#include "base/disk_array.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/path.h"

enum { MOST_ARRAYS = 8, USED_MOST = 4 * 1024 * 1024 };

struct array {
    void *address; /* NULL: no array */
    size_t length; /* bytes of the mapping, and of the file at least */
    int file;
};

struct disk_array {
    struct array array[MOST_ARRAYS];
    size_t used;        /* since arrays were dropped */
    const char *failed; /* what could not be done, NULL: memory ran out */
    int reason;         /* an errno */
};

struct disk_array *disk_array_new(void)
{
    return mem_zeroed(1, sizeof(struct disk_array));
}

static void release(struct array *array)
{
    if (!array->address)
        return;
    munmap(array->address, array->length);
    close(array->file);
    *array = (struct array){0};
}

void disk_array_free(struct disk_array *spill)
{
    for (size_t i = 0; spill && i < MOST_ARRAYS; i++)
        release(&spill->array[i]);
    mem_free(spill);
}

static struct array *find(const struct disk_array *spill, const void *address)
{
    for (size_t i = 0; spill && i < MOST_ARRAYS; i++)
        if (spill->array[i].address == address)
            return (struct array *)&spill->array[i];
    return NULL;
}

bool disk_array_has(const struct disk_array *spill, const void *array)
{
    return array && find(spill, array);
}

void disk_array_drop(const struct disk_array *spill)
{
    for (size_t i = 0; i < MOST_ARRAYS; i++)
        if (spill->array[i].address)
            (void)madvise(spill->array[i].address, spill->array[i].length, MADV_DONTNEED);
}

void disk_array_used(struct disk_array *spill, size_t bytes)
{
    if (!spill)
        return;
    spill->used += bytes;
    if (spill->used < USED_MOST)
        return;
    spill->used = 0;
    disk_array_drop(spill);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static const char *folder(void)
{
    const char *told = getenv("TMPDIR");
    return told && *told ? told : "/var/tmp";
}

/* Opened, and then without a name. */
static int open_file(void)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/temper-XXXXXX", folder());
    if (length < 0 || (size_t)length >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int file = mkstemp(path);
    if (file >= 0) {
        unlink(path);
        (void)fcntl(file, F_SETFD, FD_CLOEXEC);
    }
    return file;
}

static bool fails(struct disk_array *spill, const char *what, int reason)
{
    spill->failed = what;
    spill->reason = reason;
    return false;
}

/* The disk's space first, then addresses for it: the old mapping stays until the new one is there.
 */
static bool grow(struct disk_array *spill, struct array *array, size_t bytes)
{
    int reason;
    do
        reason = posix_fallocate(array->file, 0, (off_t)bytes);
    while (reason == EINTR);
    if (reason) {
        if (ftruncate(array->file, (off_t)array->length) != 0) /* what it has taken of the disk */
            return fails(spill, NULL, errno);
        return fails(spill, "there is no space", reason);
    }
    void *address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, array->file, 0);
    if (address == MAP_FAILED)
        return fails(spill, NULL, errno);
    if (array->address)
        munmap(array->address, array->length);
    array->address = address;
    array->length = bytes;
    return true;
}

static void *add(struct disk_array *spill, size_t bytes)
{
    struct array *array = find(spill, NULL), made = {.file = -1};
    if (!array) {
        fails(spill, NULL, ENOMEM);
        return NULL;
    }
    made.file = open_file();
    if (made.file < 0) {
        fails(spill, "no temporary file can be made", errno);
        return NULL;
    }
    if (!grow(spill, &made, bytes)) {
        close(made.file);
        return NULL;
    }
    *array = made;
    return array->address;
}

void *disk_array_resize(struct disk_array *spill, void *old, size_t count, size_t size)
{
    size_t bytes;
    if (!mul_size(count, size, &bytes) || bytes > (size_t)INT64_MAX) {
        fails(spill, NULL, ENOMEM);
        return NULL;
    }
    bytes = bytes ? bytes : 1;
    if (!old)
        return add(spill, bytes);
    struct array *array = find(spill, old);
    if (!array || bytes <= array->length) /* smaller: the file is gone soon enough */
        return old;
    return grow(spill, array, bytes) ? array->address : NULL;
}

bool disk_array_has_failed(const struct disk_array *spill)
{
    return spill->reason != 0;
}

temper_status disk_array_failure(const struct disk_array *spill, temper_error *error)
{
    char place[PATH_SHOWN];
    if (!spill->failed)
        return error_no_memory(error);
    return error_set(error, TEMPER_IO,
                     "%s: %s for the part of the data that --memory leaves no room for (%s); free "
                     "some, or set TMPDIR to another folder",
                     path_shown(folder(), place), spill->failed, strerror(spill->reason));
}

void *array_resize(struct disk_array *spill, void *array, size_t count, size_t size)
{
    return spill ? disk_array_resize(spill, array, count, size) : mem_resize(array, count, size);
}

void array_free(struct disk_array *spill, void *array)
{
    if (!disk_array_has(spill, array))
        mem_free(array);
    else
        release(find(spill, array));
}
