/* sparse_rows: growing arrays. */
#include "data/sparse_rows.h"

#include <string.h>

#include "base/memory.h"

/* A capacity of at least `needed`, twice the old one at least. */
static bool grown(size_t needed, size_t *room)
{
    size_t doubled;
    if (!mul_size(*room, 2, &doubled) || doubled < needed)
        doubled = needed;
    *room = doubled;
    return true;
}

/* An array with room for `count`; the old one, and *failed, without memory. */
static void *resized(void *array, size_t count, size_t size, bool *failed)
{
    void *larger = mem_resize(array, count, size);
    *failed = *failed || !larger;
    return larger ? larger : array;
}

static bool reserve_rows(struct sparse_rows *rows, size_t needed)
{
    size_t room = rows->row_room;
    bool failed = false;
    if (needed <= room)
        return true;
    if (!grown(needed, &room) || room == SIZE_MAX)
        return false;
    rows->row_start = resized(rows->row_start, room + 1, sizeof *rows->row_start, &failed);
    rows->label = resized(rows->label, room, sizeof *rows->label, &failed);
    rows->line = resized(rows->line, room, sizeof *rows->line, &failed);
    if (failed)
        return false;
    if (rows->row_room == 0)
        rows->row_start[0] = 0;
    rows->row_room = room;
    return true;
}

static bool reserve_entries(struct sparse_rows *rows, size_t needed)
{
    size_t room = rows->room;
    bool failed = false;
    if (needed <= room)
        return true;
    if (!grown(needed, &room))
        return false;
    rows->column = resized(rows->column, room, sizeof *rows->column, &failed);
    rows->value = resized(rows->value, room, sizeof *rows->value, &failed);
    if (failed)
        return false;
    rows->room = room;
    return true;
}

bool sparse_rows_reserve(struct sparse_rows *rows, size_t more_rows, size_t more_entries)
{
    size_t row_total, entry_total;
    return add_size(rows->rows, more_rows, &row_total) &&
           add_size(rows->nonzeros, more_entries, &entry_total) && reserve_rows(rows, row_total) &&
           reserve_entries(rows, entry_total);
}

/* The line of the first row of a class, which has one. */
static size_t line_of_class(const struct sparse_rows *piece, uint32_t class, uint64_t lines_before)
{
    size_t row = 0;
    while (row + 1 < piece->rows && piece->label[row] != class)
        row++;
    return (size_t)(lines_before + piece->line[row]);
}

/* Where each class of the piece stands among ours. */
static temper_status merge_classes(struct sparse_rows *rows, const struct sparse_rows *piece,
                                   uint64_t lines_before, uint32_t *place, temper_error *error)
{
    for (size_t i = 0; i < piece->classes.count; i++) {
        const char *name = piece->classes.name[i];
        place[i] = classes_add(&rows->classes, name, strlen(name));
        if (place[i] == CLASSES_FULL)
            return error_at(error, TEMPER_BAD_DATA, line_of_class(piece, (uint32_t)i, lines_before),
                            1, "more than %d different labels; is this really the label?",
                            MOST_CLASSES);
        if (place[i] == CLASSES_NO_MEMORY)
            return error_no_memory(error);
    }
    return TEMPER_OK;
}

static void copy_rows(struct sparse_rows *rows, const struct sparse_rows *piece,
                      const uint32_t *place, uint64_t lines_before)
{
    for (size_t i = 0; i < piece->rows; i++) {
        rows->row_start[rows->rows + i + 1] = rows->nonzeros + piece->row_start[i + 1];
        rows->label[rows->rows + i] = piece->classes.count ? place[piece->label[i]] : 0;
        rows->line[rows->rows + i] = lines_before + piece->line[i];
    }
    if (piece->nonzeros == 0) /* then there may be no arrays either */
        return;
    memcpy(rows->column + rows->nonzeros, piece->column, piece->nonzeros * sizeof *rows->column);
    memcpy(rows->value + rows->nonzeros, piece->value, piece->nonzeros * sizeof *rows->value);
}

temper_status sparse_rows_append(struct sparse_rows *rows, const struct sparse_rows *piece,
                                 uint64_t lines_before, temper_error *error)
{
    uint32_t *place = mem_alloc(piece->classes.count, sizeof *place);
    if (!place || !sparse_rows_reserve(rows, piece->rows, piece->nonzeros)) {
        mem_free(place);
        return error_no_memory(error);
    }
    temper_status status = merge_classes(rows, piece, lines_before, place, error);
    if (status == TEMPER_OK) {
        copy_rows(rows, piece, place, lines_before);
        rows->rows += piece->rows;
        rows->nonzeros += piece->nonzeros;
        rows->unlabelled += piece->unlabelled;
        rows->columns = piece->columns > rows->columns ? piece->columns : rows->columns;
        rows->qid = rows->qid || piece->qid;
    }
    mem_free(place);
    return status;
}

void sparse_rows_clear(struct sparse_rows *rows)
{
    classes_free(&rows->classes);
    rows->rows = rows->nonzeros = 0;
    rows->unlabelled = rows->columns = 0;
    rows->qid = false;
}

void sparse_rows_free(struct sparse_rows *rows)
{
    mem_free(rows->row_start);
    mem_free(rows->label);
    mem_free(rows->line);
    mem_free(rows->column);
    mem_free(rows->value);
    classes_free(&rows->classes);
    *rows = (struct sparse_rows){0};
}

void sparse_rows_move(struct sparse_rows *rows, struct dataset *data)
{
    data->x = (struct matrix){
        .kind = MATRIX_CSR,
        .rows = rows->rows,
        .columns = rows->columns,
        .nonzeros = rows->nonzeros,
        .row_start = rows->row_start,
        .column = rows->column,
        .value = rows->value,
        .owned = {rows->row_start, rows->column, rows->value},
    };
    data->label = rows->label;
    data->classes = rows->classes;
    data->line = rows->line;
    if (rows->unlabelled) { /* then no row has one */
        mem_free(data->label);
        data->label = NULL;
    }
    *rows = (struct sparse_rows){0};
}
