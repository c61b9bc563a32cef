/* csv_part: the growing arrays that rows are read into, and how parts become one. */
#include <string.h>

#include "base/memory.h"
#include "data/csv/csv.h"
#include "data/read/huge_pages.h"

enum { FIRST_ROWS = 64 };

/* Some rows at once: an array of no bytes would be grown for the first row anyway. */
bool csv_rows_start(struct csv_rows *part, const struct csv_column_plan *plan)
{
    part->category = mem_zeroed(plan->categories, sizeof *part->category);
    return part->category && csv_rows_reserve(part, plan, FIRST_ROWS);
}

/* Each array on its own: what has grown stays good if there is no memory for the rest. Large blocks
 * are moved by the system without a copy, and what is not touched yet takes no memory. */
static bool resize(struct csv_rows *part, const struct csv_column_plan *plan, size_t rows)
{
    unsigned char *cells = array_resize(part->spill, part->cells, rows, plan->row_size);
    if (cells)
        part->cells = cells;
    uint64_t *line = array_resize(part->spill, part->line, rows, sizeof *line);
    if (line)
        part->line = line;
    bool fine = cells && line;
    if (fine && plan->label != CSV_NO_COLUMN) {
        uint32_t *label = array_resize(part->spill, part->label, rows, sizeof *label);
        if (label)
            part->label = label;
        fine = label != NULL;
    }
    if (fine && plan->weight != CSV_NO_COLUMN) {
        double *weight = array_resize(part->spill, part->weight, rows, sizeof *weight);
        if (weight)
            part->weight = weight;
        fine = weight != NULL;
    }
    return fine;
}

/* By half: fewer moves than by a fixed step, less address space than by doubling. */
bool csv_rows_reserve(struct csv_rows *part, const struct csv_column_plan *plan, size_t rows)
{
    if (rows <= part->capacity)
        return true;
    size_t capacity = part->capacity + part->capacity / 2;
    if (capacity < rows)
        capacity = rows;
    if (!resize(part, plan, capacity))
        return false;
    part->capacity = capacity;
    return true;
}

void csv_rows_expect(struct csv_rows *part, const struct csv_column_plan *plan, size_t rows)
{
    if (rows <= part->capacity || !resize(part, plan, rows))
        return;
    part->capacity = rows;
    if (!part->spill)
        page_window_expect(part->cells, rows * plan->row_size);
}

/* The arrays stay: a part is used for one chunk after another. */
void csv_rows_clear(struct csv_rows *part)
{
    part->rows = 0;
    part->lines = part->missing = part->dropped = 0;
    part->fault = (struct csv_error){0};
}

/* ---- Parts to a whole
 * ------------------------------------------------------------------------------- */

/* The codes of one table of a part, as they are found in the whole; CSV_NO_CODE: not asked yet. */
struct csv_codes {
    uint32_t *code;
    size_t count;
};

/* Those of classes that are new are not asked yet. */
static bool codes_extend(struct csv_codes *codes, const struct classes *classes)
{
    if (codes->count == classes->count)
        return true;
    uint32_t *code = mem_resize(codes->code, classes->count, sizeof *code);
    if (!code)
        return false;
    codes->code = code;
    while (codes->count < classes->count)
        code[codes->count++] = CSV_NO_CODE;
    return true;
}

/* Asks the whole only when a row needs it: so new codes come in the order of the rows, as if there
 * were no parts. */
static uint32_t recode(const struct csv_codes *codes, const struct classes *from, struct classes *to, uint32_t old)
{
    uint32_t *code = &codes->code[old];
    if (*code == CSV_NO_CODE) {
        const char *name = from->name[old];
        *code = classes_add(to, name, strlen(name));
    }
    return *code;
}

/* Whether a code is one; else the part ends before this row. */
static bool check_code(struct csv_rows *part, size_t row, size_t field, uint32_t code)
{
    if (code != CLASSES_FULL && code != CLASSES_NO_MEMORY)
        return true;
    part->rows = row;
    part->fault = (struct csv_error){.kind = CSV_MEMORY, .line = part->line[row], .field = field};
    return false;
}

static bool recode_row(struct csv_rows *part, struct csv_rows *whole, const struct csv_column_plan *plan, size_t row)
{
    for (size_t i = 0; i < plan->categories; i++) {
        unsigned char *cell = part->cells + row * plan->row_size + plan->slot[i] * plan->cell_size;
        uint32_t code;
        memcpy(&code, cell, sizeof code);
        if (code == CSV_NO_CODE)
            continue;
        code = recode(&part->codes[i], &part->category[i], &whole->category[i], code);
        if (!check_code(part, row, plan->category[i], code)) {
            part->fault.kind = code == CLASSES_FULL ? CSV_VALUES : CSV_MEMORY;
            return false;
        }
        memcpy(cell, &code, sizeof code);
    }
    if (!part->label)
        return true;
    uint32_t label = recode(&part->codes[plan->categories], &part->classes, &whole->classes, part->label[row]);
    part->label[row] = label;
    if (check_code(part, row, plan->label, label))
        return true;
    part->fault.kind = label == CLASSES_FULL ? CSV_LABELS : CSV_MEMORY;
    return false;
}

/* One table of codes for each category, then one for the label. */
void csv_rows_recode(struct csv_rows *part, struct csv_rows *whole, const struct csv_column_plan *plan)
{
    if (!part->codes)
        part->codes = mem_zeroed(plan->categories + 1, sizeof *part->codes);
    bool fine = part->codes != NULL;
    for (size_t i = 0; fine && i < plan->categories; i++)
        fine = codes_extend(&part->codes[i], &part->category[i]);
    fine = fine && codes_extend(&part->codes[plan->categories], &part->classes);
    if (!fine)
        part->fault.kind = CSV_MEMORY;
    for (size_t row = 0; fine && row < part->rows; row++)
        fine = recode_row(part, whole, plan, row);
}

bool csv_rows_append(const struct csv_rows *part, struct csv_rows *whole, const struct csv_column_plan *plan)
{
    size_t at = whole->rows;
    if (!csv_rows_reserve(whole, plan, at + part->rows))
        return false;
    memcpy(whole->cells + at * plan->row_size, part->cells, part->rows * plan->row_size);
    if (part->label)
        memcpy(whole->label + at, part->label, part->rows * sizeof *part->label);
    if (part->weight)
        memcpy(whole->weight + at, part->weight, part->rows * sizeof *part->weight);
    for (size_t i = 0; i < part->rows; i++)
        whole->line[at + i] = part->line[i] + whole->lines;
    whole->rows += part->rows;
    whole->lines += part->lines;
    whole->missing += part->missing;
    whole->dropped += part->dropped;
    return true;
}

/* The names of classes and categories, and their codes elsewhere. */
static void free_classes(struct csv_rows *part, const struct csv_column_plan *plan)
{
    classes_free(&part->classes);
    for (size_t i = 0; part->category && i < plan->categories; i++)
        classes_free(&part->category[i]);
    for (size_t i = 0; part->codes && i <= plan->categories; i++)
        mem_free(part->codes[i].code);
}

void csv_rows_free(struct csv_rows *part, const struct csv_column_plan *plan)
{
    free_classes(part, plan);
    mem_free(part->category);
    mem_free(part->codes);
    array_free(part->spill, part->cells);
    array_free(part->spill, part->label);
    array_free(part->spill, part->weight);
    array_free(part->spill, part->line);
    *part = (struct csv_rows){0};
}
