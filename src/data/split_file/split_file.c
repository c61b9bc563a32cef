/* split_file: a text is copied row by row to the files that it belongs to, all of which appear together or not at all;
 * data of other formats is read, and its rows are written in the same format. */
#include "data/split_file/split_file.h"

#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "data/quote_text.h"
#include "data/read/read.h"
#include "data/split.h"
#include "data/split_file/row_parts.h"
#include "data/subset.h"
#include "data/write/write.h"

/* A division in progress. */
struct file_split {
    const temper_split_file_options *options;
    temper_split_file_report *report;
    size_t pairs;               /* of files: the folds, or one */
    const uint32_t *part;       /* of each row */
    bool by_time;               /* parts before a fold are trained on, not all others */
    struct atomic_file **sinks; /* [2 * pairs]: for training, then for testing, of each pair */
    size_t row;                 /* the next one */
    temper_error *error;
};

/* Whether a row of this part is in the test file, or the training file, of a pair. */
static bool belongs(const struct file_split *split, uint32_t part, size_t pair, bool test)
{
    if (!split->options->folds)
        return (part == SPLIT_TEST) == test;
    if (split->by_time)
        return test ? part == pair + 1 : part <= pair;
    return (part == pair) == test;
}

/* Allocates the counts of the report, and counts the rows of each file. */
static temper_status count_rows(struct file_split *split, size_t rows)
{
    temper_split_file_report *report = split->report;
    report->rows = rows;
    report->pairs = split->pairs;
    report->train_rows = mem_zeroed(split->pairs, sizeof *report->train_rows);
    report->test_rows = mem_zeroed(split->pairs, sizeof *report->test_rows);
    if (!report->train_rows || !report->test_rows)
        return error_no_memory(split->error);
    for (size_t row = 0; row < rows; row++)
        for (size_t pair = 0; pair < split->pairs; pair++) {
            report->train_rows[pair] += belongs(split, split->part[row], pair, false);
            report->test_rows[pair] += belongs(split, split->part[row], pair, true);
        }
    return TEMPER_OK;
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* Writes a piece of the text to one file. A row that ends without a newline, the last of its file, gets one: it may
 * have become one of others. */
static temper_status put(const struct file_split *split, struct atomic_file *sink, const struct text_piece *piece)
{
    TRY(atomic_file_write(sink, piece->from, (size_t)(piece->to - piece->from), split->error));
    bool ended = !piece->is_row || piece->to[-1] == '\n';
    return ended ? TEMPER_OK : atomic_file_write(sink, "\n", 1, split->error);
}

/* What belongs to no row goes to all files. */
static temper_status copy_piece(void *context, const struct text_piece *piece)
{
    struct file_split *split = context;
    uint32_t part = piece->is_row ? split->part[split->row] : 0;
    for (size_t i = 0; i < 2 * split->pairs; i++)
        if (!piece->is_row || belongs(split, part, i / 2, i % 2 == 1))
            TRY(put(split, split->sinks[i], piece));
    split->row += piece->is_row;
    return TEMPER_OK;
}

/* Opens all files; those that were opened are in split->sinks, the others NULL. */
static temper_status open_sinks(struct file_split *split)
{
    split->sinks = (struct atomic_file **)mem_zeroed(2 * split->pairs, sizeof(struct atomic_file *));
    if (!split->sinks)
        return error_no_memory(split->error);
    for (size_t i = 0; i < 2 * split->pairs; i++) {
        const char *const *paths = i % 2 ? split->options->test : split->options->train;
        TRY(atomic_file_open(paths[i / 2], &split->sinks[i], split->error));
    }
    return TEMPER_OK;
}

/* Copies the rows to their files, which then appear together. */
static temper_status copy_text(struct file_split *split, const struct text_file *file)
{
    temper_status status = open_sinks(split);
    if (status == TEMPER_OK)
        status = text_file_visit(file, copy_piece, split, split->error);
    if (status == TEMPER_OK && split->row != split->report->rows)
        status = error_set(split->error, TEMPER_BAD_DATA, "%s: has changed while it was read; try again",
                           place_text(file->path).text);
    if (status == TEMPER_OK) {
        status = atomic_file_commit_all(split->sinks, 2 * split->pairs, split->error); /* frees them */
    } else {
        for (size_t i = 0; split->sinks && i < 2 * split->pairs; i++)
            if (split->sinks[i])
                atomic_file_drop(split->sinks[i]);
    }
    mem_free((void *)split->sinks);
    return status;
}

/* Finds the columns of the options. */
static temper_status find_columns(const struct text_file *file, const temper_split_file_options *options,
                                  struct key_columns *columns, temper_error *error)
{
    *columns = (struct key_columns){CSV_NO_COLUMN, CSV_NO_COLUMN, CSV_NO_COLUMN};
    if (options->time)
        return text_file_column(file, "--time", options->time, &columns->time, error);
    columns->stratify = file->label;
    if (options->stratify && strcmp(options->stratify, "none") == 0)
        columns->stratify = CSV_NO_COLUMN;
    else if (options->stratify)
        TRY(text_file_column(file, "--stratify", options->stratify, &columns->stratify, error));
    return options->group ? text_file_column(file, "--group", options->group, &columns->group, error) : TEMPER_OK;
}

/* Notes which column the classes come from, since it may have been inferred. */
static void describe_keys(const struct text_file *file, const struct key_columns *columns, const struct row_keys *keys,
                          temper_split_file_report *report)
{
    size_t column = columns->stratify;
    report->classes = keys->class_of ? keys->classes.count : 0;
    report->groups = keys->groups;
    if (!keys->class_of || file->kind == TEXT_ROWS_LIBSVM)
        return;
    if (column < file->names.count)
        snprintf(report->stratified_by, sizeof report->stratified_by, "%.100s", file->names.name[column]);
    else
        snprintf(report->stratified_by, sizeof report->stratified_by, "column %zu", column + 1);
}

static temper_status split_text(struct file_split *split, const struct text_file *file)
{
    const temper_split_file_options *options = split->options;
    struct division how = {options->folds ? 0 : options->share, options->folds, options->seed};
    struct key_columns columns;
    struct row_keys keys;
    TRY(find_columns(file, options, &columns, split->error));
    TRY(row_keys_read(file, columns, &keys, split->error));
    uint32_t *part = mem_alloc(keys.rows, sizeof *part);
    temper_status status =
        part ? rows_divide(&keys, &how, part, split->report->note, split->error) : error_no_memory(split->error);
    describe_keys(file, &columns, &keys, split->report);
    split->part = part;
    split->by_time = keys.time != NULL;
    split->report->copied = 1;
    if (status == TEMPER_OK)
        status = count_rows(split, keys.rows);
    if (status == TEMPER_OK)
        status = copy_text(split, file);
    row_keys_free(&keys);
    mem_free(part);
    return status;
}

/* ---- Other formats --------------------------------------------------------------------------- */

/* Writes the rows of one file, in the format of the data. */
static temper_status write_rows(const struct file_split *split, const struct dataset *data, size_t pair, bool test,
                                size_t *row)
{
    struct dataset *rows;
    size_t count = 0;
    for (size_t i = 0; i < (size_t)data->x.rows; i++)
        if (belongs(split, split->part[i], pair, test))
            row[count++] = i;
    TRY(dataset_rows(data, row, count, &rows, split->error));
    const char *path = (test ? split->options->test : split->options->train)[pair];
    temper_status status = dataset_write(rows, path, data->file.format, split->error);
    dataset_free(rows);
    return status;
}

static temper_status write_files(struct file_split *split, const struct dataset *data)
{
    size_t *row = mem_alloc((size_t)data->x.rows, sizeof *row);
    temper_status status = row ? count_rows(split, (size_t)data->x.rows) : error_no_memory(split->error);
    for (size_t i = 0; status == TEMPER_OK && i < 2 * split->pairs; i++)
        status = write_rows(split, data, i / 2, i % 2 == 1, row);
    mem_free(row);
    return status;
}

/* Data without columns of text is divided at random, by its labels. */
static temper_status split_data(struct file_split *split, const char *path, const temper_read_options *read)
{
    const temper_split_file_options *options = split->options;
    bool stratified = !options->stratify || strcmp(options->stratify, "none") != 0;
    struct dataset *data;
    struct split parts = {0};
    if (options->group || options->time || (options->stratify && stratified))
        return error_set(split->error, TEMPER_USAGE,
                         "%s: --group, --time and --stratify name columns of a table, which this file is not; give a "
                         "table, or drop them",
                         place_text(path).text);
    TRY(dataset_read(path, read, &data, split->error));
    struct split_options how = {.seed = options->seed, .stratified = stratified};
    temper_status status = options->folds ? split_folds(data, options->folds, how, &parts, split->error)
                                          : split_test(data, options->share, how, &parts, split->error);
    split->part = parts.part;
    split->report->classes = stratified ? data->classes.count : 0;
    if (status == TEMPER_OK)
        snprintf(split->report->note, sizeof split->report->note, "%s", parts.note);
    if (status == TEMPER_OK)
        status = write_files(split, data);
    split_free(&parts);
    dataset_free(data);
    return status;
}

temper_status split_file(const char *path, const temper_read_options *read, const temper_split_file_options *options,
                         temper_split_file_report *report, temper_error *error)
{
    temper_split_file_report made = {0};
    struct file_split split = {
        .options = options, .report = &made, .pairs = options->folds ? options->folds : 1, .error = error};
    struct text_file file;
    TRY(text_file_open(path, read, &file, error));
    if (file.kind != TEXT_ROWS_NONE && read->labels) {
        text_file_free(&file);
        return error_set(error, TEMPER_USAGE,
                         "--labels: rows of a text are divided with the labels that they have; put these into the "
                         "file first, as by: temper convert %s all.tmpr --labels FILE",
                         place_text(path).text);
    }
    temper_status status = file.kind == TEXT_ROWS_NONE ? split_data(&split, path, read) : split_text(&split, &file);
    made.reencoded = file.reencoded;
    text_file_free(&file);
    if (status == TEMPER_OK) {
        *report = made;
    } else {
        mem_free(made.train_rows);
        mem_free(made.test_rows);
    }
    return status;
}
