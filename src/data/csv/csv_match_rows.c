/* csv_like_rows: rows of a new table become the features of a schema. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/csv/csv_schema.h"
#include "data/quote_text.h"

/* A column of the schema, and where its cells are. */
struct source_column {
    size_t slot;    /* among the kept cells of a row */
    uint32_t *text; /* of each code: which text of the schema; CSV_NO_CODE: none */
};

struct rows {
    const struct csv_column_plan *plan;
    struct csv_rows *whole;
    const struct schema *schema;
    struct source_column *source; /* one for each column of the schema */
    size_t row_size;
    uint64_t unseen; /* texts that training never saw */
    size_t unseen_column;
};

/* ---- Texts ----------------------------------------------------------------------------------- */

/* Finds each text of the file among those of the schema. */
static bool match_texts(const struct schema_column *column, const struct classes *found, uint32_t **out)
{
    uint32_t *text = mem_alloc(found->count, sizeof *text);
    *out = text;
    for (size_t i = 0; text && i < found->count; i++)
        text[i] = CSV_NO_CODE;
    if (!text)
        return false;
    /* The file's texts are in a table already: "=TEXT". */
    for (uint32_t k = 0; k < column->texts.count; k++) {
        size_t length = strlen(column->texts.name[k]);
        char *key = mem_alloc(length + 1, 1);
        if (!key)
            return false;
        key[0] = '=';
        memcpy(key + 1, column->texts.name[k], length);
        uint32_t code = classes_find(found, key, length + 1);
        mem_free(key);
        if (code != CLASSES_NONE)
            text[code] = k;
    }
    return true;
}

static void free_sources(struct rows *rows)
{
    for (size_t i = 0; rows->source && i < rows->schema->columns; i++)
        mem_free(rows->source[i].text);
    mem_free(rows->source);
}

