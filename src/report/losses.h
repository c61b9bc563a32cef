/* losses: Figure 1 of the paper for any temperatures. */
#ifndef REPORT_LOSSES_H
#define REPORT_LOSSES_H

#include "base/text.h"
#include "temper.h"

/* Appends the figure, whose values have been checked, as SVG; memory that ended is noted in the
 * text. The panels are a row, in the order of figure->panels. */
void losses_draw(struct text *out, const temper_loss_figure *figure);

/* The method and the parameters that it does not fix: "tempered, t1 = 0.6, t2 = 1.6". */
void append_loss(struct text *out, temper_loss_spec loss);

#endif
