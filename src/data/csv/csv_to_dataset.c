/* csv_to_dataset: the parsed rows become a dataset.
 *
 * Only now the number of values of a categorical column, and the mean of a column, are known. Everything is done in
 * the array that the rows were parsed into: a table may take most of the memory. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/csv/csv.h"
#include "data/quote_text.h"
#include "data/weights.h"

/* The rows while they are converted. width (features) and row_size (bytes) are those of a parsed row at first, and grow
 * when categories become features. */
struct csv_table {
    const struct csv_column_plan *plan;
    struct csv_rows *rows;
    size_t width;
    size_t row_size;
    double *mean; /* of each feature, once they are computed */
    temper_error *error;
    bool *indicator;   /* of each column: gaps are frequent, and one more feature marks them */
    size_t indicators; /* how many */
};

/* The share of rows from which on gaps are frequent. */
static const double FREQUENT_GAPS = 0.05;

/* A column without any value has neither a mean nor categories. Filling such a column with zeros would hide that it is
 * empty. */
static temper_status no_values(const struct csv_table *table, size_t column)
{
    return error_set(table->error, TEMPER_BAD_DATA, "%s: no values at all in %s; pass --ignore %s",
                     place_text(table->plan->path).text, csv_column_shown(table->plan, column).text,
                     csv_column_option(table->plan, column).text);
}

/* ---- One-hot --------------------------------------------------------------------------------- */

/* Writes `count` cells: a one at index `code` and zeros elsewhere; all NaN if the value is missing, to be filled like
 * missing numbers, which gives the frequencies of the texts under the rule mean. */
static void write_one_hot(const struct csv_column_plan *plan, unsigned char *out, uint32_t code, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double wide = code == CSV_NO_CODE ? (double)NAN : i == code;
        float narrow = (float)wide;
        memcpy(out + i * plan->cell_size, plan->f64 ? (const void *)&wide : (const void *)&narrow, plan->cell_size);
    }
}

/* Whether the cell of a column is missing: a code that is none, or NaN in its first number. */
static bool is_missing(const struct csv_column_plan *plan, size_t column, const unsigned char *cell)
{
    uint32_t code;
    double wide = 0;
    float narrow = 0;
    if (plan->role[column] == CSV_CATEGORY) {
        memcpy(&code, cell, sizeof code);
        return code == CSV_NO_CODE;
    }
    memcpy(plan->f64 ? (void *)&wide : (void *)&narrow, cell, plan->cell_size);
    return isnan(wide) || isnan(narrow);
}

/* Writes one feature of value 0 or 1; returns the position after it. */
static unsigned char *write_flag(const struct csv_column_plan *plan, unsigned char *out, bool flag)
{
    double wide = flag;
    float narrow = (float)flag;
    memcpy(out, plan->f64 ? (const void *)&wide : (const void *)&narrow, plan->cell_size);
    return out + plan->cell_size;
}

/* Expands one parsed row (plan->width numbers) to all its features (table->width). */
static void expand_row(const struct csv_table *table, const unsigned char *row, unsigned char *out)
{
    const struct csv_column_plan *plan = table->plan;
    size_t size = plan->cell_size, category = 0;
    for (size_t i = 0; i < plan->columns; i++) {
        size_t numbers = csv_column_numbers(plan, i);
        if (numbers == 0)
            continue;
        if (plan->role[i] == CSV_CATEGORY) {
            /* The parser stored a code in place of the cell. */
            uint32_t code;
            memcpy(&code, row, sizeof code);
            size_t count = table->rows->category[category++].count;
            write_one_hot(plan, out, code, count);
            out += count * size;
        } else {
            memcpy(out, row, numbers * size);
            out += numbers * size;
        }
        if (table->indicator[i])
            out = write_flag(plan, out, is_missing(plan, i, row));
        row += numbers * size;
    }
}

