/* noise_counts: counts labels among the surer rows of each predicted class, and divides the counts out of the
 * probabilities by Richardson-Lucy steps. */
#include "audit/noise/noise_counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"

enum {
    STEPS = 5, /* from the model's own probabilities; more of them amplify their errors */
    BLOCK_ROWS = 512
};
/* A table has to be likelier than one rate for all pairs by this share of log(classes - 1), which is what a wrong label
 * gains that has one possible true class, per row. On the design sets of bench/quality/package_data.py random noise
 * gained up to 0.06 in most cases, and pairs of classes 0.1 to 0.3 where the probabilities are good. */
static const double STRUCTURE_GAIN = 0.08;
/* At least this share of the gain must come from what the table has in one direction more than in the other: classes
 * that a model cannot tell apart are taken for each other in both. On design sets whose classes overlap the share was
 * 0.1 with random noise, and 0.16 to 1.5 with pairs of classes. */
static const double ONE_SIDED = 0.3;
static const double PRIOR_RIGHT = 1, PRIOR_ALL = 0.1; /* pseudo-rows of each class: right, and spread over all labels */
static const double LEAST = 1e-6;                     /* of a probability, whose logarithm is taken */

/* ---- Counts ---------------------------------------------------------------------------------- */

/* A row by its predicted class, the surest last. */
struct predicted_row {
    size_t class, row;
    double probability;
};

static int by_class(const void *a, const void *b)
{
    const struct predicted_row *one = a, *other = b;
    if (one->class != other->class)
        return one->class < other->class ? -1 : 1;
    if (one->probability != other->probability)
        return one->probability < other->probability ? -1 : 1;
    return one->row < other->row ? -1 : one->row > other->row;
}

/* Sorts all rows by their predicted class. */
static void sort_rows(const struct noise_counts_rows *rows, struct predicted_row *out)
{
    for (size_t row = 0; row < rows->rows; row++) {
        const double *p = rows->probability + row * rows->classes;
        size_t best = 0;
        for (size_t c = 1; c < rows->classes; c++)
            if (p[c] > p[best])
                best = c;
        out[row] = (struct predicted_row){best, row, p[best]};
    }
    qsort(out, rows->rows, sizeof *out, by_class);
}

/* Counts table[predicted * classes + given] over the surer half of each predicted class; returns the rows counted. */
static size_t count_labels(const struct noise_counts_rows *rows, const struct predicted_row *sorted, double *table)
{
    size_t counted = 0;
    for (size_t from = 0, to; from < rows->rows; from = to) {
        for (to = from + 1; to < rows->rows && sorted[to].class == sorted[from].class;)
            to++;
        for (size_t i = from + (to - from) / 2; i < to; i++, counted++)
            table[sorted[i].class * rows->classes + rows->given[sorted[i].row]]++;
    }
    return counted;
}

static double line_sum(const double *table, size_t classes, size_t line)
{
    double sum = 0;
    for (size_t g = 0; g < classes; g++)
        sum += table[line * classes + g];
    return sum;
}

/* Nats by which the table is likelier than one rate of errors for all pairs of classes. */
static double structure_gain(const double *table, size_t classes, size_t counted)
{
    double right = 0, likelihood = 0, all = (double)counted;
    for (size_t c = 0; c < classes; c++) {
        double sum = line_sum(table, classes, c);
        for (size_t g = 0; g < classes; g++)
            likelihood += table[c * classes + g] > 0 ? table[c * classes + g] * log(table[c * classes + g] / sum) : 0;
        right += table[c * classes + c];
    }
    double wrong = all - right;
    double uniform = wrong > 0 ? wrong * log(wrong / all / (double)(classes - 1)) : 0;
    uniform += right > 0 ? right * log(right / all) : 0;
    return likelihood - uniform;
}

/* out[] = the table, with the share of labels that two classes have of each other in both directions counted as right.
 */
static void one_sided(const double *table, size_t classes, double *out)
{
    for (size_t c = 0; c < classes; c++) {
        double sum = line_sum(table, classes, c), right = sum;
        for (size_t g = 0; g < classes; g++) {
            if (g == c)
                continue;
            double other = line_sum(table, classes, g);
            double both = other > 0 ? table[g * classes + c] / other * sum : 0;
            out[c * classes + g] = fmax(table[c * classes + g] - both, 0);
            right -= out[c * classes + g];
        }
        out[c * classes + c] = right;
    }
}

/* Divides each line by its sum, after the pseudo-rows. */
static void to_shares(double *table, size_t classes)
{
    for (size_t c = 0; c < classes; c++) {
        double *line = table + c * classes, sum = 0;
        line[c] += PRIOR_RIGHT;
        for (size_t g = 0; g < classes; g++) {
            line[g] += PRIOR_ALL / (double)classes;
            sum += line[g];
        }
        for (size_t g = 0; g < classes; g++)
            line[g] /= sum;
    }
}

/* ---- Probabilities of the true class ---------------------------------------------------------- */

