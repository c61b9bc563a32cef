/* confusion: which classes are taken for which. */
#ifndef REPORT_CONFUSION_H
#define REPORT_CONFUSION_H

#include <stddef.h>

#include "base/text.h"

/* More cells could not be seen. */
enum { CONFUSION_CLASSES = 40 };

struct confusion {
    const double *sums; /* [row][column]: [given][predicted] */
    const char *const *names;
    size_t classes; /* at most CONFUSION_CLASSES for the picture */
    /* Words of the picture; NULL: "Given and predicted classes", "given", "predicted". */
    const char *title, *row_word, *column_word;
};

/* A heat map; shades are shares of the row. */
void confusion_draw(struct text *out, const struct confusion *confusion);

#endif
