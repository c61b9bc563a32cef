/* heat: a table of numbers as a map: the darker, the larger. */
#ifndef REPORT_HEAT_H
#define REPORT_HEAT_H

#include "base/text.h"
#include "temper.h"

/* More cells could not be seen. */
enum { HEAT_CELLS = 128 };

/* All texts are there, and some value is a number. */
void heat_draw(struct text *out, const temper_heatmap_figure *figure);

#endif
