/* csr_builder: growing arrays of a CSR matrix, and the merge of several into one.
 *
 * Each thread parses a chunk into a builder of its own, with classes numbered in the order of that chunk. The builders
 * are appended in the order of the chunks: row starts are shifted by the entries before them, lines by the lines before
 * them, and labels are translated to the common class numbers. So the result is that of one thread. */
#include "data/read/csr_builder.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/read/text_chunks.h"

/* The next capacity: at least `needed`, and at least twice the old one, so that appending takes amortised constant
 * time. */
static size_t grown(size_t needed, size_t capacity)
{
    size_t doubled;
    return mul_size(capacity, 2, &doubled) && doubled > needed ? doubled : needed;
}

/* Resizes an array to `count` elements. Without memory it returns the old array, which is still valid, and sets
 * *failed. */
static void *resized(struct disk_array *spill, void *array, size_t count, size_t size, bool *failed)
{
    void *larger = array_resize(spill, array, count, size);
    *failed = *failed || !larger;
    return larger ? larger : array;
}

/* Resizes the arrays with an element for each row; row_start has one more, and begins with 0. The capacity is raised
 * only if all of them have grown. */
static bool set_row_capacity(struct csr_builder *rows, size_t capacity)
{
    bool failed = capacity == SIZE_MAX; /* one more does not exist */
    if (failed)
        return false;
    rows->row_start = resized(rows->spill, rows->row_start, capacity + 1, sizeof *rows->row_start, &failed);
    rows->label = resized(rows->spill, rows->label, capacity, sizeof *rows->label, &failed);
    rows->line = resized(rows->spill, rows->line, capacity, sizeof *rows->line, &failed);
    if (failed)
        return false;
    /* The first row starts at entry 0. */
    if (rows->row_capacity == 0)
        rows->row_start[0] = 0;
    rows->row_capacity = capacity;
    return true;
}

/* Resizes the arrays with an element for each nonzero. */
static bool set_capacity(struct csr_builder *rows, size_t capacity)
{
    bool failed = false;
    rows->column = resized(rows->spill, rows->column, capacity, sizeof *rows->column, &failed);
    rows->value = resized(rows->spill, rows->value, capacity, sizeof *rows->value, &failed);
    if (failed)
        return false;
    rows->capacity = capacity;
    return true;
}

/* Both totals are checked for overflow before anything is allocated, since they come from the size of a text. */
bool csr_builder_reserve(struct csr_builder *rows, size_t more_rows, size_t more_entries)
{
    size_t row_total, entry_total;
    if (!add_size(rows->rows, more_rows, &row_total) || !add_size(rows->nonzeros, more_entries, &entry_total))
        return false;
    return (row_total <= rows->row_capacity || set_row_capacity(rows, grown(row_total, rows->row_capacity))) &&
           (entry_total <= rows->capacity || set_capacity(rows, grown(entry_total, rows->capacity)));
}

/* Reserves exactly the estimate; doubling is for estimates that were too low. */
void csr_builder_expect(struct csr_builder *rows, size_t all_rows, size_t all_entries)
{
    if (all_rows > rows->row_capacity && !set_row_capacity(rows, all_rows))
        return;
    /* Only the two large arrays are worth huge pages. */
    if (all_entries > rows->capacity && set_capacity(rows, all_entries) && !rows->spill) {
        huge_pages_advise(rows->column, all_entries * sizeof *rows->column);
        huge_pages_advise(rows->value, all_entries * sizeof *rows->value);
    }
}

/* The line of the file with the first row of a class. The class may belong to a row that was begun and then failed: its
 * label and line are stored after the last row. */
static size_t line_of_class(const struct csr_builder *chunk, uint32_t class, uint64_t lines_before)
{
    size_t row = 0;
    while (row < chunk->rows && chunk->label[row] != class)
        row++;
    return (size_t)(lines_before + chunk->line[row]);
}

/* Fills chunk->place: the number of each class of the chunk among the classes of `rows`. Classes from earlier chunks of
 * this builder are known already (chunk->placed of them); new ones are added in the order of the chunk's rows, so that
 * the numbering is that of a single thread. */
