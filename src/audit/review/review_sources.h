/* review_sources: the rows of an audit, and the rows that a tuning asks about, as sections of pages. */
#ifndef AUDIT_REVIEW_SOURCES_H
#define AUDIT_REVIEW_SOURCES_H

#include "base/text.h"
#include "model/model.h"
#include "temper_extra.h"

/* The first `count` suspects of an audit, at most REVIEW_ITEMS. `train` are the options of its fits, by which one model
 * is fitted to all rows to explain the labels. */
temper_status review_audit(const struct dataset *data, const temper_audit_report *report, size_t count,
                           const temper_train_options *train, struct text *out, temper_error *error);
/* The rows of report->ask, explained by the model; `output` is the name of the file to export. */
temper_status review_ask(const struct dataset *data, const struct model *model, const temper_tune_report *report,
                         const char *output, struct text *out, temper_error *error);

#endif
