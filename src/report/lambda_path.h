/* lambda_path: weights as the penalty becomes weaker, with the accuracy below. */
#ifndef REPORT_LAMBDA_PATH_H
#define REPORT_LAMBDA_PATH_H

#include "base/text.h"
#include "temper.h"

/* The figure, whose values have been checked; memory that ended is noted in the text. */
void lambda_path_draw(struct text *out, const temper_path_figure *figure);

#endif
