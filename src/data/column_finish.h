/* column_finish: from the sums of all rows to means and variances. */
#ifndef DATA_COLUMN_FINISH_H
#define DATA_COLUMN_FINISH_H

#include "data/column_rows.h"

/* Least and greatest values, and means. */
void column_finish_first(const struct summing *summing, struct column_stats *out);
/* Variances, by sums around the means; */
void column_finish_second(const struct summing *summing, struct column_stats *out);
/* or of bytes, whose sums of the first pass are enough. */
void column_finish_bytes(const struct summing *summing, struct column_stats *out);

#endif
