/* class_names: classes as the user names them on the command line, and as messages list them. */
#ifndef DATA_CLASS_NAMES_H
#define DATA_CLASS_NAMES_H

#include "base/path.h"
#include "data/dataset.h"

/* The file of a dataset as messages show it, or "data" if it has none. */
const char *source_shown(const struct dataset *data, char out[PATH_SHOWN]);

struct class_names_text {
    char text[128];
};

/* "setosa, versicolor, virginica", or the first ones and "and 12 more". */
struct class_names_text class_names_text(const struct classes *classes);

/* The number of a class of the data; an unknown one is refused with those that exist. `option` is
 * for the message: "--classes". */
temper_status class_named(const struct dataset *data, const char *option, const char *name, uint32_t *number,
                          temper_error *error);

/* The same names in the same order, and spellings as they come. */
temper_status classes_copy(const struct classes *from, struct classes *to, temper_error *error);

/* Labels get the numbers of these classes, which become those of the data. TEMPER_BAD_DATA without
 * words, and the data as it was, where a row has another class; *row is the first such. */
temper_status classes_adopt(struct dataset *data, const struct classes *classes, uint64_t *row, temper_error *error);

#endif