/* Which columns get an indicator: those of an inferred table in which gaps are frequent. */
static temper_status find_indicators(struct csv_table *table)
{
    const struct csv_column_plan *plan = table->plan;
    const struct csv_rows *rows = table->rows;
    table->indicator = mem_zeroed(plan->columns, sizeof *table->indicator);
    if (!table->indicator)
        return error_no_memory(table->error);
    if (plan->missing != CSV_FILL || rows->missing == 0)
        return TEMPER_OK;
    for (size_t i = 0, slot = 0; i < plan->columns; slot += csv_column_numbers(plan, i), i++) {
        size_t gaps = 0;
        bool text = plan->inferred.rule && plan->inferred.rule[i].kind == COLUMN_TEXT;
        for (size_t r = 0; csv_column_numbers(plan, i) > 0 && !text && r < rows->rows; r++)
            gaps += is_missing(plan, i, rows->cells + r * plan->row_size + slot * plan->cell_size);
        table->indicator[i] = (double)gaps >= FREQUENT_GAPS * (double)rows->rows;
        table->indicators += table->indicator[i];
    }
    return TEMPER_OK;
}

/* Computes the width of the rows after one-hot expansion. Columns are 32-bit indices elsewhere, so that more than 2^32
 * - 1 features are refused, like a table that cannot be addressed. */
static temper_status measure(struct csv_table *table)
{
    const struct csv_column_plan *plan = table->plan;
    size_t ignored;
    table->width = plan->width - plan->categories + table->indicators;
    for (size_t i = 0; i < plan->categories; i++) {
        size_t count = table->rows->category[i].count;
        if (count == 0)
            return no_values(table, plan->category[i]);
        if (!add_size(table->width, count, &table->width))
            return error_no_memory(table->error);
    }
    if (table->width > UINT32_MAX || !mul_size(table->width, plan->cell_size, &table->row_size) ||
        !mul_size(table->row_size, table->rows->rows, &ignored))
        return error_no_memory(table->error);
    return TEMPER_OK;
}

/* One-hot expansion in place, from the last row to the first: no row becomes narrower, so none is overwritten before
 * it is read, and there is never a second copy of the table. */
static temper_status expand(struct csv_table *table)
{
    struct csv_rows *rows = table->rows;
    size_t old_size = table->plan->row_size;
    TRY(measure(table));
    /* A copy of the row being expanded: its old and its new bytes overlap. */
    unsigned char *row = mem_alloc(old_size, 1);
    unsigned char *cells = array_resize(rows->spill, rows->cells, rows->rows, table->row_size);
    if (cells)
        rows->cells = cells;
    for (size_t r = rows->rows; row && cells && r-- > 0;) {
        memcpy(row, cells + r * old_size, old_size);
        expand_row(table, row, cells + r * table->row_size);
        disk_array_used(rows->spill, old_size + table->row_size);
    }
    mem_free(row);
    return row && cells ? TEMPER_OK : error_no_memory(table->error);
}

/* ---- Missing values -------------------------------------------------------------------------- */

/* A cell as a double, whatever its type. The branch for each cell is affordable: these passes are made only if values
 * are missing or the rule is mean. */
static double get_cell(const struct csv_table *table, size_t row, size_t column)
{
    const unsigned char *cell = table->rows->cells + row * table->row_size + column * table->plan->cell_size;
    double wide;
    float narrow;
    if (table->plan->f64) {
        memcpy(&wide, cell, sizeof wide);
        return wide;
    }
    memcpy(&narrow, cell, sizeof narrow);
    return (double)narrow;
}

/* The inverse of get_cell. */
static void set_cell(const struct csv_table *table, size_t row, size_t column, double value)
{
    unsigned char *cell = table->rows->cells + row * table->row_size + column * table->plan->cell_size;
    float narrow = (float)value;
    memcpy(cell, table->plan->f64 ? (const void *)&value : (const void *)&narrow, table->plan->cell_size);
}

/* The mean of values with a sum that overflows a double: each value is divided by the count before it is added. Slower
 * and less accurate, and so only the second choice. */
