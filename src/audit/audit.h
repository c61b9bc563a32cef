/* audit: finds labels that look wrong, and fixes them. */
#ifndef AUDIT_AUDIT_H
#define AUDIT_AUDIT_H

#include "data/dataset.h"
#include "temper_extra.h"

/* The public calls (temper.h: temper_audit, temper_audit_fix) in internal types. */
temper_status audit(const struct dataset *data, const temper_audit_options *options, temper_audit_report *report,
                    temper_error *error);
/* What an audit adds up for a model, where the report counts rows: rows of positive weight, and the weights of the
 * rows, as the fits see them. */
struct audited_weights {
    double rows, wrong; /* of positive weight, and how many of their labels are expected to be wrong */
    double *joint;      /* weights [true * classes + given], expected; NULL with many classes. Freed by the caller */
};
/* The same, and the weights. *weights is untouched on failure. */
temper_status audit_weighted(const struct dataset *data, const temper_audit_options *options,
                             struct audited_weights *weights, temper_audit_report *report, temper_error *error);
/* Refuses what audit() would refuse before its first fit. */
temper_status audit_check(const struct dataset *data, const temper_audit_options *options, temper_error *error);
temper_status audit_fix(const struct dataset *data, const temper_audit_report *report, size_t count, const char *how,
                        struct dataset **out, temper_error *error);
/* temper_audit_fix_check, temper_audit_fix_write. */
temper_status audit_fix_check(const temper_audit_fix_file *file, temper_error *error);
temper_status audit_fix_write(const struct dataset *data, const temper_audit_report *report, size_t count,
                              temper_audit_fix_file *file, temper_error *error);
/* temper_audit_apply. */
temper_status audit_apply(const struct dataset *data, const char *path, temper_audit_fix_file *file,
                          temper_corrections *summary, temper_error *error);

#endif
