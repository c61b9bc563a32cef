/* name_list: parses "A,B,..." and "A=1,B=2,..." of the command line.
 *
 * Blanks around an item are ignored. Names that contain a comma or an equals sign are put in double quotes, as in CSV:
 * "Paris, Texas",Rome. */
#ifndef DATA_NAME_LIST_H
#define DATA_NAME_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct list_item {
    const char *name;
    const char *value; /* after the last equals sign outside quotes; NULL for plain lists */
};

struct list {
    struct list_item *item;
    size_t count;
    char *text; /* storage of the names and values */
};

/* `option` is for the message: "--classes". Nothing is left to free on failure. */
temper_status list_read(const char *option, const char *text, bool pairs, struct list *out, temper_error *error);
void list_free(struct list *list);

#endif
