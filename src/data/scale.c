/* scale: from sums over columns to offsets and factors. */
#include "data/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "data/class_names.h"
#include "data/column_stats.h"
#include "data/quote_text.h"

/* A value that makes up 0.98 of a variance. */
static const double LONE = 0.99;

static const char *const names[] = {
#define SCALE_NAME(name, word, text) word,
    SCALE_LIST(SCALE_NAME)
#undef SCALE_NAME
};

bool scale_find(const char *name, enum scale_kind *kind)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) == 0) {
            *kind = (enum scale_kind)i;
            return true;
        }
    }
    return false;
}

const char *scale_name(enum scale_kind kind)
{
    return names[kind];
}

/* ---- Refusals -------------------------------------------------------------------------------- */

struct feature_text feature_text(const struct dataset *data, uint64_t column)
{
    struct feature_text shown = {""};
    unsigned long long number = (unsigned long long)column + 1;
    if (data->features.count > column) {
        const char *name = data->features.name[column];
        snprintf(shown.text, sizeof shown.text, "feature %llu '%.80s'", number,
                 token_text(name, name + strlen(name)).text);
    } else {
        snprintf(shown.text, sizeof shown.text, "feature %llu", number);
    }
    return shown;
}

static temper_status refuse_negative(const struct dataset *data, struct negative_entry found, temper_error *error)
{
    char file[PATH_SHOWN];
    size_t line = data->line ? (size_t)data->line[found.row] : 0;
    struct feature_text feature = feature_text(data, found.column);
    source_shown(data, file);
    if (line > 0)
        return error_at(error, TEMPER_BAD_DATA, line, 0,
                        "%s:%zu: %s has a negative value, which --scale log cannot take; use "
                        "--scale standard",
                        file, line, feature.text);
    return error_set(error, TEMPER_BAD_DATA,
                     "%s: %s has a negative value in row %llu, which --scale log cannot take; use "
                     "--scale standard",
                     file, feature.text, (unsigned long long)(data->first_row + found.row) + 1);
}

static temper_status refuse_span(const struct dataset *data, size_t column, temper_error *error)
{
    char file[PATH_SHOWN];
    return error_set(error, TEMPER_BAD_DATA,
                     "%s: %s has values too large, too small or not finite: no double can scale "
                     "them; use --scale none, or other units",
                     source_shown(data, file), feature_text(data, column).text);
}

static temper_status refuse_minmax(const struct dataset *data, temper_error *error)
{
    char file[PATH_SHOWN];
    return error_set(error, TEMPER_USAGE, "%s: --scale minmax would fill the zeros of sparse data; use --scale maxabs",
                     source_shown(data, file));
}

/* ---- Offsets and factors --------------------------------------------------------------------- */

/* Offset and factor of one column; a factor of 0 asks for a refusal. */
static void set_column(struct scale *scale, const struct column_stats *sums, size_t j, bool sparse)
{
    double low = sums->low[j], high = sums->high[j], size = 0;
    switch (scale->kind) {
    case SCALE_STANDARD:
    case SCALE_LOG:
        scale->offset[j] = sparse ? 0 : sums->mean[j];
        size = sqrt(sums->variance[j]);
        break;
    case SCALE_MINMAX:
        scale->offset[j] = low;
        size = high - low;
        break;
    case SCALE_MAXABS:
        size = fmax(fabs(low), fabs(high));
        break;
    case SCALE_NONE:
    case SCALE_PIXELS:
        break; /* nothing to learn */
    }
    /* Told by the values: rounding can leave a constant column a tiny variance. */
    bool constant = scale->kind == SCALE_MAXABS ? size == 0 : !(low < high);
    scale->factor[j] = constant ? 1 : 1 / size;
    scale->constants += constant;
}

/* Finite, and large enough that dividing by it later gives the feature back. */
static bool usable(double offset, double factor)
{
    return isfinite(offset) && isfinite(factor) && factor > 0;
}

/* No value is farther from the mean than sqrt(rows - 1) deviations, and only one that is alone gets
 * near that. The one 1 of an indicator does too, and is as it should be. */
