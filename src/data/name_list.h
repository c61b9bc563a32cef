/* list: "A,B,..." and "A=1,B=2,..." as they are written on the command line.
 *
 * Blanks around an item do not count. What holds a comma or an equals sign itself is put in double
 * quotes, as in CSV: "Paris, Texas",Rome. */
#ifndef DATA_NAME_LIST_H
#define DATA_NAME_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct list_item {
    const char *name;
    const char *value; /* behind the last equals sign outside quotes; NULL for plain lists */
};

struct list {
    struct list_item *item;
    size_t count;
    char *text; /* in which names and values lie */
};

/* `option` is for the message: "--classes". Nothing is left to free on failure. */
temper_status list_read(const char *option, const char *text, bool pairs, struct list *out, temper_error *error);
void list_free(struct list *list);

#endif
