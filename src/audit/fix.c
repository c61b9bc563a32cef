/* fix: the data with the suspects dropped, relabelled or given smaller weights; and the same as a file, which is an
 * edited copy of the user's text where there is one. */
#include <stdio.h>
#include <string.h>

#include "audit/audit.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/read/format.h"
#include "data/subset.h"
#include "data/write/text_edit.h"
#include "data/write/write.h"
#include "temper_extra.h"

_Static_assert(sizeof((temper_audit_fix_file){0}.weights) == TEXT_COLUMN, "one length of names");

/* ---- Edits ----------------------------------------------------------------------------------- */

enum fix_method { FIX_DROP, FIX_RELABEL, FIX_WEIGHT, FIX_METHODS };
static const char *const method_names[FIX_METHODS] = {"drop", "relabel", "weight"};

/* The method of a name, or FIX_METHODS if there is none. */
static enum fix_method find_method(const char *name)
{
    size_t i = 0;
    while (i < FIX_METHODS && strcmp(name, method_names[i]) != 0)
        i++;
    return (enum fix_method)i;
}

/* The edit of every row. Only the array of the chosen method is allocated. */
struct row_edits {
    bool *dropped;
    uint32_t *label;
    double *factor; /* of the weight */
};

/* Also after a failed row_edits_new. */
static void row_edits_free(struct row_edits *edits)
{
    mem_free(edits->dropped);
    mem_free(edits->label);
    mem_free(edits->factor);
}

/* The factor of a suspect's weight: its importance under the loss, p^(t2 - t1), where that is below 1 for t1 < t2; else
 * the probability that its label is right. */
static double factor_of(const temper_audit_report *report, const temper_audit_suspect *suspect)
{
    return report->loss.t1 < report->loss.t2 ? suspect->importance : 1 - suspect->score;
}

/* Makes the edits for the first `count` suspects; the other rows stay as they are. row_edits_free is needed whatever
 * the status. */
static temper_status row_edits_new(const struct dataset *data, const temper_audit_report *report, size_t count,
                                   enum fix_method method, struct row_edits *out, temper_error *error)
{
    size_t rows = (size_t)data->x.rows;
    *out = (struct row_edits){.dropped = method == FIX_DROP ? mem_zeroed(rows, sizeof *out->dropped) : NULL,
                              .label = method == FIX_RELABEL ? mem_alloc(rows, sizeof *out->label) : NULL,
                              .factor = method == FIX_WEIGHT ? mem_alloc(rows, sizeof *out->factor) : NULL};
    if (!out->dropped && !out->label && !out->factor)
        return error_no_memory(error);
    /* Rows that are not suspects keep their label, or the factor 1. */
    for (size_t row = 0; out->label && row < rows; row++)
        out->label[row] = data->label[row];
    for (size_t row = 0; out->factor && row < rows; row++)
        out->factor[row] = 1;
    for (size_t i = 0; i < count; i++) {
        const temper_audit_suspect *suspect = &report->suspects[i];
        if (out->dropped)
            out->dropped[suspect->row] = true;
        if (out->label)
            out->label[suspect->row] = suspect->suggested;
        if (out->factor)
            out->factor[suspect->row] = factor_of(report, suspect);
    }
    return TEMPER_OK;
}

/* ---- A dataset ------------------------------------------------------------------------------- */

/* *out has copies of the rows that are not dropped, in their order. */
static temper_status keep_rows(const struct dataset *data, const bool *dropped, struct dataset **out,
                               temper_error *error)
{
    size_t rows = (size_t)data->x.rows, kept = 0;
    size_t *row = mem_alloc(rows, sizeof *row);
    if (!row)
        return error_no_memory(error);
    for (size_t i = 0; i < rows; i++)
        if (!dropped[i])
            row[kept++] = i;
    temper_status status = dataset_rows(data, row, kept, out, error);
    mem_free(row);
    return status;
}

/* *out borrows the features of `data`, which must live as long, and has edited labels or weights of its own. Factors
 * multiply weights that the data already has. */
static temper_status edit_rows(const struct dataset *data, const struct row_edits *edits, struct dataset **out,
                               temper_error *error)
{
    size_t rows = (size_t)data->x.rows;
    struct dataset *made;
    TRY(dataset_borrow(data, &made, error));
    if (edits->label)
        memcpy(made->label, edits->label, rows * sizeof *made->label);
    /* Factors need an array of weights, also for data without any. */
    if (edits->factor && !made->weight) {
        made->weight = mem_alloc(rows, sizeof *made->weight);
        if (!made->weight) {
            dataset_free(made);
            return error_no_memory(error);
        }
        for (size_t row = 0; row < rows; row++)
            made->weight[row] = 1;
    }
    for (size_t row = 0; edits->factor && row < rows; row++)
        made->weight[row] *= edits->factor[row];
    *out = made;
    return TEMPER_OK;
}