static void note_lone(const struct dataset *data, const struct column_stats *sums, size_t j, struct scale *scale)
{
    double rows = (double)dataset_all_rows(data), low = sums->low[j], high = sums->high[j];
    double far = fmax(high - sums->mean[j], sums->mean[j] - low);
    bool indicator = low == 0 && high == 1;
    if (indicator || scale->lones == SCALE_LONE || rows < 3 || data->x.kind == MATRIX_CSR)
        return;
    if (far * scale->factor[j] > LONE * sqrt(rows - 1) && low < high)
        scale->lone[scale->lones++] = j;
}

static temper_status set_columns(const struct dataset *data, const struct column_stats *sums, struct scale *scale,
                                 temper_error *error)
{
    for (size_t j = 0; j < scale->columns; j++) {
        set_column(scale, sums, j, data->x.kind == MATRIX_CSR);
        if (!usable(scale->offset[j], scale->factor[j]))
            return refuse_span(data, j, error);
    }
    if (scale->kind != SCALE_STANDARD)
        return TEMPER_OK;
    for (size_t j = 0; j < scale->columns; j++)
        note_lone(data, sums, j, scale);
    for (size_t j = 0; j < scale->columns; j++)
        scale->spread += sums->variance[j] * scale->factor[j] * scale->factor[j];
    return TEMPER_OK;
}

/* Fills offsets and factors that are 0 and 1 so far. */
static temper_status learn(const struct dataset *data, struct scale_rows rows, size_t threads, struct scale *scale,
                           temper_error *error)
{
    struct column_stats sums;
    struct negative_entry negative = {.found = false};
    struct sum_task task = {.data = data,
                            .row = rows.row,
                            .count = rows.row ? rows.count : (size_t)data->x.rows,
                            .logs = scale->kind == SCALE_LOG,
                            .variances = scale->kind == SCALE_LOG || scale->kind == SCALE_STANDARD,
                            .threads = threads};
    temper_status status = column_stats(&task, &sums, &negative, error);
    if (status == TEMPER_BAD_DATA) /* of several processes, the first in the order of the rows */
        return comm_agree(data->comm, negative.found ? refuse_negative(data, negative, error) : TEMPER_OK, error);
    if (status != TEMPER_OK)
        return status;
    status = set_columns(data, &sums, scale, error);
    column_stats_free(&sums);
    return status;
}

static bool scale_start(struct scale *scale, enum scale_kind kind, size_t columns)
{
    const double factor = kind == SCALE_PIXELS ? 1.0 / 255 : 1;
    *scale = (struct scale){.kind = kind, .columns = columns};
    scale->offset = mem_zeroed(columns, sizeof *scale->offset);
    scale->factor = mem_alloc(columns, sizeof *scale->factor);
    for (size_t j = 0; scale->factor && j < columns; j++)
        scale->factor[j] = factor;
    return scale->offset && scale->factor;
}

/* *out if this went well, else nothing is left. */
static temper_status publish(struct scale *scale, temper_status status, struct scale *out)
{
    if (status == TEMPER_OK)
        *out = *scale;
    else
        scale_free(scale);
    return status;
}

static bool learns(enum scale_kind kind)
{
    return kind != SCALE_NONE && kind != SCALE_PIXELS;
}

/* One that changes nothing, or what its kind alone says. */
static temper_status begin(const struct dataset *data, enum scale_kind kind, struct scale *scale, temper_error *error)
{
    *scale = (struct scale){.kind = kind};
    if (kind == SCALE_MINMAX && data->x.kind == MATRIX_CSR)
        return refuse_minmax(data, error);
    return scale_start(scale, kind, (size_t)data->x.columns) ? TEMPER_OK : error_no_memory(error);
}

temper_status scale_learn(const struct dataset *data, enum scale_kind kind, struct scale_rows rows, size_t threads,
                          struct scale *out, temper_error *error)
{
    struct scale scale;
    temper_status status = begin(data, kind, &scale, error);
    if (status == TEMPER_OK && learns(kind))
        status = learn(data, rows, threads, &scale, error);
    return publish(&scale, status, out);
}

temper_status scale_from_sums(const struct dataset *data, enum scale_kind kind, const struct column_stats *sums,
                              struct scale *out, temper_error *error)
{
    struct scale scale;
    temper_status status = begin(data, kind, &scale, error);
    if (status == TEMPER_OK && learns(kind))
        status = set_columns(data, sums, &scale, error);
    return publish(&scale, status, out);
}

void scale_free(struct scale *scale)
{
    mem_free(scale->offset);
    mem_free(scale->factor);
    *scale = (struct scale){0};
}
