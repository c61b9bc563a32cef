/* sparse_rows: growing arrays. */
#include "data/read/csr_builder.h"

#include <string.h>

#include "base/memory.h"
#include "data/read/text_chunks.h"

/* A capacity of at least `needed`, twice the old one at least. */
static size_t grown(size_t needed, size_t room)
{
    size_t doubled;
    return mul_size(room, 2, &doubled) && doubled > needed ? doubled : needed;
}

/* An array with room for `count`; the old one, and *failed, without memory. */
static void *resized(struct disk_array *spill, void *array, size_t count, size_t size, bool *failed)
{
    void *larger = array_resize(spill, array, count, size);
    *failed = *failed || !larger;
    return larger ? larger : array;
}

static bool set_row_room(struct sparse_rows *rows, size_t room)
{
    bool failed = room == SIZE_MAX; /* one more does not exist */
    if (failed)
        return false;
    rows->row_start = resized(rows->spill, rows->row_start, room + 1, sizeof *rows->row_start, &failed);
    rows->label = resized(rows->spill, rows->label, room, sizeof *rows->label, &failed);
    rows->line = resized(rows->spill, rows->line, room, sizeof *rows->line, &failed);
    if (failed)
        return false;
    if (rows->row_room == 0)
        rows->row_start[0] = 0;
    rows->row_room = room;
    return true;
}

static bool set_room(struct sparse_rows *rows, size_t room)
{
    bool failed = false;
    rows->column = resized(rows->spill, rows->column, room, sizeof *rows->column, &failed);
    rows->value = resized(rows->spill, rows->value, room, sizeof *rows->value, &failed);
    if (failed)
        return false;
    rows->room = room;
    return true;
}

bool csr_builder_reserve(struct sparse_rows *rows, size_t more_rows, size_t more_entries)
{
    size_t row_total, entry_total;
    if (!add_size(rows->rows, more_rows, &row_total) || !add_size(rows->nonzeros, more_entries, &entry_total))
        return false;
    return (row_total <= rows->row_room || set_row_room(rows, grown(row_total, rows->row_room))) &&
           (entry_total <= rows->room || set_room(rows, grown(entry_total, rows->room)));
}

/* As much as was asked for, not twice the old room, which is for where the guess was wrong. */
void csr_builder_expect(struct sparse_rows *rows, size_t all_rows, size_t all_entries)
{
    if (all_rows > rows->row_room && !set_row_room(rows, all_rows))
        return;
    if (all_entries > rows->room && set_room(rows, all_entries) && !rows->spill) {
        huge_pages_advise(rows->column, all_entries * sizeof *rows->column);
        huge_pages_advise(rows->value, all_entries * sizeof *rows->value);
    }
}

/* The line of the first row of a class, which may be the one behind the last: begun, and faulty. */
static size_t line_of_class(const struct sparse_rows *piece, uint32_t class, uint64_t lines_before)
{
    size_t row = 0;
    while (row < piece->rows && piece->label[row] != class)
        row++;
    return (size_t)(lines_before + piece->line[row]);
}

/* Where each class of the piece stands among ours. Those that it had before are known; new ones
 * come in the order of its rows, so that ours do too. */
static temper_status merge_classes(struct sparse_rows *rows, struct sparse_rows *piece, uint64_t lines_before,
                                   temper_error *error)
{
    if (piece->placed == piece->classes.count)
        return TEMPER_OK;
    uint32_t *place = mem_resize(piece->place, piece->classes.count, sizeof *place);
    if (!place)
        return error_no_memory(error);
    piece->place = place;
    for (; piece->placed < piece->classes.count; piece->placed++) {
        const char *name = piece->classes.name[piece->placed];
        uint32_t number = classes_add(&rows->classes, name, strlen(name));
        if (number == CLASSES_FULL)
            return error_at(error, TEMPER_BAD_DATA, line_of_class(piece, (uint32_t)piece->placed, lines_before), 1,
                            SPARSE_TOO_MANY, MOST_CLASSES);
        if (number == CLASSES_NO_MEMORY)
            return error_no_memory(error);
        place[piece->placed] = number;
    }
    return TEMPER_OK;
}

static void copy_rows(struct sparse_rows *rows, const struct sparse_rows *piece, uint64_t lines_before)
{
    for (size_t i = 0; i < piece->rows; i++) {
        rows->row_start[rows->rows + i + 1] = rows->nonzeros + piece->row_start[i + 1];
        rows->label[rows->rows + i] = piece->placed ? piece->place[piece->label[i]] : 0;
        rows->line[rows->rows + i] = lines_before + piece->line[i];
    }
    if (piece->nonzeros == 0) /* then there may be no arrays either */
        return;
    memcpy(rows->column + rows->nonzeros, piece->column, piece->nonzeros * sizeof *rows->column);
    memcpy(rows->value + rows->nonzeros, piece->value, piece->nonzeros * sizeof *rows->value);
}

temper_status csr_builder_append(struct sparse_rows *rows, struct sparse_rows *piece, uint64_t lines_before,
                                 temper_error *error)
{
    if (!csr_builder_reserve(rows, piece->rows, piece->nonzeros))
        return error_no_memory(error);
    temper_status status = merge_classes(rows, piece, lines_before, error);
    if (status != TEMPER_OK)
        return status;
    copy_rows(rows, piece, lines_before);
    rows->rows += piece->rows;
    rows->nonzeros += piece->nonzeros;
    rows->labels = rows->labels == SPARSE_NO_ROWS ? piece->labels : rows->labels;
    rows->columns = piece->columns > rows->columns ? piece->columns : rows->columns;
    rows->qid = rows->qid || piece->qid;
    return TEMPER_OK;
}

void csr_builder_clear(struct sparse_rows *rows)
{
    rows->rows = rows->nonzeros = 0;
    rows->labels = SPARSE_NO_ROWS;
    rows->columns = 0;
    rows->qid = false;
}

void csr_builder_free(struct sparse_rows *rows)
{
    array_free(rows->spill, rows->row_start);
    array_free(rows->spill, rows->label);
    array_free(rows->spill, rows->line);
    array_free(rows->spill, rows->column);
    array_free(rows->spill, rows->value);
    classes_free(&rows->classes);
    mem_free(rows->place);
    *rows = (struct sparse_rows){0};
}

void csr_builder_move(struct sparse_rows *rows, struct dataset *data)
{
    data->x = (struct matrix){
        .kind = MATRIX_CSR,
        .rows = rows->rows,
        .columns = rows->columns,
        .nonzeros = rows->nonzeros,
        .row_start = rows->row_start,
        .column = rows->column,
        .value = rows->value,
    };
    if (!rows->spill) {
        data->x.owned[0] = rows->row_start;
        data->x.owned[1] = rows->column;
        data->x.owned[2] = rows->value;
    }
    data->label = rows->label;
    data->classes = rows->classes;
    data->line = rows->line;
    mem_free(rows->place);
    if (rows->labels == SPARSE_UNLABELLED) {
        array_free(rows->spill, data->label);
        data->label = NULL;
    }
    *rows = (struct sparse_rows){0};
}
