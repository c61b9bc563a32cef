/* functions: the panels of log_t and exp_t. */
#ifndef REPORT_FUNCTIONS_H
#define REPORT_FUNCTIONS_H

#include "report/panel.h"
#include "temper.h"

/* Enough to tell 1 from 1 + 1e-8; trailing zeros are not shown. */
enum { PARAMETER_DIGITS = 9 };

/* Both fill an empty panel with one curve for each temperature of the figure. */
void functions_log(struct panel *panel, const temper_loss_figure *figure);
void functions_exp(struct panel *panel, const temper_loss_figure *figure);

#endif
