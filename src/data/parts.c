/* parts: few enough that their sums are small beside the data, enough for many threads. */
#include "data/parts.h"

#include "base/memory.h"
#include "kernel/linear.h"
#include "kernel/softmax.h"

enum {
    MOST_PARTS = 64,
    SPARSE_BLOCK_ROWS = 256,
    SPARSE_BLOCK_BYTES = 256 * 1024,
    TURN_BYTES = 512 * 1024, /* a gradient that is larger is not added to at random */
};

/* Nor one of whose parts there would be so many that adding them up takes this share of a pass. */
static const double SPARSE_SHARE = 4;
/* Sums of all parts may take this, and a sixteenth of the data beside it. */
static const double PART_BYTES = 32.0 * 1024 * 1024;

size_t parts_sparse_block(size_t classes)
{
    size_t most = SPARSE_BLOCK_BYTES / (3 * sizeof(double)), rows = most;
    if (classes > 1)
        rows = most / classes;
    rows = rows / SOFTMAX_PAD * SOFTMAX_PAD;
    rows = rows < SPARSE_BLOCK_ROWS ? rows : SPARSE_BLOCK_ROWS;
    return rows > SOFTMAX_PAD ? rows : SOFTMAX_PAD;
}

/* As matrix_bytes, of the rows of all; bytes count as floats. */
static double data_bytes(const struct dataset *data)
{
    double rows = (double)dataset_all_rows(data), entries = (double)dataset_all_nonzeros(data);
    switch (data->x.kind) {
    case MATRIX_F32:
    case MATRIX_U8: /* of which logarithms make floats: parts must stay what they were */
        return entries * sizeof(float);
    case MATRIX_F64:
        return entries * sizeof(double);
    case MATRIX_CSR:
        break;
    }
    return entries * (sizeof(uint32_t) + sizeof(float)) + (rows + 1) * sizeof(uint64_t);
}

struct parts parts_of(const struct dataset *data)
{
    bool sparse = data->x.kind == MATRIX_CSR;
    size_t classes = data->classes.count, vectors = classes > 2 ? classes : 1;
    uint64_t rows = dataset_all_rows(data), columns = data->x.columns;
    double gradient = ((double)columns + 1) * (double)vectors * sizeof(double);
    size_t number = data->x.kind == MATRIX_F64 ? sizeof(double) : sizeof(float);
    size_t block = sparse ? parts_sparse_block(classes)
                          : linear_block_rows((size_t)columns, classes > 2 ? classes : 2, number);
    uint64_t blocks = rows ? (rows - 1) / block + 1 : 1;
    bool turned =
        sparse && rows <= UINT32_MAX &&
        (gradient > TURN_BYTES ||
         SPARSE_SHARE * (double)(blocks < MOST_PARTS ? blocks : MOST_PARTS) * (double)columns >
             (double)dataset_all_nonzeros(data));
    double most = (PART_BYTES + data_bytes(data) / 16) / (turned ? 1 : gradient);
    uint64_t parts = most >= MOST_PARTS ? MOST_PARTS : most < 1 ? 1 : (uint64_t)most;
    uint64_t part_blocks = (blocks + parts - 1) / parts;
    return (struct parts){.rows_each = (size_t)(part_blocks * block),
                          .count = (size_t)((blocks + part_blocks - 1) / part_blocks),
                          .turned = turned};
}

size_t parts_first(const struct parts *parts, size_t rank, size_t ranks)
{
    if (parts->count < ranks)
        return rank < parts->count ? rank : parts->count;
    return parts->count * rank / ranks;
}

uint64_t parts_first_row(const struct parts *parts, uint64_t rows, size_t rank, size_t ranks)
{
    uint64_t first = (uint64_t)parts_first(parts, rank, ranks) * parts->rows_each;
    return first < rows ? first : rows;
}

size_t *parts_holders(const struct parts *parts, const temper_comm *comm)
{
    size_t size = comm_size(comm), *first = mem_alloc(size + 1, sizeof *first);
    for (size_t r = 0; first && r <= size; r++)
        first[r] = parts_first(parts, r, size);
    return first;
}
