/* confusion: which classes are taken for which. */
#ifndef REPORT_CONFUSION_H
#define REPORT_CONFUSION_H

#include <stddef.h>

#include "base/text.h"

/* More cells could not be seen. */
enum { CONFUSION_CLASSES = 40 };

struct confusion {
    const double *sums; /* [given][predicted] */
    const char *const *names;
    size_t classes; /* at most CONFUSION_CLASSES for the picture */
};

/* A heat map; shades are shares of the given class. */
void confusion_draw(struct text *out, const struct confusion *confusion);

#endif
