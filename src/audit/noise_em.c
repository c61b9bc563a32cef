/* noise_model: expectation maximisation on some thousand rows. */
#include "audit/noise_em.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum {
    SAMPLE_CELLS = 250000, /* rows times classes that are gone through */
    ITERATIONS = 400,
    SHARPENINGS = 8, /* within a step of: */
    SECTIONS = 16,
    PRIOR_ROWS = 10, /* of even noise, in each class: rare classes are not believed much */
};

static const double first_rate = 0.2, first_spread = 2, close = 1e-8;
static const double least_rate = 1e-5;
/* Of a class whose rows become another class with the share s, s^2 / (s + this) is believed: a
 * model that confuses two classes leaves some thousandths in their cells. */
static const double confusion = 0.01;
/* A table has to gain so many nats a row over even noise. Under even noise it gains up to .02 by
 * blaming labels for what the model confuses, up to .05 where it errs between look-alikes; 20 % of
 * noise in pairs are worth .3. */
static const double worth_pairs = 0.08;

/* Sums over the rows of one iteration. */
struct sums {
    double likelihood, slope;
    double curvature; /* of what expectation maximisation maximises */
    double observed;  /* of the likelihood itself: far less where labels say little */
    double *joint;    /* [true * classes + given] */
};

static double transition_of(const struct noise_em *model, size_t true_class, uint32_t given)
{
    if (model->transition)
        return model->transition[true_class * model->classes + given];
    return true_class == given ? 1 - model->rate : model->rate / (double)(model->classes - 1);
}

/* log-sum-exp of n numbers */
static double log_sum(const double *a, size_t n)
{
    double top = a[0], sum = 0;
    for (size_t i = 1; i < n; i++)
        top = fmax(top, a[i]);
    for (size_t i = 0; i < n; i++)
        sum += exp(a[i] - top);
    return top + log(sum);
}

double noise_em_row(const struct noise_em *model, const double *evidence, uint32_t given, double *out)
{
    for (size_t c = 0; c < model->classes; c++)
        out[c] = model->sharpness * evidence[c] + log(transition_of(model, c, given));
    return log_sum(out, model->classes);
}

/* Beyond that a label would speak against its class. */
static double most_rate(size_t classes)
{
    return 0.98 * (double)(classes - 1) / (double)classes;
}

/* ---- One iteration --------------------------------------------------------------------------- */

static void add_row(const struct noise_em *model, const double *evidence, uint32_t given, double *prior,
                    struct sums *sums)
{
    size_t classes = model->classes;
    double mean = 0, square = 0, liked = 0, liked_square = 0, total = 0, top = evidence[0], shared = 0;
    for (size_t c = 1; c < classes; c++)
        top = fmax(top, evidence[c]);
    for (size_t c = 0; c < classes; c++) {
        prior[c] = exp(model->sharpness * (evidence[c] - top));
        shared += prior[c];
    }
    for (size_t c = 0; c < classes; c++) {
        double x = evidence[c] - top;
        prior[c] /= shared;
        mean += prior[c] * x;
        square += prior[c] * x * x;
        prior[c] *= transition_of(model, c, given);
        total += prior[c];
        liked += prior[c] * x;
        liked_square += prior[c] * x * x;
    }
    sums->likelihood += log(total);
    sums->slope += liked / total - mean;
    sums->curvature += square - mean * mean;
    sums->observed += square - mean * mean - (liked_square / total - liked / total * (liked / total));
    for (size_t c = 0; c < classes; c++)
        sums->joint[c * classes + given] += prior[c] / total;
}

static void go_through(const struct noise_rows *rows, const struct noise_em *model, double *space, struct sums *sums)
{
    size_t most = SAMPLE_CELLS / rows->classes + 1000;
    size_t count = rows->rows < most ? rows->rows : most;
    double *joint = sums->joint;
    memset(joint, 0, rows->classes * rows->classes * sizeof *joint);
    *sums = (struct sums){.joint = joint};
    for (size_t i = 0; i < count; i++) {
        size_t row = i * rows->rows / count;
        add_row(model, rows->evidence + row * rows->classes, rows->given[row], space, sums);
    }
    sums->likelihood /= (double)count;
}

/* Newton's step where the likelihood curves as it should, but no leap. */
static void sharpen(struct noise_em *model, const struct sums *sums)
{
    double curvature = fmax(sums->observed, 0.02 * sums->curvature);
    double step = curvature > 0 ? sums->slope / curvature : 0;
    model->sharpness *= fmin(fmax(1 + step / model->sharpness, 0.5), 2);
}

/* One line of the table. */
static void update_class(struct noise_em *model, const double *joint, size_t class)
{
    size_t classes = model->classes;
    double *line = model->transition + class * classes;
    double rows = 0, even = model->rate / (double)(classes - 1), off = 0;
    for (size_t g = 0; g < classes; g++)
        rows += joint[g];
    for (size_t g = 0; g < classes; g++) {
        double share = (joint[g] + PRIOR_ROWS * even) / (rows + PRIOR_ROWS);
        /* but never nothing: what has died cannot come back */
        line[g] = fmax(share * share / (share + confusion), 0.05 * even);
        off += g == class ? 0 : line[g];
    }
    line[class] = fmax(1 - off, least_rate);
}

