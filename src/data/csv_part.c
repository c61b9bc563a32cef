/* csv_part: the growing arrays that rows are read into, and how parts become one. */
#include <string.h>

#include "base/memory.h"
#include "data/csv.h"

enum { FIRST_ROWS = 64 };

/* Some rows at once: an array of no bytes would be grown for the first row anyway. */
bool csv_part_start(struct csv_part *part, const struct csv_plan *plan)
{
    part->category = mem_zeroed(plan->categories, sizeof *part->category);
    return part->category && csv_part_reserve(part, plan, FIRST_ROWS);
}

/* Each array on its own: what has grown stays good if there is no memory for the rest. Large blocks
 * are moved by the system without a copy, and what is not touched yet takes no memory. */
static bool resize(struct csv_part *part, const struct csv_plan *plan, size_t rows)
{
    unsigned char *cells = mem_resize(part->cells, rows, plan->row_size);
    if (cells)
        part->cells = cells;
    uint64_t *line = mem_resize(part->line, rows, sizeof *line);
    if (line)
        part->line = line;
    bool fine = cells && line;
    if (fine && plan->label != CSV_NO_COLUMN) {
        uint32_t *label = mem_resize(part->label, rows, sizeof *label);
        if (label)
            part->label = label;
        fine = label != NULL;
    }
    if (fine && plan->weight != CSV_NO_COLUMN) {
        double *weight = mem_resize(part->weight, rows, sizeof *weight);
        if (weight)
            part->weight = weight;
        fine = weight != NULL;
    }
    return fine;
}

/* By half: fewer moves than by a fixed step, less address space than by doubling. */
bool csv_part_reserve(struct csv_part *part, const struct csv_plan *plan, size_t rows)
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

/* The names of classes and categories. */
static void free_classes(struct csv_part *part, const struct csv_plan *plan)
{
    classes_free(&part->classes);
    for (size_t i = 0; part->category && i < plan->categories; i++)
        classes_free(&part->category[i]);
}

/* The arrays stay: a part is used for one chunk after another. */
void csv_part_clear(struct csv_part *part, const struct csv_plan *plan)
{
    free_classes(part, plan);
    part->rows = 0;
    part->lines = part->missing = part->dropped = 0;
    part->fault = (struct csv_fault){0};
}

/* ---- Parts to a whole
 * ------------------------------------------------------------------------------- */

/* Codes of one table of a part, as they are found in the whole; CSV_NO_CODE: not asked yet. */
struct recoding {
    uint32_t *code;
    const struct classes *from;
    struct classes *to;
};

/* Nothing is asked yet. */
static bool recoding_new(struct recoding *recoding, const struct classes *from, struct classes *to)
{
    *recoding = (struct recoding){mem_alloc(from->count, sizeof *recoding->code), from, to};
    for (size_t i = 0; recoding->code && i < from->count; i++)
        recoding->code[i] = CSV_NO_CODE;
    return recoding->code != NULL;
}

/* Asks the whole only when a row needs it: so new codes come in the order of the rows, as if there
 * were no parts. */
static uint32_t recode(struct recoding *recoding, uint32_t old)
{
    uint32_t *code = &recoding->code[old];
    if (*code == CSV_NO_CODE) {
        const char *name = recoding->from->name[old];
        *code = classes_add(recoding->to, name, strlen(name));
    }
    return *code;
}

/* Whether a code is one; else the part ends before this row. */
static bool check_code(struct csv_part *part, size_t row, size_t field, uint32_t code)
{
    if (code != CLASSES_FULL && code != CLASSES_NO_MEMORY)
        return true;
    part->rows = row;
    part->fault = (struct csv_fault){.kind = CSV_MEMORY, .line = part->line[row], .field = field};
    return false;
}

/* `recoding` holds one for each category, then one for the label. */
static bool recode_row(struct csv_part *part, const struct csv_plan *plan, size_t row,
                       struct recoding *recoding)
{
    for (size_t i = 0; i < plan->categories; i++) {
        unsigned char *cell = part->cells + row * plan->row_size + plan->slot[i] * plan->cell_size;
        uint32_t code;
        memcpy(&code, cell, sizeof code);
        if (code == CSV_NO_CODE)
            continue;
        code = recode(&recoding[i], code);
        if (!check_code(part, row, plan->category[i], code)) {
            part->fault.kind = code == CLASSES_FULL ? CSV_VALUES : CSV_MEMORY;
            return false;
        }
        memcpy(cell, &code, sizeof code);
    }
    if (!part->label)
        return true;
    part->label[row] = recode(&recoding[plan->categories], part->label[row]);
    if (check_code(part, row, plan->label, part->label[row]))
        return true;
    part->fault.kind = part->label[row] == CLASSES_FULL ? CSV_LABELS : CSV_MEMORY;
    return false;
}

void csv_part_recode(struct csv_part *part, struct csv_part *whole, const struct csv_plan *plan)
{
    size_t count = plan->categories + 1;
    struct recoding *recoding = mem_zeroed(count, sizeof *recoding);
    bool fine = recoding != NULL;
    for (size_t i = 0; fine && i < plan->categories; i++)
        fine = recoding_new(&recoding[i], &part->category[i], &whole->category[i]);
    fine = fine && recoding_new(&recoding[count - 1], &part->classes, &whole->classes);
    if (!fine)
        part->fault.kind = CSV_MEMORY;
    for (size_t row = 0; fine && row < part->rows; row++)
        fine = recode_row(part, plan, row, recoding);
    for (size_t i = 0; recoding && i < count; i++)
        mem_free(recoding[i].code);
    mem_free(recoding);
}

/* The only step that moves all the cells, and it needs no order: threads share it. */
void csv_part_copy(const struct csv_part *part, struct csv_part *whole, const struct csv_plan *plan,
                   size_t at, uint64_t lines_before)
{
    memcpy(whole->cells + at * plan->row_size, part->cells, part->rows * plan->row_size);
    if (part->label)
        memcpy(whole->label + at, part->label, part->rows * sizeof *part->label);
    if (part->weight)
        memcpy(whole->weight + at, part->weight, part->rows * sizeof *part->weight);
    for (size_t i = 0; i < part->rows; i++)
        whole->line[at + i] = part->line[i] + lines_before;
}

void csv_part_free(struct csv_part *part, const struct csv_plan *plan)
{
    free_classes(part, plan);
    mem_free(part->category);
    mem_free(part->cells);
    mem_free(part->label);
    mem_free(part->weight);
    mem_free(part->line);
    *part = (struct csv_part){0};
}
