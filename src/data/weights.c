/* weights: row weights from a file or from classes, and their checks.
 *
 * Weights of several sources are multiplied: a column of the table, a file of numbers, weights of classes, the caller's
 * array. The product is checked before it replaces the old weights, since each factor may be finite and the product
 * not. "balanced" gives class c the weight N / (C n_c), with N rows, C classes and n_c rows of the class. */
#include "data/weights.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/path.h"
#include "base/text.h"
#include "data/classes.h"
#include "data/name_list.h"
#include "data/quote_text.h"
#include "data/read/line_reader.h"

static const char remedy[] = "give numbers, 0 or more"; /* of every refused weight, as the end of its message */

/* Sums over rows of weights times squares of features and gradients must neither overflow nor underflow: the largest
 * weight has to be between these. */
static const double SMALLEST_WEIGHT = 1e-30, LARGEST_WEIGHT = 1e30;

/* ---- A file ---------------------------------------------------------------------------------- */

/* A file of weights while it is read. Numbers beyond the last row are counted but not stored, for the message. */
struct weight_reader {
    struct lines lines;
    const struct dataset *data;
    double *weight;
    uint64_t count;       /* numbers read, also those beyond the last row */
    size_t blank;         /* the first empty line of those since the last number, or 0 */
    size_t first_surplus; /* the line of the first number too many, or 0 */
};

/* A token that is no weight. In the first line it is probably a header, so the remedy says that there is none. */
static temper_status refuse_token(const struct weight_reader *reader, const char *token, size_t length, size_t column,
                                  temper_error *error)
{
    char file[PATH_SHOWN];
    struct token_text shown = token_text(token, token + length);
    size_t line = reader->lines.number;
    return error_at(error, TEMPER_BAD_DATA, line, column, "%s:%zu:%zu: weight '%.80s' is refused; %s%s",
                    path_shown(reader->lines.path, file), line, column, shown.text, remedy,
                    line == 1 ? ", one a line, without a header" : ", one a line");
}

/* One line: a number, or nothing if only empty lines follow. */
static temper_status read_line(struct weight_reader *reader, const char *line, size_t length, temper_error *error)
{
    char file[PATH_SHOWN];
    double value = 0;
    size_t trimmed = length, number = reader->lines.number;
    const char *token = line_trim(line, &trimmed);
    if (trimmed == 0) {
        reader->blank = reader->blank ? reader->blank : number;
        return TEMPER_OK;
    }
    /* Empty lines are allowed at the end only. */
    if (reader->blank)
        return error_at(error, TEMPER_BAD_DATA, reader->blank, 1,
                        "%s:%zu:1: the line is empty; write one weight a line", path_shown(reader->lines.path, file),
                        reader->blank);
    /* The smallest weight is 0: the row then does not count. */
    if (number_f64(token, token + trimmed, &value) != NUMBER_OK || value < 0)
        return refuse_token(reader, token, trimmed, (size_t)(token - line) + 1, error);
    /* Surplus numbers are counted, so that the message has their number. */
    if (reader->count < reader->data->x.rows)
        reader->weight[reader->count] = value;
    else if (!reader->first_surplus)
        reader->first_surplus = number;
    reader->count++;
    return TEMPER_OK;
}

/* Compares the number of weights with that of rows, after the last line, so that the message has both. The place is
 * the first surplus line, or the end. */
static temper_status check_count(const struct weight_reader *reader, temper_error *error)
{
    const struct dataset *data = reader->data;
    /* Names of both files, for the message. */
    char file[PATH_SHOWN], of[PATH_SHOWN];
    if (reader->count == data->x.rows)
        return TEMPER_OK;
    size_t last = reader->lines.number ? reader->lines.number : 1; /* an empty file has none */
    size_t line = reader->first_surplus ? reader->first_surplus : last;
    return error_at(error, TEMPER_BAD_DATA, line, 0, "%s:%zu: %s weight%s for %s row%s; write one for each row of %s",
                    path_shown(reader->lines.path, file), line, count_shown(reader->count).text, plural(reader->count),
                    count_shown(data->x.rows).text, plural(data->x.rows), source_shown(data, of));
}