static void update(struct noise_em *model, const struct sums *sums)
{
    size_t classes = model->classes;
    double all = 0, right = 0;
    sharpen(model, sums);
    for (size_t c = 0; c < classes; c++)
        for (size_t g = 0; g < classes; g++) {
            all += sums->joint[c * classes + g];
            right += c == g ? sums->joint[c * classes + g] : 0;
        }
    model->rate = fmin(fmax(1 - right / all, least_rate), most_rate(classes));
    for (size_t c = 0; c < classes; c++)
        update_class(model, sums->joint + c * classes, c);
}

static double climb(const struct noise_rows *rows, struct noise_em *model, double *space, struct sums *sums)
{
    double before = -INFINITY;
    for (size_t i = 0; i < ITERATIONS; i++) {
        go_through(rows, model, space, sums);
        if (fabs(sums->likelihood - before) <= close)
            break;
        before = sums->likelihood;
        update(model, sums);
    }
    return sums->likelihood;
}

/* ---- Even noise ------------------------------------------------------------------------------ */

/* What the iteration is done on. */
struct place {
    const struct noise_rows *rows;
    double *space;
    struct sums sums;
};

/* Of even noise at this rate, at its best sharpness. */
static double even_likelihood(struct place *place, struct noise_em *model, double log_odds)
{
    double before = -INFINITY;
    model->rate = most_rate(model->classes) / (1 + exp(-log_odds));
    for (size_t i = 0; i < SHARPENINGS; i++) {
        go_through(place->rows, model, place->space, &place->sums);
        if (fabs(place->sums.likelihood - before) <= close)
            break;
        before = place->sums.likelihood;
        sharpen(model, &place->sums);
    }
    return place->sums.likelihood;
}

/* Golden section by the rate: where classes overlap, expectation maximisation would crawl. */
static double climb_even(struct place *place, struct noise_em *model)
{
    const double golden = 0.6180339887498949;
    double from = -9, to = 6, left = to - golden * (to - from), right = from + golden * (to - from);
    double at_left = even_likelihood(place, model, left);
    double at_right = even_likelihood(place, model, right);
    for (size_t i = 0; i < SECTIONS; i++) {
        if (at_left > at_right) {
            to = right;
            right = left;
            at_right = at_left;
            left = to - golden * (to - from);
            at_left = even_likelihood(place, model, left);
        } else {
            from = left;
            left = right;
            at_left = at_right;
            right = from + golden * (to - from);
            at_right = even_likelihood(place, model, right);
        }
    }
    return even_likelihood(place, model, at_left > at_right ? left : right);
}

/* ---- The two models -------------------------------------------------------------------------- */

/* So that evidence of any unit begins with the same spread. */
static double first_sharpness(const struct noise_rows *rows)
{
    double sum = 0;
    for (size_t row = 0; row < rows->rows; row++) {
        const double *evidence = rows->evidence + row * rows->classes;
        double mean = 0, square = 0;
        for (size_t c = 0; c < rows->classes; c++) {
            mean += evidence[c] / (double)rows->classes;
            square += evidence[c] * evidence[c] / (double)rows->classes;
        }
        sum += fmax(square - mean * mean, 0);
    }
    double spread = sqrt(sum / (double)rows->rows);
    return spread > 0 ? first_spread / spread : 1;
}

/* With some noise in every cell, as what is 0 stays 0. */
static void begin_table(struct noise_em *model, double *transition)
{
    model->rate = fmax(model->rate, first_rate / 2);
    for (size_t c = 0; c < model->classes; c++)
        for (size_t g = 0; g < model->classes; g++)
            transition[c * model->classes + g] = transition_of(model, c, (uint32_t)g);
    model->transition = transition;
}

/* Even noise first, then a table that begins there. */
static void fit_both(struct place *place, struct noise_em *model, double *table)
{
    const struct noise_rows *rows = place->rows;
    if (!(model->sharpness > 0)) {
        model->sharpness = first_sharpness(rows);
        model->rate = first_rate;
    }
    model->even = model->likelihood = climb_even(place, model);
    if (!table)
        return;
    struct noise_em pairs = *model;
    begin_table(&pairs, table);
    pairs.likelihood = climb(rows, &pairs, place->space, &place->sums);
    pairs.in_pairs = pairs.likelihood - model->even >= worth_pairs;
    if (pairs.in_pairs)
        *model = pairs;
}

temper_status noise_em_fit(const struct noise_rows *rows, struct noise_em *out, temper_error *error)
{
    size_t classes = rows->classes, cells = 1;
    bool tables = classes <= NOISE_CLASSES;
    if (tables)
        cells = classes * classes;
    else if (!mul_size(classes, classes, &cells))
        return error_no_memory(error);
    struct noise_em model = {.classes = classes, .sharpness = out->sharpness, .rate = out->rate};
    double *table = tables ? mem_alloc(cells, sizeof *table) : NULL;
    struct place place = {.rows = rows, .space = mem_alloc(classes, sizeof *place.space)};
    place.sums.joint = mem_alloc(cells, sizeof *place.sums.joint);
    temper_status status = TEMPER_OK;
    if (place.space && place.sums.joint && (table || !tables)) {
        fit_both(&place, &model, table);
        if (!model.transition)
            mem_free(table);
        mem_free(out->transition);
        *out = model;
    } else {
        mem_free(table);
        status = error_no_memory(error);
    }
    mem_free(place.space);
    mem_free(place.sums.joint);
    return status;
}

void noise_em_free(struct noise_em *model)
{
    mem_free(model->transition);
    *model = (struct noise_em){0};
}
