/* histogram: how far rows are on the right side, and what the loss makes of it. */
#ifndef REPORT_HISTOGRAM_H
#define REPORT_HISTOGRAM_H

#include "base/text.h"
#include "temper.h"

/* The figure, whose values have been checked; memory that ended is noted in the text. */
void histogram_draw(struct text *out, const temper_margin_figure *figure);

#endif