/* Where each column's cells are, and what its texts mean. */
static bool find_sources(struct rows *rows)
{
    const struct csv_column_plan *plan = rows->plan;
    const struct schema *schema = rows->schema;
    size_t *slot = mem_zeroed(plan->columns, sizeof *slot);
    rows->source = mem_zeroed(schema->columns, sizeof *rows->source);
    bool fine = slot && rows->source;
    for (size_t i = 0, n = 0; fine && i < plan->columns; i++) {
        slot[i] = n;
        n += plan->role[i] == CSV_FEATURE || plan->role[i] == CSV_CATEGORY;
    }
    for (size_t i = 0; fine && i < schema->columns; i++) {
        rows->source[i].slot = slot[plan->like[i]];
        size_t category = 0;
        while (category < plan->categories && plan->category[category] != plan->like[i])
            category++;
        if (schema->column[i].texts.count > 0)
            fine = match_texts(&schema->column[i], &rows->whole->category[category], &rows->source[i].text);
    }
    mem_free(slot);
    return fine;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static unsigned char *write_cell(const struct rows *rows, unsigned char *out, double value)
{
    float narrow = (float)value;
    size_t size = rows->plan->cell_size;
    memcpy(out, rows->plan->f64 ? (const void *)&value : (const void *)&narrow, size);
    return out + size;
}

/* One feature for each text; all zeros for one that training never saw. */
static unsigned char *write_texts(struct rows *rows, size_t column, const unsigned char *cell, unsigned char *out)
{
    const struct schema_column *schema = &rows->schema->column[column];
    const double *fill = rows->plan->missing == CSV_MEAN ? schema->fill : NULL;
    uint32_t code, text = CSV_NO_CODE;
    memcpy(&code, cell, sizeof code);
    if (code != CSV_NO_CODE) {
        text = rows->source[column].text[code];
        if (text == CSV_NO_CODE && rows->unseen++ == 0)
            rows->unseen_column = rows->plan->like[column];
        fill = NULL;
    }
    for (uint32_t k = 0; k < schema->texts.count; k++)
        out = write_cell(rows, out, fill ? fill[k] : k == text);
    return out;
}

/* A number; NaN is a missing one. */
static unsigned char *write_number(const struct rows *rows, size_t column, const unsigned char *cell,
                                   unsigned char *out)
{
    const double *fill = rows->schema->column[column].fill;
    double wide = 0;
    float narrow = 0;
    memcpy(rows->plan->f64 ? (void *)&wide : (void *)&narrow, cell, rows->plan->cell_size);
    if (isnan(wide) || isnan(narrow))
        return write_cell(rows, out, rows->plan->missing == CSV_MEAN && fill ? fill[0] : 0);
    memcpy(out, cell, rows->plan->cell_size);
    return out + rows->plan->cell_size;
}

static void write_row(struct rows *rows, const unsigned char *row, unsigned char *out)
{
    for (size_t i = 0; i < rows->schema->columns; i++) {
        const unsigned char *cell = row + rows->source[i].slot * rows->plan->cell_size;
        out = rows->schema->column[i].texts.count > 0 ? write_texts(rows, i, cell, out)
                                                      : write_number(rows, i, cell, out);
    }
}

/* Whether a row is its own features already, in order, but for missing numbers. */
static bool rows_are_straight(const struct rows *rows)
{
    bool straight = rows->row_size == rows->plan->row_size;
    for (size_t i = 0; straight && i < rows->schema->columns; i++)
        straight = rows->source[i].slot == i && rows->schema->column[i].texts.count == 0;
    return straight;
}

static bool row_is_whole(const struct rows *rows, const void *row)
{
    const float *narrow = row;
    const double *wide = row;
    bool missing = false;
    for (size_t i = 0; i < rows->schema->columns; i++)
        missing |= rows->plan->f64 ? isnan(wide[i]) != 0 : isnan(narrow[i]) != 0;
    return !missing;
}

/* In place, from the last row to the first: a row never becomes narrower, see csv_to_dataset. */
static bool write_rows(struct rows *rows)
{
    struct csv_rows *whole = rows->whole;
    size_t old_size = rows->plan->row_size;
    unsigned char *row = mem_alloc(old_size, 1);
    unsigned char *cells = row ? array_resize(whole->spill, whole->cells, whole->rows, rows->row_size) : NULL;
    if (cells)
        whole->cells = cells;
    bool straight = rows_are_straight(rows);
    for (size_t r = whole->rows; cells && r-- > 0;) {
        if (!straight || !row_is_whole(rows, cells + r * old_size)) {
            memcpy(row, cells + r * old_size, old_size);
            write_row(rows, row, cells + r * rows->row_size);
        }
        disk_array_used(whole->spill, old_size + rows->row_size);
    }
    mem_free(row);
    return cells != NULL;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void note(const struct rows *rows, struct dataset *data)
{
    const struct csv_column_plan *plan = rows->plan;
    if (plan->unknowns > 0 && plan->header)
        dataset_note(data, "columns: %zu ignored that the model does not use, first %s", plan->unknowns,
                     csv_column_shown(plan, plan->unknown).text);
    if (plan->label != CSV_NO_COLUMN)
        dataset_note(data, "label: %s", csv_column_shown(plan, plan->label).text);
    if (rows->unseen > 0)
        dataset_note(data, "categorical: %llu text%s that training never saw became zeros, the last in %s",
                     (unsigned long long)rows->unseen, plural(rows->unseen),
                     csv_column_shown(plan, rows->unseen_column).text);
}

temper_status csv_match_finish(const struct csv_column_plan *plan, struct csv_rows *whole,
                               const struct reading *reading, struct dataset *data, size_t *width)
{
    struct rows rows = {.plan = plan, .whole = whole, .schema = reading->schema};
    size_t ignored;
    bool fine = mul_size(rows.schema->features, plan->cell_size, &rows.row_size) &&
                mul_size(rows.row_size, whole->rows, &ignored) && find_sources(&rows) && write_rows(&rows);
    free_sources(&rows);
    if (!fine)
        return error_no_memory(reading->error);
    *width = rows.schema->features;
    note(&rows, data);
    return schema_copy(rows.schema, &data->schema, reading->error);
}