static temper_status merge_classes(struct csr_builder *rows, struct csr_builder *chunk, uint64_t lines_before,
                                   temper_error *error)
{
    if (chunk->placed == chunk->classes.count)
        return TEMPER_OK;
    uint32_t *place = mem_resize(chunk->place, chunk->classes.count, sizeof *place);
    if (!place)
        return error_no_memory(error);
    chunk->place = place;
    /* `placed` is raised one by one: after a failure the classes before it are still valid. */
    for (; chunk->placed < chunk->classes.count; chunk->placed++) {
        const char *name = chunk->classes.name[chunk->placed];
        uint32_t number = classes_add(&rows->classes, name, strlen(name));
        if (number == CLASSES_FULL)
            return error_at(error, TEMPER_BAD_DATA, line_of_class(chunk, (uint32_t)chunk->placed, lines_before), 1,
                            SPARSE_TOO_MANY, count_shown(MOST_CLASSES).text);
        if (number == CLASSES_NO_MEMORY)
            return error_no_memory(error);
        place[chunk->placed] = number;
    }
    return TEMPER_OK;
}

/* Appends the chunk's rows: row starts are shifted by the nonzeros so far, lines by the lines before the chunk, and
 * labels are translated to the classes of `rows`. The arrays have enough capacity. */
static void copy_rows(struct csr_builder *rows, const struct csr_builder *chunk, uint64_t lines_before)
{
    for (size_t i = 0; i < chunk->rows; i++) {
        /* Row i of the chunk ends where the entries of the rows before it and its own end. */
        rows->row_start[rows->rows + i + 1] = rows->nonzeros + chunk->row_start[i + 1];
        rows->label[rows->rows + i] = chunk->placed ? chunk->place[chunk->label[i]] : 0;
        rows->line[rows->rows + i] = lines_before + chunk->line[i];
    }
    if (chunk->nonzeros == 0) /* there may be no arrays either */
        return;
    memcpy(rows->column + rows->nonzeros, chunk->column, chunk->nonzeros * sizeof *rows->column);
    memcpy(rows->value + rows->nonzeros, chunk->value, chunk->nonzeros * sizeof *rows->value);
}

/* Classes first: if there are too many, no row is added. Called in the order of the chunks. */
temper_status csr_builder_append(struct csr_builder *rows, struct csr_builder *chunk, uint64_t lines_before,
                                 temper_error *error)
{
    if (!csr_builder_reserve(rows, chunk->rows, chunk->nonzeros))
        return error_no_memory(error);
    TRY(merge_classes(rows, chunk, lines_before, error));
    copy_rows(rows, chunk, lines_before);
    rows->rows += chunk->rows;
    rows->nonzeros += chunk->nonzeros;
    /* The caller has checked that the chunk's labels agree with the rows before it. */
    rows->labels = rows->labels == SPARSE_NO_ROWS ? chunk->labels : rows->labels;
    rows->columns = chunk->columns > rows->columns ? chunk->columns : rows->columns;
    rows->qid = rows->qid || chunk->qid;
    return TEMPER_OK;
}

/* Capacities and classes stay. So does chunk->place: it stays valid as long as the chunk is appended to the same rows.
 * */
void csr_builder_clear(struct csr_builder *rows)
{
    rows->rows = rows->nonzeros = 0;
    rows->labels = SPARSE_NO_ROWS;
    rows->columns = 0;
    rows->qid = false;
}

/* The arrays may be in temporary files. */
void csr_builder_free(struct csr_builder *rows)
{
    array_free(rows->spill, rows->row_start);
    array_free(rows->spill, rows->label);
    array_free(rows->spill, rows->line);
    array_free(rows->spill, rows->column);
    array_free(rows->spill, rows->value);
    classes_free(&rows->classes);
    mem_free(rows->place);
    *rows = (struct csr_builder){0};
}

/* Hands the arrays to the dataset, which frees them; arrays in temporary files belong to its storage instead. Rows
 * without labels have an array of zeros, which is freed. The arrays are not shrunk: untouched pages take no memory. */
void csr_builder_move(struct csr_builder *rows, struct dataset *data)
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
    /* Arrays in temporary files are freed with the dataset's storage. */
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
    *rows = (struct csr_builder){0};
}
