/* audit_evidence: what fits, neighbours and curves say together, and the noise that follows from
 * it.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit_state.h"
#include "base/memory.h"

/* The fifth of the rows of which is known most; how much more often than others labels have to
 * contradict them, and by how many standard errors, for a rule in it. */
static const double SURE_FROM = 0.8, CONTRADICTED = 1.25, CERTAIN = 3, RANDOM_FROM = 0.3;
/* Models are never quite right, so that what all rows together say of the rate is worth less than
 * what the surest do: their standard error is taken as half. */
static const double TRUST_IN_SUREST = 0.5;
/* Activations of nine tenths of the rows are within what is believed. */
static const double SATURATED = 0.9;

/* ---- More classes ---------------------------------------------------------------------------- */

/* log q of the votes, q_c = (v_c + 1/C) / (sum v + 1), up to what all classes share: that is
 * log(1 + C v_c), and 0 for classes without a vote. */
static void add_votes(struct audit *audit, size_t row, double *votes)
{
    const uint32_t *neighbour = audit->neighbour + row * audit->neighbours;
    const uint32_t *label = audit->data->label;
    double *out = audit->evidence + row * audit->classes;
    for (size_t i = 0; i < audit->neighbours; i++)
        votes[label[neighbour[i]]] += audit->belief[neighbour[i]];
    for (size_t i = 0; i < audit->neighbours; i++) {
        uint32_t class = label[neighbour[i]];
        out[class] += log1p((double)audit->classes * votes[class]);
        votes[class] = 0;
    }
}

/* The probability that the given label is right. */
static void believe(struct audit *audit, double *space)
{
    for (size_t row = 0; row < audit->rows; row++) {
        double all = audit_row(audit, row, space);
        audit->belief[row] = exp(space[audit->data->label[row]] - all);
    }
}

static temper_status gather(struct audit *audit, double *votes)
{
    struct noise_rows rows = {audit->evidence, audit->data->label, audit->rows, audit->classes};
    memcpy(audit->evidence, audit->activation, audit->rows * audit->classes * sizeof *audit->evidence);
    for (size_t row = 0; row < audit->rows; row++)
        add_votes(audit, row, votes);
    return noise_em_fit(&rows, &audit->model, audit->error);
}

/* ---- Two classes ----------------------------------------------------------------------------- */

/* The surest fifth of the rows of two classes, and all: how often labels contradict what is known.
 */
struct surest {
    double rows, error, all;
};

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* What so many of the sizes of `known` are below. */
static temper_status find_size(const struct audit *audit, const double *known, double share, double *out)
{
    double *size = mem_alloc(audit->rows, sizeof *size);
    if (!size)
        return error_no_memory(audit->error);
    for (size_t row = 0; row < audit->rows; row++)
        size[row] = fabs(known[row]);
    qsort(size, audit->rows, sizeof *size, ascending);
    *out = size[(size_t)(share * (double)audit->rows)];
    mem_free(size);
    return TEMPER_OK;
}

/* By `known`: above 0 for the second class. */
static temper_status find_surest(const struct audit *audit, const double *known, struct surest *out)
{
    double least;
    temper_status status = find_size(audit, known, SURE_FROM, &least);
    if (status != TEMPER_OK)
        return status;
    *out = (struct surest){0};
    for (size_t row = 0; row < audit->rows; row++) {
        double off = (known[row] > 0) != (audit->data->label[row] == 1);
        out->all += off / (double)audit->rows;
        out->rows += fabs(known[row]) >= least;
        out->error += fabs(known[row]) >= least ? off : 0;
    }
    out->error /= out->rows;
    return TEMPER_OK;
}

/* There more than elsewhere: then labels are wrong by a rule that neighbours share, and their votes
 * would defend it. */
static bool contradicts(const struct surest *surest)
{
    double spread = sqrt(surest->all * (1 - surest->all) / surest->rows);
    return surest->all > 0 && surest->error >= CONTRADICTED * surest->all &&
           surest->error - surest->all >= CERTAIN * spread;
}

/* What fits, neighbours and curves say of a row. Votes count alike: as much as a neighbour is
 * believed, they would tell of the row's own label, by which the neighbour was judged, and noise
 * would look rarer than it is. Activations beyond `most` grow no further: so far out lie rows that
 * are odd, of which a linear model knows less than it says. */
