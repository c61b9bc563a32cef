/* spill: arrays that lie in temporary files instead of memory.
 *
 * For what is too large for the memory that a user allows, and is gone through in order. The files
 * have no names: they are gone when the process is, however it ends. They are in $TMPDIR, or in
 * /var/tmp: /tmp may be memory itself. Space on the disk is reserved before an array has it, so
 * that a full disk is a failure of disk_array_resize and not the end of the process. */
#ifndef BASE_DISK_ARRAY_H
#define BASE_DISK_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct disk_array;

/* NULL: no memory. */
struct disk_array *disk_array_new(void);
/* With all its arrays. */
void disk_array_free(struct disk_array *spill);

/* Like mem_resize, NULL being a new one. NULL, and the old array as it was, where it fails;
 * disk_array_failure then tells why. */
void *disk_array_resize(struct disk_array *spill, void *old, size_t count, size_t size);
bool disk_array_has_failed(const struct disk_array *spill);
/* Out of memory, or "no space left in /var/tmp; ...". */
temper_status disk_array_failure(const struct disk_array *spill, temper_error *error);
bool disk_array_has(const struct disk_array *spill, const void *array);
/* Takes all arrays out of memory; what they hold stays, and comes back when it is touched. */
void disk_array_drop(const struct disk_array *spill);

/* Someone who goes through the arrays in order has used so many bytes of them: what was used goes
 * out of memory now and then. Does nothing without a spill. */
void disk_array_used(struct disk_array *spill, size_t bytes);

/* One of the two: in memory if there is no spill. An array that is freed alone frees its file. */
void *array_resize(struct disk_array *spill, void *array, size_t count, size_t size);
void array_free(struct disk_array *spill, void *array);

#endif