static double mean_of_large(const struct csv_table *table, size_t column, double count)
{
    double mean = 0;
    for (size_t r = 0; r < table->rows->rows; r++) {
        double value = get_cell(table, r, column);
        mean += isnan(value) ? 0 : value / count;
        disk_array_used(table->rows->spill, table->row_size);
    }
    return mean;
}

/* Computes the mean and the number of the values that are present, for each feature. The summation is row by row on one
 * thread, so that the result does not depend on the number of threads. A column without values has count 0, and its
 * mean is not used. */
static void take_means(const struct csv_table *table, double *mean, double *count)
{
    for (size_t r = 0; r < table->rows->rows; r++) {
        disk_array_used(table->rows->spill, table->row_size);
        for (size_t c = 0; c < table->width; c++) {
            double value = get_cell(table, r, c);
            mean[c] += isnan(value) ? 0 : value;
            count[c] += isnan(value) ? 0 : 1;
        }
    }
    for (size_t c = 0; c < table->width; c++)
        mean[c] = isfinite(mean[c]) ? mean[c] / count[c] : mean_of_large(table, c, count[c]);
}

/* The column of the file that feature c comes from, for a message. */
static size_t column_of(const struct csv_table *table, size_t c)
{
    const struct csv_column_plan *plan = table->plan;
    for (size_t i = 0, n = 0, at = 0; i < plan->columns; i++) {
        size_t count = plan->role[i] == CSV_CATEGORY ? table->rows->category[n++].count : csv_column_numbers(plan, i);
        count += table->indicator && table->indicator[i];
        if (c < at + count)
            return i;
        at += count;
    }
    return 0;
}

/* Replaces every NaN by 0 or by the mean of its feature; no other cell is NaN, since numbers that are not finite are
 * refused. table->mean has width elements and is kept for the schema (the caller frees it). */
static temper_status fill_missing(struct csv_table *table)
{
    double *mean = table->mean = mem_zeroed(table->width, sizeof *mean);
    double *count = mem_zeroed(table->width, sizeof *count);
    temper_status status = TEMPER_OK;
    if (!mean || !count) {
        mem_free(count);
        return error_no_memory(table->error);
    }
    /* Under the rule zero the means stay 0 and are what missing cells become. */
    if (table->plan->missing != CSV_ZERO) {
        take_means(table, mean, count);
        for (size_t c = 0; c < table->width && status == TEMPER_OK; c++)
            if (count[c] == 0)
                status = no_values(table, column_of(table, c));
    }
    /* One pass over all cells, also those of columns without missing values: which columns have some was not recorded.
     * */
    for (size_t r = 0; status == TEMPER_OK && r < table->rows->rows; r++) {
        disk_array_used(table->rows->spill, table->row_size);
        for (size_t c = 0; c < table->width; c++)
            if (isnan(get_cell(table, r, c)))
                set_cell(table, r, c, mean[c]);
    }
    mem_free(count);
    return status;
}

/* ---- The schema ------------------------------------------------------------------------------ */