/* Threads share all fields but their parts of the results. */
struct unmixing {
    const struct noise_counts_rows *rows;
    const double *table;
    double *out;
    double *space; /* of each worker: two numbers per class */
};

/* One step for one row: q_c is multiplied by sum_g T(c, g) p_g / m_g, m being the labels that q predicts. It lowers the
 * divergence of p from m (W. H. Richardson 1972, L. B. Lucy 1974). `space` has two numbers per class. */
static void step(const struct unmixing *job, const double *p, double *q, double *space)
{
    size_t classes = job->rows->classes;
    double *ratio = space, *made = space + classes, sum = 0;
    memset(made, 0, classes * sizeof *made);
    for (size_t c = 0; c < classes; c++)
        for (size_t g = 0; g < classes; g++)
            made[g] += q[c] * job->table[c * classes + g];
    for (size_t g = 0; g < classes; g++)
        ratio[g] = p[g] / fmax(made[g], LEAST * LEAST);
    for (size_t c = 0; c < classes; c++) {
        double factor = 0;
        for (size_t g = 0; g < classes; g++)
            factor += job->table[c * classes + g] * ratio[g];
        q[c] *= factor;
        sum += q[c];
    }
    for (size_t c = 0; c < classes; c++)
        q[c] /= sum;
}

/* The rows of a block, from the probabilities of the model. */
static temper_status run_block(void *context, size_t number, size_t worker)
{
    const struct unmixing *job = context;
    size_t classes = job->rows->classes, from = number * BLOCK_ROWS, left = job->rows->rows - from;
    double *space = job->space + worker * 2 * classes;
    for (size_t row = from; row < from + (left < BLOCK_ROWS ? left : BLOCK_ROWS); row++) {
        const double *p = job->rows->probability + row * classes;
        double *q = job->out + row * classes;
        for (size_t c = 0; c < classes; c++)
            q[c] = fmax(p[c], LEAST);
        for (size_t i = 0; i < STEPS; i++)
            step(job, p, q, space);
        for (size_t c = 0; c < classes; c++)
            q[c] = log(fmax(q[c], LEAST));
    }
    return TEMPER_OK;
}

/* ---- Both ------------------------------------------------------------------------------------ */

/* Whether the counts keep to certain pairs of classes. *gain: nats, of all counted rows, less half a nat for each free
 * cell: the expected gain by chance (Wilks 1938). `space` has the size of the table. */
static bool has_structure(const double *table, size_t classes, size_t counted, double *space, double *gain)
{
    double cells = (double)classes * (double)(classes - 1) - 1, found = structure_gain(table, classes, counted);
    *gain = found - cells / 2;
    one_sided(table, classes, space);
    return *gain >= STRUCTURE_GAIN * log((double)(classes - 1)) * (double)counted &&
           structure_gain(space, classes, counted) >= ONE_SIDED * found;
}

/* Makes the table; NULL and a *gain of 0 if it shows no structure. False: out of memory. */
static bool make_table(const struct noise_counts_rows *rows, double **table, double *gain)
{
    size_t classes = rows->classes;
    struct predicted_row *sorted = mem_alloc(rows->rows, sizeof *sorted);
    double *space = mem_alloc(classes, classes * sizeof *space);
    *table = mem_zeroed(classes, classes * sizeof **table);
    bool made = sorted && space && *table, structured = false;
    if (made) {
        sort_rows(rows, sorted);
        size_t counted = count_labels(rows, sorted, *table);
        structured = has_structure(*table, classes, counted, space, gain);
        to_shares(*table, classes);
    }
    mem_free(sorted);
    mem_free(space);
    if (!structured) {
        mem_free(*table);
        *table = NULL;
        *gain = 0;
    }
    return made;
}

/* The rate is that of rows spread evenly over the classes. */
temper_status noise_counts_fit(const struct noise_counts_rows *rows, double *evidence, struct noise_model *out,
                               double *gain, temper_error *error)
{
    size_t classes = rows->classes;
    double *table = NULL, *offset = NULL, right = 0;
    *gain = 0;
    if (classes > NOISE_CLASSES)
        return TEMPER_OK;
    if (!make_table(rows, &table, gain))
        return error_no_memory(error);
    if (!table)
        return TEMPER_OK;
    double *space = mem_alloc(rows->threads, 2 * classes * sizeof *space);
    offset = mem_zeroed(classes, sizeof *offset);
    struct unmixing job = {.rows = rows, .table = table, .out = evidence, .space = space};
    temper_status status = TEMPER_NO_MEMORY;
    if (space && offset)
        status = parallel_blocks((rows->rows + BLOCK_ROWS - 1) / BLOCK_ROWS, rows->threads, run_block, &job);
    mem_free(space);
    if (status != TEMPER_OK) {
        mem_free(table);
        mem_free(offset);
        return error_no_memory(error);
    }
    for (size_t c = 0; c < classes; c++)
        right += table[c * classes + c] / (double)classes;
    *out = (struct noise_model){
        .classes = classes, .sources = 1, .slope = {1}, .offset = offset, .rate = 1 - right, .transition = table};
    return TEMPER_OK;
}
