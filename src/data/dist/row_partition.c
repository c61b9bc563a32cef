/* row_partition: chooses the number of parts: few enough that their sums are small compared with the data, and enough
 * for many threads. Every constant here is part of the results: another partition sums in another order.
 *
 * The number of parts is a power of two times a usual number, and the parts are the leaves of the summation tree
 * (comm/tree_sum.c). A process holds a run of whole parts, most of which form complete subtrees, so that it exchanges
 * few vectors. Where many fits share a pass, neighbouring parts are added into one sum, again a node of the same
 * tree. */
#include "data/dist/row_partition.h"

#include "base/memory.h"
#include "kernel/dense/linear.h"
#include "kernel/loss/softmax.h"
#include "tempered/loss_family.h"

enum {
    MOST_PARTS = 8192,  /* PARTS_USUAL, or up to this many if each then has */
    LARGE_ROWS = 16384, /* at least so many rows, or LARGE_BYTES */
    SPARSE_BLOCK_ROWS = 256,
    SPARSE_BLOCK_BYTES = 256 * 1024,
    TRANSPOSE_BYTES = 512 * 1024, /* larger gradients of sparse data are computed from a transposed copy */
    TOGETHER_ROWS = 1024,         /* rows of a batched objective's part, at least: adding its sums must be cheap */
    TOGETHER_SPARSE = 512,
    TOGETHER_FITS = 48, /* models of a batched objective: its sums are as many times as large */
};

/* So are gradients whose sums over parts would cost more than 1 / SPARSE_SHARE of a pass. */
static const double SPARSE_SHARE = 4;
static const double LARGE_BYTES = 16.0 * 1024 * 1024;
/* Sums of more than PARTS_USUAL parts may use MORE_BYTES or 1 / MORE_SHARE of the data, whichever is more. */
static const double MORE_BYTES = 64.0 * 1024 * 1024;
static const double MORE_SHARE = 1024;
/* Sums of all parts may use PART_BYTES or 1 / PART_SHARE of the data; */
static const double PART_BYTES = 4.0 * 1024 * 1024;
static const double PART_SHARE = 64;
/* up to FEW_PARTS parts, which threads need, FEW_BYTES and a sixteenth of the data. */
static const double FEW_PARTS = 8;
static const double FEW_BYTES = 32.0 * 1024 * 1024;

/* Rows of a block of sparse data: few enough that its scores, residuals and copies of them stay in the L2 cache, a
 * multiple of SOFTMAX_PAD, and at least that. */
size_t row_partition_sparse_block(size_t classes)
{
    size_t most = SPARSE_BLOCK_BYTES / (3 * sizeof(double)), rows = most;
    if (classes > 1)
        rows = most / classes;
    rows = rows / SOFTMAX_PAD * SOFTMAX_PAD;
    rows = rows < SPARSE_BLOCK_ROWS ? rows : SPARSE_BLOCK_ROWS;
    return rows > SOFTMAX_PAD ? rows : SOFTMAX_PAD;
}

/* Bytes of the matrix over all processes. Like matrix_bytes, but uint8 counts as floats: the partition must not depend
 * on whether scaling has made floats of them. */
static double data_bytes(const struct dataset *data)
{
    double rows = (double)dataset_all_rows(data), entries = (double)dataset_all_nonzeros(data);
    switch (data->x.kind) {
    case MATRIX_F32:
    case MATRIX_U8: /* --scale log makes floats of them, with the same parts */
        return entries * sizeof(float);
    case MATRIX_F64:
        return entries * sizeof(double);
    case MATRIX_CSR:
        break;
    }
    return entries * (sizeof(uint32_t) + sizeof(float)) + (rows + 1) * sizeof(uint64_t);
}

/* The number of parts before memory is considered: PARTS_USUAL, doubled while parts stay large. It is a power of two
 * times PARTS_USUAL, so that 2, 4, 8 ... processes hold whole subtrees of the summation tree and exchange one sum
 * each. */
static uint64_t wanted_parts(const struct dataset *data)
{
    double rows = (double)dataset_all_rows(data) / LARGE_ROWS;
    double bytes = data_bytes(data) / LARGE_BYTES, large = rows > bytes ? rows : bytes;
    uint64_t parts = PARTS_USUAL;
    while (parts < MOST_PARTS && 2 * (double)parts <= large)
        parts *= 2;
    return parts;
}

/* What the sums of a large number of parts may use in bytes; other modules apply the same bound to their sums. */
double row_partition_more_bytes(const struct dataset *data)
{
    double share = data_bytes(data) / MORE_SHARE;
    return share > MORE_BYTES ? share : MORE_BYTES;
}