/* The schema outlives the column plan and the class tables, and so needs its own strings. */
static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = mem_alloc(size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* Copies the texts of a categorical column without the '=' that the parser puts before them. texts->count grows with
 * each copy, so that schema_free can free a part of them. */
static bool take_texts(const struct classes *category, struct names *texts)
{
    texts->name = (char **)mem_zeroed(category->count, sizeof *texts->name);
    if (!texts->name)
        return false;
    for (; texts->count < category->count; texts->count++) {
        texts->name[texts->count] = copy_text(category->name[texts->count] + 1);
        if (!texts->name[texts->count])
            return false;
    }
    return true;
}

/* Describes one column in the schema. `category` is NULL if it has numbers; `mean` points at the mean of its first
 * feature, or is NULL if the rule is not mean. */
static bool take_column(const struct csv_column_plan *plan, size_t position, const struct classes *category,
                        const double *mean, struct schema_column *column)
{
    column->position = position;
    bool indicator = column->rule.indicator;
    if (plan->role[position] != CSV_FEATURE && plan->inferred.rule)
        column->rule = plan->inferred.rule[position];
    column->rule.indicator = indicator;
    if (plan->header && !(column->name = copy_text(plan->names.name[position])))
        return false;
    if (category && !take_texts(category, &column->texts))
        return false;
    if (!mean)
        return true;
    size_t count = schema_column_features(column);
    column->fill = mem_alloc(count, sizeof *column->fill);
    if (column->fill)
        memcpy(column->fill, mean, count * sizeof *column->fill);
    return column->fill != NULL;
}

/* Describes all columns that became features, in file order, which is also the order of the features. */
static bool take_columns(const struct csv_table *table, const double *mean, struct schema *schema)
{
    const struct csv_column_plan *plan = table->plan;
    for (size_t i = 0, n = 0; i < plan->columns; i++) {
        bool text = plan->role[i] == CSV_CATEGORY;
        if (csv_column_numbers(plan, i) == 0)
            continue;
        struct schema_column *column = &schema->column[schema->columns++];
        /* schema->features is the index of this column's first feature. */
        const double *at = mean ? mean + schema->features : NULL;
        column->rule.indicator = table->indicator && table->indicator[i];
        if (!take_column(plan, i, text ? &table->rows->category[n++] : NULL, at, column))
            return false;
        schema->features += schema_column_features(column);
    }
    return true;
}

/* Whether the table is more than plain numbers, so that a model has to treat other tables as this one was. */
static bool is_inferred(const struct csv_table *table)
{
    const struct csv_inference *inferred = &table->plan->inferred;
    bool gaps = table->rows->missing > 0 || (table->plan->missing == CSV_FILL && table->rows->dropped > 0);
    return inferred->rule || (inferred->wanted && gaps);
}

/* Records how the columns became features, so that other tables can be converted in the same way when the model is
 * applied. `mean` has an element for each feature, or is NULL. The caller owns *out. */
static temper_status make_schema(const struct csv_table *table, const double *mean, struct schema **out)
{
    static const enum schema_missing rules[] = {[CSV_REFUSE] = SCHEMA_REFUSE,
                                                [CSV_ZERO] = SCHEMA_ZERO,
                                                [CSV_MEAN] = SCHEMA_MEAN,
                                                [CSV_DROP] = SCHEMA_DROP,
                                                [CSV_FILL] = SCHEMA_MEAN};
    const struct csv_column_plan *plan = table->plan;
    temper_error *error = table->error;
    struct schema *schema = mem_zeroed(1, sizeof *schema);
    if (!schema)
        return error_no_memory(error);
    schema->file_columns = plan->columns;
    schema->label_position = plan->label == CSV_NO_COLUMN ? SCHEMA_NO_LABEL : plan->label;
    schema->missing = plan->missing == CSV_FILL && !mean ? SCHEMA_REFUSE : rules[plan->missing];
    schema->automatic = is_inferred(table);
    schema->column = mem_zeroed(plan->width, sizeof *schema->column);
    bool fine = schema->column != NULL && (!schema->automatic || names_copy(&plan->inferred.gaps, &schema->gaps));
    if (fine && plan->header && plan->label != CSV_NO_COLUMN) {
        schema->label = copy_text(plan->names.name[plan->label]);
        fine = schema->label != NULL;
    }
    if (!fine || !take_columns(table, mean, schema)) {
        schema_free(schema);
        return error_no_memory(error);
    }
    *out = schema;
    return TEMPER_OK;
}

/* ---- The rows ------------------------------------------------------------------------------- */

/* Adds the notes on missing values. The counts are those of all ranks or of all batches, which is why the caller passes
 * them in `data` and `kept`. */
void csv_note_missing(struct dataset *data, uint64_t kept, bool means, bool of_training)
{
    unsigned long long filled = data->file.missing_filled, dropped = data->file.missing_dropped;
    const char *whose = filled == 1 ? "its" : "their";
    /* In an inferred table gaps are filled, so that only a label or a weight can be missing. */
    bool without_label = data->schema && data->schema->automatic && data->schema->missing == SCHEMA_MEAN;
    if (dropped > 0)
        dataset_note(data, "missing: %s of %s rows dropped%s", count_shown(dropped).text,
                     count_shown(dropped + kept).text, without_label ? ", which have no label" : "");
    if (filled > 0 && !means)
        dataset_note(data, "missing: %s value%s became 0", count_shown(filled).text, plural(filled));
    else if (filled > 0)
        dataset_note(data, "missing: %s value%s became the mean %s %s column%s", count_shown(filled).text,
                     plural(filled), of_training ? "that" : "of", whose, of_training ? " had in training" : "");
}

const char *csv_separator_name(char separator)
{
    return separator == ','    ? "comma"
           : separator == '\t' ? "tab"
           : separator == ';'  ? "semicolon"
           : separator == '|'  ? "bar"
                               : "space";
}

/* Notes what was assumed and what was done, so that the user can object. */
static void note(const struct csv_table *table, const struct data_reader *reader, struct dataset *data)
{
    const struct csv_column_plan *plan = table->plan;
    size_t made = 0; /* features that categorical columns have become */
    for (size_t i = 0; i < data->schema->columns; i++)
        made += data->schema->column[i].texts.count;
    data->file.missing_filled = table->rows->missing;
    data->file.missing_dropped = table->rows->dropped;
    if (plan->separator_inferred)
        dataset_note(data, "separator: %s, inferred from the first line%s", csv_separator_name(plan->format.separator),
                     reader->options->automatic ? "s" : "");
    if (plan->skipped > 0 && reader->options->skip == 0)
        dataset_note(
            data, "%llu line%s before the table left out, as %s another number of cells; --skip gives the number",
            (unsigned long long)plan->skipped, plural(plan->skipped), plan->skipped == 1 ? "it has" : "they have");
    if (!plan->header_given)
        dataset_note(data, plan->header ? "header: the first line, inferred from its text; --header no if it is a row"
                                        : "header: none, inferred from the first lines; --header yes if there is one");
    if (plan->label != CSV_NO_COLUMN && !reader->options->label && !reader->schema)
        dataset_note(data, "label: %s, %s; --label names another", csv_column_shown(plan, plan->label).text,
                     plan->inferred.label_named ? "by its name" : "the last one");
    csv_note_columns(plan, table->rows, data);
    if (table->indicators > 0)
        dataset_note(data, "indicators: %zu feature%s for gaps, which are frequent in %s", table->indicators,
                     table->indicators == 1 ? "" : "s", table->indicators == 1 ? "a column" : "these columns");
    if (plan->categories > 0)
        dataset_note(data, "categorical: %zu column%s became %s feature%s", plan->categories, plural(plan->categories),
                     count_shown(made).text, plural(made));
    if (!reader->rank.active && !reader->batch_bytes) /* else it is noted when everything was read */
        csv_note_missing(data, table->rows->rows, plan->missing == CSV_MEAN || plan->missing == CSV_FILL,
                         reader->schema != NULL);
}

/* Returns memory that was reserved beyond the last row to the system. If that fails, the larger array is kept. Arrays
 * in temporary files are left as they are. */
static void *shrink(const struct csv_rows *rows, void *array, size_t size)
{
    void *smaller = array && !rows->spill ? mem_resize(array, rows->rows, size) : NULL;
    return smaller ? smaller : array;
}

/* Moves the arrays and classes to the dataset, which owns them from now on; `rows` keeps nothing that it would free
 * twice. */
static void move(const struct csv_table *table, struct dataset *data)
{
    struct csv_rows *rows = table->rows;
    /* The matrix owns its array, unless the array is in a temporary file, which dataset->storage owns. */
    void *cells = shrink(rows, rows->cells, table->row_size);
    data->x = (struct matrix){
        .kind = table->plan->f64 ? MATRIX_F64 : MATRIX_F32,
        .rows = rows->rows,
        .columns = table->width,
        .nonzeros = (uint64_t)rows->rows * table->width,
        .dense = cells,
        .owned = {rows->spill ? NULL : cells},
    };
    data->label = shrink(rows, rows->label, sizeof *rows->label);
    data->weight = shrink(rows, rows->weight, sizeof *rows->weight);
    data->line = shrink(rows, rows->line, sizeof *rows->line);
    data->classes = rows->classes;
    data->file.format = table->plan->format.separator == '\t' ? "tsv" : "csv";
    data->file.header = table->plan->header;
    data->file.separator = table->plan->format.separator;
    data->file.skipped_lines = table->plan->skipped;
    data->file.short_header = table->plan->short_header;
    data->file.weight_column = table->plan->weight == CSV_NO_COLUMN ? 0 : table->plan->weight + 1;
    data->kept = (struct kept_cells){table->plan->kept_count, rows->kept.bytes,
                                     shrink(rows, rows->kept_start, sizeof *rows->kept_start)};
    rows->kept = (struct text){0};
    rows->kept_start = NULL;
    rows->cells = NULL;
    rows->label = NULL;
    rows->weight = NULL;
    rows->line = NULL;
    rows->classes = (struct classes){0};
}

/* A table without rows. The remedy depends on the cause: all rows were dropped, or the only line was taken for a
 * header. */
temper_status csv_refuse_no_rows(const struct csv_column_plan *plan, uint64_t dropped, temper_error *error)
{
    struct place_text place = place_text(plan->path);
    /* In an inferred table gaps are filled, so that only a label or a weight can be missing. */
    if (dropped > 0 && plan->missing == CSV_FILL && plan->label != CSV_NO_COLUMN)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: no row has a label in %s; fill it in, or name the column of the labels by --label",
                         place.text, csv_column_shown(plan, plan->label).text);
    return error_set(error, TEMPER_BAD_DATA,
                     dropped > 0    ? "%s: every row has a missing value; pass --missing zero or mean"
                     : plan->origin ? "%s: it has no rows; give some"
                                    : "%s: a header and no rows; add rows, or pass --header no if the line is one",
                     place.text);
}

