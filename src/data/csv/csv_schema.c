/* csv_schema: what the columns of a table became, kept for other tables. */
#include <string.h>

#include "base/memory.h"
#include "data/csv/csv_schema.h"

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = mem_alloc(size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* The texts of a categorical column, without the '=' in front of them. */
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

/* One column; `category` is NULL if it holds numbers, `mean` points at its first feature. */
static bool take_column(const struct csv_column_plan *plan, size_t position, const struct classes *category,
                        const double *mean, struct schema_column *column)
{
    column->position = position;
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

static bool take_columns(const struct csv_column_plan *plan, const struct csv_rows *whole, const double *mean,
                         struct schema *schema)
{
    for (size_t i = 0, n = 0; i < plan->columns; i++) {
        bool text = plan->role[i] == CSV_CATEGORY;
        if (!text && plan->role[i] != CSV_FEATURE)
            continue;
        struct schema_column *column = &schema->column[schema->columns++];
        const double *at = mean ? mean + schema->features : NULL;
        if (!take_column(plan, i, text ? &whole->category[n++] : NULL, at, column))
            return false;
        schema->features += schema_column_features(column);
    }
    return true;
}

temper_status csv_schema_learn(const struct csv_column_plan *plan, const struct csv_rows *whole, const double *mean,
                               struct schema **out, temper_error *error)
{
    static const enum schema_missing rules[] = {
        [CSV_REFUSE] = SCHEMA_REFUSE, [CSV_ZERO] = SCHEMA_ZERO, [CSV_MEAN] = SCHEMA_MEAN, [CSV_DROP] = SCHEMA_DROP};
    struct schema *schema = mem_zeroed(1, sizeof *schema);
    if (!schema)
        return error_no_memory(error);
    schema->file_columns = plan->columns;
    schema->label_position = plan->label == CSV_NO_COLUMN ? SCHEMA_NO_LABEL : plan->label;
    schema->missing = rules[plan->missing];
    schema->column = mem_zeroed(plan->width, sizeof *schema->column);
    bool fine = schema->column != NULL;
    if (fine && plan->header && plan->label != CSV_NO_COLUMN) {
        schema->label = copy_text(plan->names.name[plan->label]);
        fine = schema->label != NULL;
    }
    if (!fine || !take_columns(plan, whole, mean, schema)) {
        schema_free(schema);
        return error_no_memory(error);
    }
    *out = schema;
    return TEMPER_OK;
}