/* All lines of the file. */
static temper_status read_all(struct weight_reader *reader, temper_error *error)
{
    for (;;) {
        const char *line;
        size_t length;
        temper_status status = lines_next(&reader->lines, &line, &length, error);
        if (status == TEMPER_OK && !line)
            return check_count(reader, error);
        if (status == TEMPER_OK)
            status = read_line(reader, line, length, error);
        if (status != TEMPER_OK)
            return status;
    }
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* The error of one weight, with the line of the text file it comes from, else with the row. */
static temper_status refuse_row(const struct dataset *data, uint64_t row, const char *advice, temper_error *error)
{
    char value[NUMBER_LENGTH];
    char file[PATH_SHOWN];
    /* Weights that are a column of a text file have a line. */
    size_t line = data->line ? (size_t)data->line[row] : 0;
    number_write_f64(data->weight[row], value);
    if (line > 0)
        return error_at(error, TEMPER_BAD_DATA, line, 0, "%s:%zu: weight %s is refused; %s", source_shown(data, file),
                        line, value, advice);
    return error_set(error, TEMPER_BAD_DATA, "%s: weight %s of row %llu is refused; %s", source_shown(data, file),
                     value, (unsigned long long)row + 1, advice);
}

/* Weights must be finite and not negative, and the largest of them in a range in which sums of squares are exact. NaN
 * fails the comparison too. */
temper_status weights_check(const struct dataset *data, temper_error *error)
{
    char file[PATH_SHOWN];
    double largest = 0;
    /* Data without weights or rows has none to refuse. */
    if (!data->weight || data->x.rows == 0)
        return TEMPER_OK;
    for (uint64_t i = 0; i < data->x.rows; i++) {
        if (!(data->weight[i] >= 0 && isfinite(data->weight[i])))
            return refuse_row(data, i, remedy, error);
        if (data->weight[i] > LARGEST_WEIGHT)
            return refuse_row(data, i, "weights count in proportion: divide all of them by a common number", error);
        largest = fmax(largest, data->weight[i]);
    }
    if (largest >= SMALLEST_WEIGHT)
        return TEMPER_OK;
    return error_set(error, TEMPER_BAD_DATA,
                     largest > 0 ? "%s: all weights are below 1e-30; they count in proportion: multiply all of them by "
                                   "a common number"
                                 : "%s: all weights are 0, so that no row counts; give some row a weight above 0",
                     source_shown(data, file));
}

/* Multiplies the weights of the dataset by `weight`, which it takes over (and frees on failure). The old weights stay
 * until the product is checked. */
temper_status weights_multiply(struct dataset *data, double *weight, temper_error *error)
{
    /* --weights and --class-weight may be combined. */
    for (uint64_t i = 0; data->weight && i < data->x.rows; i++)
        weight[i] *= data->weight[i];
    /* Checked again: a product of two valid weights can be infinite, or 0 everywhere. */
    struct dataset product = *data;
    product.weight = weight;
    temper_status status = weights_check(&product, error);
    if (status != TEMPER_OK) {
        mem_free(weight);
        return status;
    }
    dataset_free_array(data, data->weight);
    data->weight = weight;
    return TEMPER_OK;
}

/* Multiplies the weights by those of a file, one number a line, as many as rows. */
temper_status weights_read(const char *path, struct dataset *data, temper_error *error)
{
    struct weight_reader reader = {.data = data};
    /* Opened before the array is allocated: a missing file is reported as such, whatever the number of rows. */
    TRY(lines_open(path, &reader.lines, error));
    reader.weight = mem_alloc((size_t)data->x.rows, sizeof *reader.weight);
    temper_status status = reader.weight ? read_all(&reader, error) : error_no_memory(error);
    lines_close(&reader.lines);
    if (status == TEMPER_OK)
        return weights_multiply(data, reader.weight, error);
    mem_free(reader.weight);
    return status;
}

/* ---- Classes --------------------------------------------------------------------------------- */

/* The weights N / (C n_c) of "balanced" as in scikit-learn: every class then has the same total weight. C counts the
 * classes that have rows. */
static temper_status balance(const struct dataset *data, double *of_class, temper_error *error)
{
    size_t classes = data->classes.count, present = 0;
    uint64_t *rows = mem_zeroed(classes, sizeof *rows);
    if (!rows)
        return error_no_memory(error);
    for (uint64_t i = 0; i < data->x.rows; i++)
        /* Classes without rows must not take part in the balance. */
        present += rows[data->label[i]]++ == 0;
    for (size_t c = 0; c < classes; c++)
        if (rows[c] > 0)
            of_class[c] = (double)data->x.rows / ((double)present * (double)rows[c]);
    mem_free(rows);
    return TEMPER_OK;
}

/* One NAME=W of --class-weight; of_class is negative while a class has no weight. */
static temper_status read_pair(const struct dataset *data, const struct list_item *item, double *of_class,
                               temper_error *error)
{
    uint32_t number = 0;
    double value = 0;
    struct token_text name = token_text(item->name, item->name + strlen(item->name));
    struct token_text shown = token_text(item->value, item->value + strlen(item->value));
    /* Unknown classes first, then bad numbers. */
    TRY(class_named(data, "--class-weight", item->name, &number, error));
    if (number_f64(item->value, item->value + strlen(item->value), &value) != NUMBER_OK || value < 0)
        return error_set(error, TEMPER_USAGE, "--class-weight: weight '%.80s' of class '%.80s' is refused; %s",
                         shown.text, name.text, remedy);
    if (of_class[number] >= 0)
        return error_set(error, TEMPER_USAGE, "--class-weight: class '%.80s' has two weights; name it once", name.text);
    of_class[number] = value;
    return TEMPER_OK;
}

/* Parses --class-weight; classes that are not named get weight 1. */
static temper_status read_pairs(const struct dataset *data, const char *text, double *of_class, temper_error *error)
{
    struct list list;
    temper_status status = list_read("--class-weight", text, true, &list, error);
    if (status != TEMPER_OK)
        return status;
    /* -1 marks classes that have no weight yet. */
    for (size_t c = 0; c < data->classes.count; c++)
        of_class[c] = -1; /* not named yet */
    for (size_t i = 0; status == TEMPER_OK && i < list.count; i++)
        status = read_pair(data, &list.item[i], of_class, error);
    for (size_t c = 0; c < data->classes.count; c++)
        if (of_class[c] < 0)
            of_class[c] = 1;
    list_free(&list);
    return status;
}

/* Multiplies the weight of each row by that of its class. */
static temper_status weigh_rows(struct dataset *data, const double *of_class, temper_error *error)
{
    double *weight = mem_alloc((size_t)data->x.rows, sizeof *weight);
    if (!weight)
        return error_no_memory(error);
    for (uint64_t i = 0; i < data->x.rows; i++)
        weight[i] = of_class[data->label[i]];
    return weights_multiply(data, weight, error);
}

/* Applies --class-weight: "balanced", or a list of NAME=W. */
temper_status weights_by_class(const char *text, struct dataset *data, temper_error *error)
{
    char file[PATH_SHOWN];
    if (!data->label)
        return error_set(error, TEMPER_USAGE,
                         "%s: --class-weight needs labels, and the data has none; name their "
                         "column by --label or their file by --labels",
                         source_shown(data, file));
    /* Zero for classes without rows, which no row refers to. */
    double *of_class = mem_zeroed(data->classes.count, sizeof *of_class);
    if (!of_class)
        return error_no_memory(error);
    temper_status status =
        strcmp(text, "balanced") == 0 ? balance(data, of_class, error) : read_pairs(data, text, of_class, error);
    if (status == TEMPER_OK)
        status = weigh_rows(data, of_class, error);
    mem_free(of_class);
    return status;
}
