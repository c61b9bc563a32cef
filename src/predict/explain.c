/* explain: contributions of features to the scores of rows.
 *
 * A score is b + sum_j w_j f(x_j) = base + sum_j w_j (f(x_j) - r_j), base = b + sum_j w_j r_j: r_j is the reference of
 * feature j (explain_terms.c), f the logarithm log(1 + x) for that scaling, else x itself. A decision is explained by
 * the difference of two scores, that of the predicted class and that of the runner-up, which is such a sum, too. */
#include "predict/explain.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/thread.h"
#include "predict/predict.h"

enum { EXPLAIN_BLOCK_ROWS = 64 }; /* rows of a thread's unit of work */

/* ---- The model ------------------------------------------------------------------------------- */

/* Inserts into a list that is sorted by absolute value and has at most `top` members; of equal ones the first stays
 * first. */
void explain_model(const struct explainer *explainer, size_t vector, size_t top, temper_effect *list, size_t *count)
{
    const struct model *model = explainer->model;
    size_t listed = 0;
    for (size_t j = 0; j < model->features; j++) {
        double weight = model->weights[vector * model->features + j], step = explain_step(model, j);
        double effect = weight * step;
        size_t place = listed;
        while (place > 0 && fabs(list[place - 1].effect) < fabs(effect))
            place--;
        if (effect == 0 || place == top)
            continue;
        listed += listed < top;
        memmove(list + place + 1, list + place, (listed - 1 - place) * sizeof *list);
        list[place] = (temper_effect){j, explainer->names.name[j], weight, step, effect};
    }
    *count = listed;
}

/* ---- The features of a row ------------------------------------------------------------------- */

/* All features of a row of any kind of matrix; sparse rows may have fewer columns than the model, or more. */
static void row_features(const struct explainer *explainer, const struct matrix *x, size_t index, double *out)
{
    size_t features = explainer->model->features;
    if (x->kind != MATRIX_CSR) {
        matrix_row_f64(x, index, out);
        return;
    }
    struct row row = matrix_row(x, index);
    memset(out, 0, features * sizeof *out);
    for (size_t i = 0; i < row.count; i++)
        if (row_column(&row, i) < features)
            out[row_column(&row, i)] = row_value(&row, i);
}

/* The distance of a feature from its reference, by which its weight is multiplied. */
static double distance(const struct explainer *explainer, size_t feature, double value)
{
    double transformed = explainer->model->scale.kind == SCALE_LOG ? log1p(value) : value;
    return transformed - (explainer->reference ? explainer->reference[feature] : 0);
}

/* ---- The margin of a row --------------------------------------------------------------------- */

/* The weights of the margin: those of the predicted class less those of the runner-up; of two classes, those of the
 * only vector with the sign of the predicted class. */
struct margin_weights {
    const double *plus, *minus; /* [features]; minus NULL: none */
    double sign;
};

/* The weight of a feature in the difference of the two scores. */
static double margin_weight(const struct margin_weights *margin, size_t feature)
{
    return margin->sign * margin->plus[feature] - (margin->minus ? margin->minus[feature] : 0);
}

/* Finds the two classes, and fills in margin and base. */
static struct margin_weights open_row(const struct explainer *explainer, const double *score,
                                      temper_row_explanation *row)
{
    const struct model *model = explainer->model;
    const double *base = explainer->base;
    *row = (temper_row_explanation){.predicted = predicted_class(model, score)};
    if (model->vectors == 1) {
        double sign = row->predicted == 1 ? 1 : -1;
        row->runner_up = 1 - row->predicted;
        row->margin = fabs(score[0]);
        row->base = sign * base[0];
        return (struct margin_weights){model->weights, NULL, sign};
    }
    row->runner_up = row->predicted == 0;
    for (size_t c = 0; c < model->vectors; c++)
        if (c != row->predicted && score[c] > score[row->runner_up])
            row->runner_up = c;
    row->margin = score[row->predicted] - score[row->runner_up];
    row->base = base[row->predicted] - base[row->runner_up];
    return (struct margin_weights){model->weights + row->predicted * model->features,
                                   model->weights + row->runner_up * model->features, 1};
}

/* The category of which the row has the only 1; a gap is filled with the shares of all categories, and a category that
 * training has not seen is 0 in all. */
static const char *category_of(const struct explain_term *term, const double *x)
{
    bool zero = true;
    for (size_t k = 0; k < term->count; k++) {
        if (x[term->first + k] == 1)
            return term->texts->name[k];
        zero &= x[term->first + k] == 0;
    }
    return zero ? "another value" : "no value";
}

/* The value of a term for people. */
static void describe_value(const struct explain_term *term, const double *x, temper_contribution *out)
{
    double value = x[term->first];
    out->value = term->kind == TERM_WORDS ? (double)NAN : value;
    if (term->kind == TERM_CATEGORY)
        out->text = category_of(term, x);
    else if ((term->kind == TERM_BOOLEAN || term->kind == TERM_INDICATOR) && (value == 0 || value == 1))
        out->text = value == 1 ? "yes" : "no";
}

/* One row in progress. */
struct row_list {
    temper_contribution *list; /* sorted by absolute value */
    size_t count, top;
    size_t moved; /* terms whose contribution is not 0 */
    double sum;   /* of all contributions */
};

/* Inserts the contribution of a term if it is among the `top` largest. */
static void offer_term(struct row_list *row, size_t term, double contribution)
{
    size_t place = row->count;
    row->sum += contribution;
    row->moved += contribution != 0;
    while (place > 0 && fabs(row->list[place - 1].contribution) < fabs(contribution))
        place--;
    if (contribution == 0 || place == row->top)
        return;
    row->count += row->count < row->top;
    memmove(row->list + place + 1, row->list + place, (row->count - 1 - place) * sizeof *row->list);
    row->list[place] = (temper_contribution){.term = term, .contribution = contribution};
}