static void fill_two(struct audit *audit, double most)
{
    for (size_t row = 0; row < audit->rows; row++) {
        const uint32_t *neighbour = audit->neighbour + row * audit->neighbours;
        double *out = audit->evidence + TWO_EVIDENCE * row, votes[2] = {0};
        for (size_t i = 0; i < audit->neighbours; i++)
            votes[audit->data->label[neighbour[i]]]++;
        out[0] = most > 0 ? tanh(out[0] / most) : out[0];
        out[1] = log1p(2 * votes[1]) - log1p(2 * votes[0]);
        out[2] = audit->curve[2 * row + 1] - audit->curve[2 * row];
    }
}

/* What the surest rows say of the rate, where labels are wrong at random. */
static temper_status ask_surest(struct audit *audit, double *known, struct binary_rows *rows)
{
    struct surest surest;
    noise_binary_fit(rows, NULL, &audit->two);
    for (size_t row = 0; row < audit->rows; row++)
        known[row] = noise_binary_known(&audit->two.best, audit->evidence + TWO_EVIDENCE * row);
    temper_status status = find_surest(audit, known, &surest);
    if (status == TEMPER_OK && surest.error > RANDOM_FROM * surest.all) {
        rows->sure_rate = surest.error;
        rows->sure_error = TRUST_IN_SUREST * sqrt(surest.error * (1 - surest.error) / surest.rows);
    }
    return status;
}

/* Two classes tell little of the noise: only how often the surest rows are contradicted. First
 * whether they are more than others: then the fits alone are believed. */
static temper_status weigh_two(struct audit *audit)
{
    struct binary_rows rows = {.evidence = audit->evidence, .given = audit->data->label, .rows = audit->rows};
    double *known = mem_alloc(audit->rows, sizeof *known), most;
    const struct noise_binary *near = NULL;
    struct noise_binary before;
    struct surest surest;
    if (!known)
        return error_no_memory(audit->error);
    for (size_t row = 0; row < audit->rows; row++) {
        double *out = audit->evidence + TWO_EVIDENCE * row;
        out[0] = known[row] = audit->activation[2 * row + 1] - audit->activation[2 * row];
        out[1] = out[2] = 0;
    }
    temper_status status = find_surest(audit, known, &surest);
    if (status == TEMPER_OK)
        status = find_size(audit, known, SATURATED, &most);
    if (status == TEMPER_OK && !contradicts(&surest)) {
        fill_two(audit, most);
        status = ask_surest(audit, known, &rows);
        before = audit->two.best;
        near = &before;
    }
    if (status == TEMPER_OK)
        noise_binary_fit(&rows, near, &audit->two);
    mem_free(known);
    return status;
}

/* ---- All ------------------------------------------------------------------------------------- */

double audit_row(const struct audit *audit, size_t row, double *out)
{
    uint32_t given = audit->data->label[row];
    if (audit->classes == 2)
        return noise_binary_row(&audit->two.best, audit->evidence + TWO_EVIDENCE * row, given, out);
    return noise_em_row(&audit->model, audit->evidence + row * audit->classes, given, out);
}

/* More classes twice: what is known after the first time makes better votes. */
temper_status audit_evidence(struct audit *audit)
{
    double *votes = mem_zeroed(audit->classes, sizeof *votes);
    double *space = mem_alloc(audit->classes, sizeof *space);
    size_t cells = audit->classes == 2 ? (size_t)TWO_EVIDENCE : audit->classes;
    audit->evidence = mem_alloc(audit->rows, cells * sizeof *audit->evidence);
    temper_status status = votes && space && audit->evidence ? TEMPER_OK : error_no_memory(audit->error);
    if (status == TEMPER_OK && audit->classes == 2) {
        status = weigh_two(audit);
        if (status == TEMPER_OK)
            believe(audit, space);
    }
    for (size_t round = 0; status == TEMPER_OK && audit->classes > 2 && round < 2; round++) {
        status = gather(audit, votes);
        if (status == TEMPER_OK)
            believe(audit, space);
    }
    mem_free(votes);
    mem_free(space);
    return status;
}
