/* noise_rows: the choice of the rows that become noisy. */
#ifndef DATA_NOISE_ROWS_H
#define DATA_NOISE_ROWS_H

#include "data/noise/noise.h"

/* round(rate * rows); TEMPER_USAGE for a rate outside [0, 1]. */
temper_status noise_count(const struct dataset *data, double rate, size_t *count, temper_error *error);
/* Refuses data that has no labels, or fewer than two classes. */
temper_status noise_check_classes(const struct dataset *data, temper_error *error);
/* The refusal where only some rows can change, and these are too few. */
temper_status noise_too_few(const struct dataset *data, size_t count, size_t eligible, const char *which,
                            temper_error *error);

/* Fills the rows of `count` changes and their labels: the first ones of a random order among the
 * rows of classes with may_change[class]; NULL: of all. Ascending. */
temper_status noise_choose(const struct dataset *data, size_t count, uint64_t seed, const bool *may_change,
                           struct noise *out, temper_error *error);
/* The changes of the rows that are marked, which are `count`. */
temper_status noise_start(const struct dataset *data, const bool *marked, size_t count, struct noise *out,
                          temper_error *error);

#endif
