/* summary: figures about a dataset: classes, ranges, constant and duplicate columns. */
#ifndef DATA_SUMMARY_H
#define DATA_SUMMARY_H

#include "data/dataset.h"
#include "temper_extra.h"

/* Freed by summary_free; *out is untouched on failure. */
temper_status dataset_summary(const struct dataset *data, size_t threads, temper_data_summary *out,
                              temper_error *error);
void summary_free(temper_data_summary *summary);

#endif
