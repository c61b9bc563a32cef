/* boundary: rows of two features, and the lines along which models part them. */
#ifndef REPORT_BOUNDARY_H
#define REPORT_BOUNDARY_H

#include "base/text.h"
#include "temper.h"

/* More could not be told apart. */
enum { BOUNDARY_LINES = 6 };

/* The figure, whose values have been checked; memory that ended is noted in the text. */
void boundary_draw(struct text *out, const temper_boundary_figure *figure);

#endif
