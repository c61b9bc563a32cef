/* disk_array: arrays in temporary files that are mapped into memory.
 *
 * For data that exceeds the memory limit of the user and is read sequentially. The files have no names,
 * so the system removes them when the process ends, in any way. They are in $TMPDIR or /var/tmp, as
 * /tmp may be in memory. Disk space is reserved in advance, so that a full disk is a failure of
 * disk_array_resize and not a SIGBUS. */
#ifndef BASE_DISK_ARRAY_H
#define BASE_DISK_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/status.h"

/* A set of such arrays. */
struct disk_array;

/* NULL without memory. */
struct disk_array *disk_array_new(void);
/* Frees all its arrays too. */
void disk_array_free(struct disk_array *disk);

/* As mem_resize; `old` NULL makes a new array. NULL on failure, and the old array is unchanged;
 * disk_array_failure then has the cause. */
void *disk_array_resize(struct disk_array *disk, void *old, size_t count, size_t size);
bool disk_array_has_failed(const struct disk_array *disk);
/* Out of memory, also where nothing has failed here, or "no space left in /var/tmp; ...". */
temper_status disk_array_failure(const struct disk_array *disk, temper_error *error);
bool disk_array_has(const struct disk_array *disk, const void *array);
/* Removes all arrays from memory; their contents stay on disk, and are paged in on access. */
void disk_array_drop(const struct disk_array *disk);

/* Called by a sequential reader after it has used `bytes` more bytes: every few MiB the arrays are removed
 * from memory. Does nothing for NULL. */
void disk_array_count_used(struct disk_array *disk, size_t bytes);
static inline void disk_array_used(struct disk_array *disk, size_t bytes)
{
    if (disk)
        disk_array_count_used(disk, bytes);
}

/* The same for either kind of array: in memory if `disk` is NULL. Freeing an array frees its file. */
static inline void *array_resize(struct disk_array *disk, void *array, size_t count, size_t size)
{
    return disk ? disk_array_resize(disk, array, count, size) : mem_resize(array, count, size);
}

void disk_array_free_array(struct disk_array *disk, void *array);
static inline void array_free(struct disk_array *disk, void *array)
{
    if (disk)
        disk_array_free_array(disk, array);
    else
        mem_free(array);
}

#endif
