/* classes: labels are any strings; here they become 0, 1, 2...
 *
 * Labels that are numbers compare as numbers: +1, 1 and 1.0 are one class, named by its shortest
 * decimal. Once all rows are read, the classes are put in order: ascending if all are numbers, else
 * in order of first appearance. */
#ifndef DATA_CLASSES_H
#define DATA_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { MOST_CLASSES = 65536 };

/* Answers that are no class. */
#define CLASSES_NONE      UINT32_MAX       /* of classes_find */
#define CLASSES_NO_MEMORY UINT32_MAX       /* of classes_add */
#define CLASSES_FULL      (UINT32_MAX - 1) /* of classes_add */

struct classes {
    char **name; /* count of them */
    size_t count;
    struct class_index *index; /* a hash table; internal */
};

/* Start from {0}. The class of a label, added if it is new; CLASSES_NO_MEMORY, or CLASSES_FULL if
 * it would be one too many. */
uint32_t classes_add(struct classes *classes, const char *label, size_t length);
/* The class of a label, or CLASSES_NONE. */
uint32_t classes_find(const struct classes *classes, const char *label, size_t length);
/* Puts them in their final order; new_number[old] is where each went (count entries). */
temper_status classes_sort(struct classes *classes, uint32_t *new_number, temper_error *error);
void classes_free(struct classes *classes);

#endif