/* Refuses a report of other data, an unknown method, and weights from scores that are distances. */
static temper_status check_method(const struct dataset *data, const temper_audit_report *report, const char *how,
                                  temper_error *error)
{
    if (report->rows != data->x.rows)
        return error_set(error, TEMPER_USAGE, "this audit is of %s rows, and the data has %s; audit it again",
                         count_shown(report->rows).text, count_shown(data->x.rows).text);
    /* Before the name is looked up, since only this method depends on the temperatures. */
    if (strcmp(how, "weight") == 0 && report->by_row && report->loss.t2 <= report->loss.t1)
        return error_set(error, TEMPER_USAGE,
                         "the scores of an audit for outliers are distances, and at t1 = %g, t2 = %g the importance of "
                         "every row is 1 or more, so that there are no weights; give t1 < t2, or drop the rows",
                         report->loss.t1, report->loss.t2);
    if (find_method(how) == FIX_METHODS)
        return error_set(error, TEMPER_USAGE, "unknown method '%.64s' of fixing labels; give drop, relabel or weight",
                         how);
    return TEMPER_OK;
}

/* A count beyond the number of rows means all rows. */
temper_status audit_fix(const struct dataset *data, const temper_audit_report *report, size_t count, const char *how,
                        struct dataset **out, temper_error *error)
{
    struct row_edits edits;
    TRY(check_method(data, report, how, error));
    if (count > report->rows)
        count = (size_t)report->rows;
    temper_status status = row_edits_new(data, report, count, find_method(how), &edits, error);
    if (status == TEMPER_OK)
        status = edits.dropped ? keep_rows(data, edits.dropped, out, error) : edit_rows(data, &edits, out, error);
    row_edits_free(&edits);
    return status;
}

/* ---- A file ---------------------------------------------------------------------------------- */

/* A file for weights must have a format that can hold them. */
temper_status audit_fix_check(const temper_audit_fix_file *file, temper_error *error)
{
    return strcmp(file->how, "weight") == 0 ? dataset_write_check_weights(file->path, file->format, error)
                                            : dataset_write_check(file->path, file->format, error);
}

/* Copies the user's file line by line with the edits; file->weights receives the name of the column of weights. */
static temper_status copy_text(const struct dataset *data, const temper_audit_report *report, size_t count,
                               temper_audit_fix_file *file, temper_error *error)
{
    struct row_edits edits;
    temper_status status = row_edits_new(data, report, count, find_method(file->how), &edits, error);
    /* Pointers of the method that was not chosen are NULL, as text_copy expects. */
    const struct text_changes changes = {.dropped = edits.dropped, .label = edits.label, .factor = edits.factor};
    /* Reports that columns and comments of the original file were kept. */
    file->copied = 1;
    if (status == TEMPER_OK)
        status = text_copy(data, &changes, file->path, file->weights, error);
    row_edits_free(&edits);
    return status;
}

/* Writes the edited dataset in the format of the path. file->weights receives the name of the column of weights,
 * which the .tmpr format does not need. */
static temper_status write_dataset(const struct dataset *data, const temper_audit_report *report, size_t count,
                                   temper_audit_fix_file *file, temper_error *error)
{
    /* An explicit format takes precedence over the extension of the path. */
    const struct format *format = file->format ? format_named(file->format) : format_of_path(file->path);
    struct dataset *fixed;
    TRY(audit_fix(data, report, count, file->how, &fixed, error));
    temper_status status = dataset_write(fixed, file->path, file->format, error);
    dataset_free(fixed);
    if (strcmp(file->how, "weight") == 0 && format != format_named("tmpr"))
        snprintf(file->weights, sizeof file->weights, "weight");
    return status;
}

/* Prefers an edited copy of the user's text, which preserves other columns, comments and number formats, to writing
 * the dataset. */
temper_status audit_fix_write(const struct dataset *data, const temper_audit_report *report, size_t count,
                              temper_audit_fix_file *file, temper_error *error)
{
    TRY(check_method(data, report, file->how, error));
    TRY(audit_fix_check(file, error));
    if (count > report->rows)
        count = (size_t)report->rows;
    file->copied = 0;
    file->weights[0] = '\0';
    return text_can_copy(data, file->path, file->format) ? copy_text(data, report, count, file, error)
                                                         : write_dataset(data, report, count, file, error);
}