/* One-hot expansion, filling, and the schema. Means are computed even if nothing is missing: it may be in the rows
 * that the model will predict. */
static temper_status make_features(struct csv_table *table, struct dataset *data)
{
    const struct csv_column_plan *plan = table->plan;
    bool means = plan->missing == CSV_MEAN || (plan->missing == CSV_FILL && is_inferred(table));
    temper_status status = find_indicators(table);
    if (status == TEMPER_OK)
        status = csv_check_odd_cells(plan, table->rows, data, table->error);
    if (status == TEMPER_OK && plan->categories + table->indicators > 0)
        status = expand(table);
    if (status == TEMPER_OK && (table->rows->missing > 0 || means))
        status = fill_missing(table);
    if (status == TEMPER_OK)
        status = make_schema(table, means ? table->mean : NULL, &data->schema);
    mem_free(table->mean);
    mem_free(table->indicator);
    table->mean = NULL;
    table->indicator = NULL;
    return status;
}

/* With a schema the features are those of the schema, else the schema is made from the features. The names of the
 * features come from it in both cases. Each weight was checked when it was parsed; weights that are all 0 show only
 * here. */
temper_status csv_to_dataset(const struct csv_column_plan *plan, struct csv_rows *rows,
                             const struct data_reader *reader, struct dataset *data)
{
    struct csv_table table = {
        .plan = plan, .rows = rows, .width = plan->width, .row_size = plan->row_size, .error = reader->error};
    temper_status status =
        reader->schema ? csv_match_finish(plan, rows, reader, data, &table.width) : make_features(&table, data);
    if (status == TEMPER_OK)
        status = schema_name_features(data->schema, &data->features, reader->error);
    if (status != TEMPER_OK)
        return status;
    table.row_size = table.width * plan->cell_size;
    note(&table, reader, data);
    move(&table, data);
    return data->weight ? weights_check(data, reader->error) : TEMPER_OK;
}
