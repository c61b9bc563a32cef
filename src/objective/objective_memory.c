/* objective_memory: estimate of the memory that an objective will use, for --memory; mirrors the allocations of
 * objective.c, sparse/ and gram/. */
#include "objective/objective_internal.h"

/* The buffers of one worker: allocate_scratch. */
static double scratch_bytes(const struct objective *o)
{
    double real = o->spec.f64 ? sizeof(double) : sizeof(float), rows = (double)o->stride;
    double outputs = rows * (double)o->vectors, columns = (double)o->columns;
    /* Three buffers of scores and residuals, four of numbers a row, and the losses. */
    double bytes = 3 * outputs * sizeof(double) + 5 * rows * sizeof(double);
    bytes += 2 * (double)o->classes * sizeof(double);
    if (o->x->kind == MATRIX_CSR)
        return bytes;
    return bytes + real * (rows * columns + (double)linear_scratch(o->stride, o->columns, o->classes));
}

/* What two evaluation points keep for their Hessians: allocate_curvature. */
static double point_bytes(const struct objective *o)
{
    /* Blocks are padded to the stride. */
    double rows = (double)o->rows, blocks = rows / (double)o->layout.blocks.block_rows + 1;
    double entries = blocks * (double)o->stride * (double)o->classes;
    if (!o->spec.curvature || !objective_can_multiply(o))
        return 0;
    return sizeof(double) * (o->vectors == 1 ? 2 * rows : 3 * entries + 3 * rows);
}

/* MPI: each process has the entries of its rows, those of its columns, and about as many again in the buffers of the
 * exchange; and the residuals of all rows (csc_dist.c). */
static double shared_bytes(const struct objective *o)
{
    const struct dataset *data = o->spec.data;
    double ranks = (double)comm_size(data->ranks.comm), rows = (double)dataset_all_rows(data);
    double entries = (double)o->x->nonzeros + 2 * (double)dataset_all_nonzeros(data) / ranks;
    return entries * (sizeof(uint32_t) + sizeof(float)) +
           (double)o->columns * (4 * sizeof(uint64_t) + 2 * sizeof(double)) +
           rows * (double)o->vectors * sizeof(double);
}

/* Residuals and the transposed copy: sparse_prepare. */
static double sparse_bytes(const struct objective *o)
{
    double numbers = (double)o->rows * (double)o->vectors;
    /* Passes in floats have residuals in both types. */
    bool both = o->vectors > 1 ? o->spec.curvature : o->spec.floats;
    double floats = both ? sizeof(float) : 0;
    bool shared = !comm_alone(o->spec.data->ranks.comm);
    if (o->sparse.scattered && !shared)
        return (numbers + SCATTER_RANGES * (double)o->columns) * sizeof(double);
    if (o->sparse.by_rows && !shared)
        return numbers * sizeof(double);
    return o->sparse.transposed
               ? numbers * (sizeof(double) + floats) +
                     (shared ? shared_bytes(o) : csc_bytes(o->x, o->spec.data->storage.memory_limit, o->workers))
               : 0;
}

/* MPI: buffers of the tree sum, and Gram matrices that are passed from process to process. */
static double message_bytes(const struct objective *o, double part, double gram)
{
    return comm_alone(o->spec.data->ranks.comm) ? 0 : 8 * part * sizeof(double) + gram;
}

/* The sum of all these for an objective that would be created from `spec`. An estimate in doubles cannot overflow. */
double objective_bytes(const struct objective_spec *spec, struct objective_uses uses, double *block)
{
    struct objective o = {0};
    /* Derives sizes without allocating. */
    objective_shape(&o, spec);
    double plain = (double)o.columns * (double)o.vectors, gram = 0;
    double part = o.sparse.transposed ? (double)o.vectors : plain + (double)o.vectors;
    if (uses.gram || uses.hessian)
        gram = gram_bytes(&o, false);
    /* The two kinds of Gram matrices are computed one after the other, so the larger one counts. */
    if (uses.class_grams) {
        double of_classes = gram_bytes(&o, true);
        gram = of_classes > gram ? of_classes : gram;
    }
    *block = (double)matrix_bytes(o.x) / ((double)o.rows + 1) * (double)o.layout.blocks.block_rows;
    /* The Gram matrix twice: the allocator may not be able to reuse the memory of the previous one. */
    return plain * (sizeof(double) + sizeof(float)) + (double)o.layout.blocks.parts * part * sizeof(double) +
           point_bytes(&o) + (double)o.workers * scratch_bytes(&o) + sparse_bytes(&o) + 2 * gram +
           message_bytes(&o, part, gram) + sizeof(struct margin_table);
}
