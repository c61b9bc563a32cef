/* audit_fix_write: the data put right, as a file: the lines of the user's text where there is one.
 */
#include <stdio.h>
#include <string.h>

#include "audit/audit.h"
#include "base/memory.h"
#include "data/read/format.h"
#include "data/write/text_edit.h"
#include "data/write/write.h"

_Static_assert(sizeof((temper_audit_fix_file){0}.weights) == TEXT_COLUMN, "one length of names");

temper_status audit_fix_check(const temper_audit_fix_file *fixing, temper_error *error)
{
    return strcmp(fixing->how, "weight") == 0 ? dataset_write_check_weights(fixing->path, fixing->format, error)
                                              : dataset_write_check(fixing->path, fixing->format, error);
}

/* ---- The user's lines ------------------------------------------------------------------------ */

static temper_status copy_without(const struct dataset *data, const temper_audit_report *report, size_t count,
                                  temper_audit_fix_file *fixing, temper_error *error)
{
    bool *dropped = mem_zeroed((size_t)data->x.rows, sizeof *dropped);
    if (!dropped)
        return error_no_memory(error);
    for (size_t i = 0; i < count; i++)
        dropped[report->suspects[i].row] = true;
    const struct text_changes changes = {.dropped = dropped};
    temper_status status = text_copy(data, &changes, fixing->path, fixing->weights, error);
    mem_free(dropped);
    return status;
}

static temper_status copy_relabelled(const struct dataset *data, const temper_audit_report *report, size_t count,
                                     temper_audit_fix_file *fixing, temper_error *error)
{
    uint32_t *label = mem_alloc((size_t)data->x.rows, sizeof *label);
    if (!label)
        return error_no_memory(error);
    memcpy(label, data->label, (size_t)data->x.rows * sizeof *label);
    for (size_t i = 0; i < count; i++)
        label[report->suspects[i].row] = report->suspects[i].suggested;
    const struct text_changes changes = {.label = label};
    temper_status status = text_copy(data, &changes, fixing->path, fixing->weights, error);
    mem_free(label);
    return status;
}

static temper_status copy_weighted(const struct dataset *data, const temper_audit_report *report, size_t count,
                                   temper_audit_fix_file *fixing, temper_error *error)
{
    double *factor = mem_alloc((size_t)data->x.rows, sizeof *factor);
    if (!factor)
        return error_no_memory(error);
    for (size_t i = 0; i < data->x.rows; i++)
        factor[i] = 1;
    for (size_t i = 0; i < count; i++)
        factor[report->suspects[i].row] = report->suspects[i].importance;
    const struct text_changes changes = {.factor = factor};
    temper_status status = text_copy(data, &changes, fixing->path, fixing->weights, error);
    mem_free(factor);
    return status;
}

static temper_status copy_lines(const struct dataset *data, const temper_audit_report *report, size_t count,
                                temper_audit_fix_file *fixing, temper_error *error)
{
    fixing->copied = 1;
    if (strcmp(fixing->how, "drop") == 0)
        return copy_without(data, report, count, fixing, error);
    if (strcmp(fixing->how, "relabel") == 0)
        return copy_relabelled(data, report, count, fixing, error);
    return copy_weighted(data, report, count, fixing, error);
}

/* ---- Other formats --------------------------------------------------------------------------- */

static const struct format *format_for(const temper_audit_fix_file *fixing)
{
    return fixing->format ? format_named(fixing->format) : format_of_path(fixing->path);
}

/* Tables have a column of weights of that name; .tmpr keeps them with the rows. */
static temper_status write_anew(const struct dataset *data, const temper_audit_report *report, size_t count,
                                temper_audit_fix_file *fixing, temper_error *error)
{
    struct dataset *fixed;
    temper_status status = audit_fix(data, report, count, fixing->how, &fixed, error);
    if (status != TEMPER_OK)
        return status;
    status = dataset_write(fixed, fixing->path, fixing->format, error);
    dataset_free(fixed);
    if (strcmp(fixing->how, "weight") == 0 && format_for(fixing) != format_named("tmpr"))
        snprintf(fixing->weights, sizeof fixing->weights, "weight");
    return status;
}

temper_status audit_fix_write(const struct dataset *data, const temper_audit_report *report, size_t count,
                              temper_audit_fix_file *fixing, temper_error *error)
{
    temper_status status = audit_fix_suits(data, report, fixing->how, error);
    if (status == TEMPER_OK)
        status = audit_fix_check(fixing, error);
    if (status != TEMPER_OK)
        return status;
    if (count > report->rows)
        count = (size_t)report->rows;
    fixing->copied = 0;
    fixing->weights[0] = '\0';
    return text_can_copy(data, fixing->path, fixing->format) ? copy_lines(data, report, count, fixing, error)
                                                             : write_anew(data, report, count, fixing, error);
}