/* Shared by the threads, which write disjoint rows. */
struct explain_job {
    const struct explainer *explainer;
    const struct matrix *x;
    const double *score;          /* [rows][vectors] */
    double *features;             /* [workers][features] */
    const temper_explanation *to; /* NULL: */
    double *out;                  /* the contributions of all features */
};

/* Offers the contributions of all terms of a row. */
static void offer_terms(const struct explain_job *job, size_t index, const struct margin_weights *margin, double *x,
                        struct row_list *list)
{
    const struct explainer *explainer = job->explainer;
    row_features(explainer, job->x, index, x);
    for (size_t t = 0; t < explainer->terms; t++) {
        const struct explain_term *term = &explainer->term[t];
        double contribution = 0;
        for (size_t j = term->first; j < term->first + term->count; j++) {
            double weight = margin_weight(margin, j);
            contribution += weight == 0 ? 0 : weight * distance(explainer, j, x[j]);
        }
        offer_term(list, t, contribution);
    }
}

/* Whether absent features of sparse rows contribute nothing, and each feature is a term: then the entries of a row are
 * enough, of which there may be a hundred among a million features. */
static bool entries_suffice(const struct explain_job *job)
{
    const struct explainer *explainer = job->explainer;
    return job->x->kind == MATRIX_CSR && !explainer->reference && explainer->terms == explainer->model->features;
}

/* The same of the entries of a sparse row; x is set for them only. */
static void offer_entries(const struct explain_job *job, size_t index, const struct margin_weights *margin, double *x,
                          struct row_list *list)
{
    struct row row = matrix_row(job->x, index);
    for (size_t i = 0; i < row.count; i++) {
        size_t j = row_column(&row, i);
        if (j >= job->explainer->model->features)
            continue;
        x[j] = row_value(&row, i);
        offer_term(list, j, margin_weight(margin, j) * distance(job->explainer, j, x[j]));
    }
}

/* Explains a row by its terms. */
static void explain_row(const struct explain_job *job, size_t index, double *x)
{
    const struct explainer *explainer = job->explainer;
    temper_row_explanation *row = &job->to->rows[index];
    struct margin_weights margin = open_row(explainer, job->score + index * explainer->model->vectors, row);
    struct row_list list = {.list = job->to->list + index * job->to->top, .top = job->to->top};
    if (entries_suffice(job))
        offer_entries(job, index, &margin, x, &list);
    else
        offer_terms(job, index, &margin, x, &list);
    row->count = list.count;
    row->rest = list.sum;
    for (size_t i = 0; i < list.count; i++) {
        const struct explain_term *term = &explainer->term[list.list[i].term];
        list.list[i].name = term->name;
        describe_value(term, x, &list.list[i]);
        row->rest -= list.list[i].contribution;
    }
    if (row->count == list.moved) /* what is left is rounding */
        row->rest = 0;
}

/* The contributions of all features of a row to all scores, and the bases. */
static void contribute_row(const struct explain_job *job, size_t index, double *x)
{
    const struct explainer *explainer = job->explainer;
    const struct model *model = explainer->model;
    double *out = job->out + index * model->vectors * (model->features + 1);
    row_features(explainer, job->x, index, x);
    for (size_t v = 0; v < model->vectors; v++, out += model->features + 1) {
        const double *weights = model->weights + v * model->features;
        for (size_t j = 0; j < model->features; j++)
            out[j] = weights[j] == 0 ? 0 : weights[j] * distance(explainer, j, x[j]);
        out[model->features] = explainer->base[v];
    }
}

/* The work of one thread on one block. */
static temper_status explain_block(void *context, size_t block, size_t worker)
{
    const struct explain_job *job = context;
    size_t to = min_size((block + 1) * EXPLAIN_BLOCK_ROWS, (size_t)job->x->rows);
    double *x = job->features + worker * job->explainer->model->features;
    for (size_t row = block * EXPLAIN_BLOCK_ROWS; row < to; row++)
        if (job->out)
            contribute_row(job, row, x);
        else
            explain_row(job, row, x);
    return TEMPER_OK;
}

/* Computes the scores, which also checks the columns, and goes through the rows. */
static temper_status run_job(struct explain_job *job, size_t threads, temper_error *error)
{
    const struct model *model = job->explainer->model;
    size_t rows = (size_t)job->x->rows, blocks = (rows + EXPLAIN_BLOCK_ROWS - 1) / EXPLAIN_BLOCK_ROWS, room;
    double *score = mem_alloc(rows, model->vectors * sizeof *score);
    job->features = mul_size(threads, model->features, &room) ? mem_alloc(room, sizeof *job->features) : NULL;
    temper_status status = score && job->features ? TEMPER_OK : error_no_memory(error);
    if (status == TEMPER_OK)
        status = decide(model, job->x, threads, score, error);
    job->score = score;
    if (status == TEMPER_OK && parallel_blocks(blocks, threads, explain_block, job) != TEMPER_OK)
        status = error_no_memory(error);
    mem_free(score);
    mem_free(job->features);
    return status;
}

temper_status explain_rows(const struct explainer *explainer, const struct matrix *x, size_t threads,
                           const temper_explanation *to, temper_error *error)
{
    struct explain_job job = {.explainer = explainer, .x = x, .to = to};
    return run_job(&job, threads, error);
}

temper_status contributions(const struct explainer *explainer, const struct matrix *x, size_t threads, double *out,
                            temper_error *error)
{
    struct explain_job job = {.explainer = explainer, .x = x, .out = out};
    return run_job(&job, threads, error);
}
