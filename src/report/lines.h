/* lines: a few series of points with their error bars, such as accuracy against noise. */
#ifndef REPORT_LINES_H
#define REPORT_LINES_H

#include "base/text.h"
#include "temper.h"

/* More could not be told apart. */
enum { LINES_SERIES = 8 };

/* The figure, whose values have been checked; memory that ended is noted in the text. */
void lines_draw(struct text *out, const temper_line_figure *figure);

#endif
