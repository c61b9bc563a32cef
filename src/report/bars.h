/* bars: a few values side by side, with their names and figures. */
#ifndef REPORT_BARS_H
#define REPORT_BARS_H

#include "base/text.h"
#include "temper.h"

enum { BARS_GROUPS = 64, BARS_SERIES = 6 };

/* The figure, whose values have been checked; memory that ended is noted in the text. */
void bars_draw(struct text *out, const temper_bar_figure *figure);

#endif
