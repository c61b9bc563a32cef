/* audit_fix: the data with the suspects dropped, relabelled or made lighter. */
#include <math.h>
#include <string.h>

#include "audit/audit.h"
#include "base/memory.h"
#include "data/subset.h"

static temper_status drop(const struct dataset *data, const temper_audit_report *report, size_t count,
                          struct dataset **out, temper_error *error)
{
    size_t rows = (size_t)data->x.rows, kept = 0;
    bool *gone = mem_zeroed(rows, sizeof *gone);
    size_t *row = mem_alloc(rows, sizeof *row);
    temper_status status = gone && row ? TEMPER_OK : error_no_memory(error);
    for (size_t i = 0; status == TEMPER_OK && i < count; i++)
        gone[report->suspects[i].row] = true;
    for (size_t i = 0; status == TEMPER_OK && i < rows; i++)
        if (!gone[i])
            row[kept++] = i;
    if (status == TEMPER_OK)
        status = dataset_rows(data, row, kept, out, error);
    mem_free(gone);
    mem_free(row);
    return status;
}

static temper_status relabel(const struct dataset *data, const temper_audit_report *report, size_t count,
                             struct dataset **out, temper_error *error)
{
    temper_status status = dataset_borrow(data, out, error);
    for (size_t i = 0; status == TEMPER_OK && i < count; i++)
        (*out)->label[report->suspects[i].row] = report->suspects[i].suggested;
    return status;
}

static temper_status weigh(const struct dataset *data, const temper_audit_report *report, size_t count,
                           struct dataset **out, temper_error *error)
{
    size_t rows = (size_t)data->x.rows;
    temper_status status = dataset_borrow(data, out, error);
    if (status != TEMPER_OK)
        return status;
    if (!(*out)->weight) {
        (*out)->weight = mem_alloc(rows, sizeof *(*out)->weight);
        if (!(*out)->weight) {
            dataset_free(*out);
            *out = NULL;
            return error_no_memory(error);
        }
        for (size_t i = 0; i < rows; i++)
            (*out)->weight[i] = 1;
    }
    for (size_t i = 0; i < count; i++)
        (*out)->weight[report->suspects[i].row] *= report->suspects[i].importance;
    return TEMPER_OK;
}

static const struct {
    const char *name;
    temper_status (*make)(const struct dataset *, const temper_audit_report *, size_t, struct dataset **,
                          temper_error *);
} ways[] = {{"drop", drop}, {"relabel", relabel}, {"weight", weigh}};

temper_status audit_fix_suits(const struct dataset *data, const temper_audit_report *report, const char *how,
                              temper_error *error)
{
    if (report->rows != data->x.rows)
        return error_set(error, TEMPER_USAGE, "this audit is of %llu rows, and the data has %llu; audit it again",
                         report->rows, (unsigned long long)data->x.rows);
    if (strcmp(how, "weight") == 0 && report->loss.t2 <= report->loss.t1)
        return error_set(error, TEMPER_USAGE,
                         "at t1 = %g, t2 = %g the importance of every row is 1 or more, and "
                         "weights would change nothing; give t1 < t2, or drop or relabel the rows",
                         report->loss.t1, report->loss.t2);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(how, ways[i].name) == 0)
            return TEMPER_OK;
    return error_set(error, TEMPER_USAGE, "there is no way '%.64s' to fix labels; there are drop, relabel and weight",
                     how);
}

temper_status audit_fix(const struct dataset *data, const temper_audit_report *report, size_t count, const char *how,
                        struct dataset **out, temper_error *error)
{
    temper_status status = audit_fix_suits(data, report, how, error);
    if (count > report->rows)
        count = (size_t)report->rows;
    for (size_t i = 0; status == TEMPER_OK && i < sizeof ways / sizeof *ways; i++)
        if (strcmp(how, ways[i].name) == 0)
            return ways[i].make(data, report, count, out, error);
    return status;
}
