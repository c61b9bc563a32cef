/* classes: maps labels, which are arbitrary strings, to class numbers 0, 1, 2...
 *
 * Labels that are numbers compare as numbers: +1, 1 and 1.0 are one class, named by its shortest decimal. Once all rows
 * are read, the classes are sorted: ascending if all are numbers, else in order of first appearance. */
#ifndef DATA_CLASSES_H
#define DATA_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/path.h"
#include "base/status.h"

struct dataset; /* data/dataset.h */

enum { MOST_CLASSES = 65536 };

/* Results that are no class. */
#define CLASSES_NONE      UINT32_MAX       /* of classes_find */
#define CLASSES_NO_MEMORY UINT32_MAX       /* of classes_add */
#define CLASSES_FULL      (UINT32_MAX - 1) /* of classes_add */

struct classes {
    char **name; /* count of them */
    size_t count;
    struct class_index *index; /* a hash table; internal */
};

/* Initialise with {0}. The class of a label, added if it is new; CLASSES_NO_MEMORY, or CLASSES_FULL if there are
 * MOST_CLASSES already. */
uint32_t classes_add(struct classes *classes, const char *label, size_t length);
/* Classes of numbers that were added lately; initialise with {0}. 16 KiB: too much for a stack. */
enum { NUMBER_CLASSES = 1024 };
struct number_classes {
    struct {
        uint64_t bits;     /* of the number */
        uint32_t class_up; /* its class, plus 1; 0: none */
    } entry[NUMBER_CLASSES];
};
/* Where a number is stored: multiplicative hashing of its bits. Two numbers of one place replace each other. */
static inline size_t number_classes_place(uint64_t bits)
{
    return (size_t)((bits * 0x9e3779b97f4a7c15u) >> 54);
}
/* The same of a number, whose name is its shortest decimal. Numbers of `seen` are not written as text again. */
uint32_t classes_add_number(struct classes *classes, struct number_classes *seen, double value);
/* The class of a number, if `seen` has it; else CLASSES_NONE. */
static inline uint32_t classes_seen_number(const struct number_classes *seen, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    size_t place = number_classes_place(bits);
    bool known = seen->entry[place].bits == bits && seen->entry[place].class_up > 0;
    return known ? seen->entry[place].class_up - 1 : CLASSES_NONE;
}
/* The class of a label, or CLASSES_NONE. */
uint32_t classes_find(const struct classes *classes, const char *label, size_t length);
/* Sorts the classes; new_number[old] receives the new number of each. */
temper_status classes_sort(struct classes *classes, uint32_t *new_number, temper_error *error);
/* Whether all are numbers, and so in ascending order once they are sorted. */
bool classes_are_numbers(const struct classes *classes);
void classes_free(struct classes *classes);

/* The path of a dataset as messages show it, or "data" if it has none. */
const char *source_shown(const struct dataset *data, char out[PATH_SHOWN]);

struct class_names_text {
    char text[128];
};

/* "setosa, versicolor, virginica", or the first ones and "and 12 more". */
struct class_names_text class_names_text(const struct classes *classes);

/* The number of a class of the data; the message about an unknown one lists those that exist. `option` is for the
 * message: "--classes". */
temper_status class_named(const struct dataset *data, const char *option, const char *name, uint32_t *number,
                          temper_error *error);

/* A copy with the same names in the same order; other spellings are not copied. */
temper_status classes_copy(const struct classes *from, struct classes *to, temper_error *error);

/* Replaces the classes of the data by these and renumbers the labels. TEMPER_BAD_DATA without a message, and the data
 * unchanged, if a row has another class; *row is the first such row. */
temper_status classes_adopt(struct dataset *data, const struct classes *classes, uint64_t *row, temper_error *error);

#endif
