/* api: auditing. */
#include "audit/audit.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "report/audit_report.h"
#include "temper.h"

temper_audit_options temper_audit_defaults(void)
{
    temper_audit_options options = {.folds = 5, .choose = 1, .train = temper_train_defaults()};
    options.train.tolerance = (double)NAN; /* what a ranking needs */
    return options;
}

temper_status temper_audit(const temper_data *data, const temper_audit_options *options, double *scores,
                           temper_audit_report *report, temper_error *error)
{
    const temper_audit_options defaults = temper_audit_defaults();
    temper_audit_report made;
    temper_status status = audit((const struct dataset *)data, options ? options : &defaults, &made, error);
    if (status != TEMPER_OK)
        return status;
    for (unsigned long long i = 0; scores && i < made.rows; i++)
        scores[made.suspects[i].row] = made.suspects[i].score;
    if (report)
        *report = made;
    else
        temper_audit_report_free(&made);
    return TEMPER_OK;
}

void temper_audit_report_free(temper_audit_report *report)
{
    if (!report)
        return;
    mem_free(report->suspects);
    mem_free(report->transition);
    report->suspects = NULL;
    report->transition = NULL;
    report->rows = 0;
}

double temper_audit_precision(const temper_audit_report *report, unsigned long long count)
{
    double sum = 0;
    if (report->by_row || count == 0 || count > report->rows)
        return (double)NAN;
    for (unsigned long long i = 0; i < count; i++)
        sum += report->suspects[i].score;
    return sum / (double)count;
}

void temper_audit_precision_range(const temper_audit_report *report, unsigned long long count, double *low,
                                  double *high)
{
    double sum[2] = {0};
    bool known = !report->by_row && count > 0 && count <= report->rows;
    for (unsigned long long i = 0; known && i < count; i++) {
        sum[0] += report->suspects[i].low;
        sum[1] += report->suspects[i].high;
    }
    *low = known ? sum[0] / (double)count : (double)NAN;
    *high = known ? sum[1] / (double)count : (double)NAN;
}

temper_status temper_audit_fix(const temper_data *data, const temper_audit_report *report, unsigned long long count,
                               const char *how, temper_data **fixed, temper_error *error)
{
    struct dataset *made = NULL;
    temper_status status = audit_fix((const struct dataset *)data, report, (size_t)count, how, &made, error);
    if (status == TEMPER_OK)
        *fixed = (temper_data *)made;
    return status;
}

temper_status temper_audit_fix_check(const temper_audit_fix_file *fixing, temper_error *error)
{
    return audit_fix_check(fixing, error);
}

temper_status temper_audit_fix_write(const temper_data *data, const temper_audit_report *report,
                                     unsigned long long count, temper_audit_fix_file *fixing, temper_error *error)
{
    temper_audit_fix_file made = *fixing;
    temper_status status = audit_fix_write((const struct dataset *)data, report, (size_t)count, &made, error);
    if (status == TEMPER_OK)
        *fixing = made;
    return status;
}

/* The features as the user's file has them; pictures only if they are bytes. */
temper_status temper_audit_report_to_html(const temper_data *data, const temper_audit_report *report,
                                          unsigned long long count, char **html, size_t *length, temper_error *error)
{
    const struct dataset *set = (const struct dataset *)data;
    struct audit_page page = {.report = report,
                              .count = (size_t)(count < report->rows ? count : report->rows),
                              .source = set->file.path,
                              .dropped = set->file.missing_dropped,
                              .class_names = (const char *const *)set->classes.name};
    struct text out = {0};
    if (report->rows != set->x.rows)
        return error_set(error, TEMPER_USAGE, "this audit is of %llu rows, and the data has %llu; audit it again",
                         report->rows, (unsigned long long)set->x.rows);
    if (set->x.kind == MATRIX_U8 && set->file.image_shape[2]) {
        memcpy(page.picture, set->file.image_shape, sizeof page.picture);
        page.pixels = set->x.dense;
    }
    audit_page_write(&out, &page);
    if (out.failed) {
        text_free(&out);
        return error_no_memory(error);
    }
    *html = out.bytes;
    *length = out.length;
    return TEMPER_OK;
}
