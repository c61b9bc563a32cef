/* noise_matrix: class-conditional noise: labels drawn from a transition matrix P(noisy class | class). */
#include "base/memory.h"
#include "base/random.h"
#include "data/noise/noise_rows.h"
#include "data/noise/transition_matrix.h"
#include "data/random_streams.h"

/* Inverse transform sampling: the class at the cumulated probability u; never one of probability 0. */
static uint32_t draw(const double *p, size_t classes, double u)
{
    uint32_t last = 0;
    double sum = 0;
    for (uint32_t c = 0; c < classes; c++) {
        /* Classes of probability 0 are skipped, so that `last` is never one of them. */
        if (p[c] <= 0)
            continue;
        last = c;
        sum += p[c];
        if (u < sum)
            return c;
    }
    return last; /* the sum fell short of 1 by its rounding */
}

/* Draws the new label of each row and marks those that differ; returns their number. Row `was` of p are the
 * probabilities. */
static size_t draw_all(const struct dataset *data, const double *p, uint64_t seed, uint32_t *drawn, bool *marked)
{
    const struct random random = {seed, STREAM_NOISE_CLASS};
    size_t classes = data->classes.count, count = 0;
    /* The random number is indexed by the row, so that the order of processing does not matter. */
    for (uint64_t i = 0; i < data->x.rows; i++) {
        uint32_t was = data->label[i];
        drawn[i] = draw(p + was * classes, classes, random_uniform(random, i));
        marked[i] = drawn[i] != was;
        count += marked[i];
    }
    return count;
}

/* The list of changes, ascending by row; owned by the caller. Each row draws its label from the row of the matrix that
 * belongs to its class; a draw of its own class is no change. */
static temper_status draw_changes(const struct dataset *data, const double *p, uint64_t seed, struct noise *out,
                                  temper_error *error)
{
    uint32_t *drawn = mem_alloc((size_t)data->x.rows, sizeof *drawn);
    bool *marked = mem_alloc((size_t)data->x.rows, sizeof *marked);
    temper_status status = TEMPER_NO_MEMORY;
    if (drawn && marked) {
        /* Marked first: the list of changes is then allocated in its final length. */
        size_t count = draw_all(data, p, seed, drawn, marked);
        status = noise_start(data, marked, count, out, error);
        for (size_t i = 0; status == TEMPER_OK && i < out->count; i++)
            out->change[i].is = drawn[out->change[i].row];
    }
    mem_free(drawn);
    mem_free(marked);
    return status == TEMPER_NO_MEMORY ? error_no_memory(error) : status;
}

/* Class-conditional noise. The rate follows from the matrix and the classes of the data, so that the number of changes
 * is random. */
temper_status noise_transition(const struct dataset *data, const char *path, uint64_t seed, struct noise *out,
                               temper_error *error)
{
    /* The matrix is classes x classes, in the order of the data's classes. */
    double *p = NULL;
    temper_status status = noise_check_classes(data, error);
    if (status == TEMPER_OK)
        status = transition_matrix_read(path, data, &p, error);
    if (status == TEMPER_OK)
        status = draw_changes(data, p, seed, out, error);
    mem_free(p);
    return status;
}