/* How many parts fit the memory if the sums of one have `each` bytes: at least 1, at most `wanted`. */
static uint64_t most_parts(const struct dataset *data, uint64_t wanted, double each)
{
    double bytes = data_bytes(data), few = (FEW_BYTES + bytes / 16) / each;
    double share = bytes / PART_SHARE, most = (share > PART_BYTES ? share : PART_BYTES) / each;
    few = few < FEW_PARTS ? few : FEW_PARTS;
    most = most > few ? most : few;
    /* More parts than usual only serve more processes, so they may use less memory. */
    if (most >= PARTS_USUAL) {
        double more = row_partition_more_bytes(data) / each;
        most = most < more ? most : more > PARTS_USUAL ? more : PARTS_USUAL;
    }
    return most >= (double)wanted ? wanted : most < 1 ? 1 : (uint64_t)most;
}

/* Whether adding up the gradients of this many parts costs a notable share of a pass over sparse rows: their number of
 * additions is compared with that of the stored entries. */
static bool parts_cost(const struct dataset *data, uint64_t parts)
{
    return SPARSE_SHARE * (double)parts * (double)data->x.columns > (double)dataset_all_nonzeros(data);
}

/* How many neighbouring parts a batched objective (many fits in one pass) adds into one sum: a power of two, so that
 * the sums are nodes of the same summation tree. Doubled until a sum has enough rows, and until all sums fit the
 * memory. */
static size_t parts_together(const struct row_partition *parts, const struct dataset *data, double gradient)
{
    size_t together = 1, least = data->x.kind == MATRIX_CSR ? TOGETHER_SPARSE : TOGETHER_ROWS;
    while (together < parts->count && together * parts->rows_each < least)
        together *= 2;
    double all = (double)parts->count * TOGETHER_FITS * gradient, most = row_partition_more_bytes(data);
    while (!parts->transposed && 2 * together * PARTS_USUAL <= parts->count && all / (double)together > most)
        together *= 2;
    return together;
}

/* The partition of all rows: a function of the totals over all processes, the columns and the classes only. */
struct row_partition row_partition_of(const struct dataset *data)
{
    bool sparse = data->x.kind == MATRIX_CSR;
    size_t classes = data->classes.count, vectors = weight_vectors(classes);
    uint64_t rows = dataset_all_rows(data), columns = data->x.columns;
    double gradient = ((double)columns + 1) * (double)vectors * sizeof(double);
    size_t number = data->x.kind == MATRIX_F64 ? sizeof(double) : sizeof(float);
    size_t block = sparse ? row_partition_sparse_block(classes)
                          : linear_block_rows((size_t)columns, classes > 2 ? classes : 2, number);
    /* Parts consist of whole blocks, so that kernels never see a partial block except at the end. */
    uint64_t blocks = rows ? (rows - 1) / block + 1 : 1, wanted = wanted_parts(data);
    /* With a transposed copy gradients are computed column by column, without sums for each part. */
    bool transposed = sparse && rows <= UINT32_MAX &&
                      (gradient > TRANSPOSE_BYTES || parts_cost(data, blocks < PARTS_USUAL ? blocks : PARTS_USUAL));
    while (sparse && !transposed && wanted > PARTS_USUAL && parts_cost(data, wanted))
        wanted /= 2;
    uint64_t parts = most_parts(data, wanted, transposed ? 1 : gradient);
    uint64_t part_blocks = (blocks + parts - 1) / parts;
    struct row_partition made = {.rows_each = (size_t)(part_blocks * block),
                                 .count = (size_t)((blocks + part_blocks - 1) / part_blocks),
                                 .together = 1,
                                 .transposed = transposed};
    if (classes == 2)
        made.together = parts_together(&made, data, gradient);
    return made;
}

/* The first sum of a rank, where `together` parts share one. With fewer sums than ranks, the last ranks get none. */
static size_t first_together(const struct row_partition *parts, size_t rank, size_t ranks)
{
    size_t count = (parts->count + parts->together - 1) / parts->together;
    if (count < ranks)
        return rank < count ? rank : count;
    return count * rank / ranks;
}

/* The first part of a rank: the boundary of a sum, so that no batched sum has parts of two ranks. */
size_t row_partition_first(const struct row_partition *parts, size_t rank, size_t ranks)
{
    size_t first = first_together(parts, rank, ranks) * parts->together;
    return first < parts->count ? first : parts->count;
}

/* The first row of a rank; the last part may be shorter than the others. */
uint64_t row_partition_first_row(const struct row_partition *parts, uint64_t rows, size_t rank, size_t ranks)
{
    uint64_t first = (uint64_t)row_partition_first(parts, rank, ranks) * parts->rows_each;
    return first < rows ? first : rows;
}

/* The first part of each rank and the end, [size + 1]; the caller frees it. NULL without memory. */
size_t *row_partition_holders(const struct row_partition *parts, const temper_comm *comm)
{
    size_t size = comm_size(comm), *first = mem_alloc(size + 1, sizeof *first);
    for (size_t r = 0; first && r <= size; r++)
        first[r] = row_partition_first(parts, r, size);
    return first;
}

/* The same for the sums of a batched objective. */
size_t *row_partition_holders_together(const struct row_partition *parts, const temper_comm *comm)
{
    size_t size = comm_size(comm), *first = mem_alloc(size + 1, sizeof *first);
    for (size_t r = 0; first && r <= size; r++)
        first[r] = first_together(parts, r, size);
    return first;
}
