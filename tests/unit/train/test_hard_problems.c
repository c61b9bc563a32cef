/* Problems that are hard for an optimiser, against Newton's method in doubles by the definition: wherever
 * training says that it has converged, the objective is within 1e-6 of its minimum. HARD_PROBLEMS
 * in the environment prints how each one stopped, iterations, evaluations and products, minimum, distance from it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"

enum {
    FLOATS = 1,      /* stored, and summed in single precision */
    SPARSE = 2,      /* two thirds of the values are 0, stored as CSR */
    SEPARABLE = 4,   /* labels follow a linear rule without exception */
    HEAVY = 8,       /* weights of rows from 1e-4 to 1e4 */
    TWINS = 16,      /* every second column is a copy of the one before it */
    FAR = 32,        /* column means are 1000 standard deviations from 0 */
    CONSTANT = 64,   /* the last column never varies */
    ENTANGLED = 128, /* columns are nearly equal: they differ by `units` of their size */
    RARE = 256       /* one row of each class but the first, with a millionth of the weight: the intercepts have less
                      * curvature than the penalty */
};

struct hard_problem {
    const char *name;
    size_t rows, columns, classes;
    double l2;
    double units; /* of the columns: from 1 / units to units */
    unsigned how;
    const char *scale, *solver;
};

static const struct hard_problem problems[] = {
    {"units 1e5, newton", 200, 12, 2, 1e-4, 1e5, 0, "none", "newton"},
    {"units 1e5, lbfgs", 200, 12, 2, 1e-4, 1e5, 0, "none", "lbfgs"},
    {"units 1e5, tron", 200, 12, 2, 1e-4, 1e5, 0, "none", "tron"},
    {"units 1e5, standard", 200, 12, 2, 1e-4, 1e5, 0, "standard", "auto"},
    {"units 1e5, floats", 200, 12, 2, 1e-4, 1e5, FLOATS, "standard", "auto"},
    {"units 1e5, floats, unscaled", 200, 12, 2, 1e-4, 1e5, FLOATS, "none", "auto"},
    {"units 1e5, sparse, newton", 200, 12, 2, 1e-4, 1e5, SPARSE, "none", "newton"},
    {"units 1e5, sparse, tron", 200, 12, 2, 1e-4, 1e5, SPARSE, "none", "tron"},
    {"units 1e5, sparse, maxabs", 200, 12, 2, 1e-4, 1e5, SPARSE, "maxabs", "auto"},
    {"units 1e5, four classes", 240, 8, 4, 1e-4, 1e5, 0, "none", "lbfgs"},
    {"units 1e5, four classes, standard", 240, 8, 4, 1e-4, 1e5, 0, "standard", "auto"},
    {"units 1e5, four classes, sparse", 240, 8, 4, 1e-4, 1e5, SPARSE, "none", "auto"},
    {"units 1e2, four classes, tron", 240, 8, 4, 1e-4, 1e2, SPARSE, "none", "tron"},
    {"condition 1e10", 300, 10, 2, 1e-8, 1e-5, ENTANGLED, "standard", "newton"},
    {"condition 1e10, lbfgs", 300, 10, 2, 1e-8, 1e-5, ENTANGLED, "standard", "lbfgs"},
    {"condition 1e10, tron", 300, 10, 2, 1e-8, 1e-5, ENTANGLED, "standard", "tron"},
    {"condition 1e10, no penalty", 300, 10, 2, 0, 1e-5, ENTANGLED, "standard", "newton"},
    {"condition 1e10, five classes", 300, 8, 5, 1e-8, 1e-5, ENTANGLED, "standard", "auto"},
    {"condition 1e6, floats", 300, 10, 2, 1e-6, 1e-3, ENTANGLED | FLOATS, "standard", "auto"},
    {"condition 1e6, three classes, floats", 300, 10, 3, 1e-6, 1e-3, ENTANGLED | FLOATS, "standard", "auto"},
    {"separable, 1e-3", 200, 20, 2, 1e-3, 1, SEPARABLE, "standard", "auto"},
    {"separable, 1e-6", 200, 20, 2, 1e-6, 1, SEPARABLE, "standard", "auto"},
    {"separable, 1e-6, lbfgs", 200, 20, 2, 1e-6, 1, SEPARABLE, "standard", "lbfgs"},
    {"separable, 1e-6, sparse", 200, 20, 2, 1e-6, 1, SEPARABLE | SPARSE, "none", "tron"},
    {"separable, 1e-8, floats", 200, 20, 2, 1e-8, 1, SEPARABLE | FLOATS, "standard", "auto"},
    {"separable, 1e-6, four classes", 240, 10, 4, 1e-6, 1, SEPARABLE, "standard", "auto"},
    {"wide, separable", 60, 250, 2, 1e-4, 1, SEPARABLE, "standard", "auto"},
    {"wide, separable, 1e-6", 60, 250, 2, 1e-6, 1, SEPARABLE, "none", "lbfgs"},
    {"wide, separable, floats", 60, 250, 2, 1e-6, 1, SEPARABLE | FLOATS, "standard", "auto"},
    {"wide, separable, three classes", 60, 90, 3, 1e-5, 1, SEPARABLE, "standard", "auto"},
    {"wide, sparse", 60, 250, 2, 1e-5, 1, SEPARABLE | SPARSE, "none", "tron"},
    {"wide, units 1e3", 60, 250, 2, 1e-5, 1e3, 0, "none", "lbfgs"},
    {"heavy weights", 300, 10, 2, 1e-5, 1, HEAVY, "standard", "auto"},
    {"heavy weights, lbfgs", 300, 10, 2, 1e-5, 1, HEAVY, "standard", "lbfgs"},
    {"heavy weights, five classes", 300, 8, 5, 1e-5, 1, HEAVY, "standard", "auto"},
    {"twin columns", 200, 16, 2, 1e-7, 1, TWINS, "standard", "auto"},
    {"twin columns, no penalty", 200, 16, 2, 0, 1, TWINS, "standard", "newton"},
    {"twin columns, constant, no penalty, floats", 200, 16, 2, 0, 1, TWINS | CONSTANT | FLOATS, "standard", "newton"},
    {"one in a million, newton", 200, 6, 2, 1e-3, 1, RARE, "standard", "newton"},
    {"one in a million, lbfgs", 200, 6, 2, 1e-3, 1, RARE, "standard", "lbfgs"},
    {"one in a million, tron", 200, 6, 2, 1e-3, 1, RARE | SPARSE, "none", "tron"},
    {"one in a million, lbfgs, unscaled", 200, 6, 2, 1e-1, 1e2, RARE, "none", "lbfgs"},
    {"one in a million, three classes", 200, 6, 3, 1e-3, 1, RARE, "standard", "auto"},
    {"far from 0, unscaled", 200, 8, 2, 1e-6, 1, FAR, "none", "auto"},
    {"far from 0, units 1e5, three classes", 240, 8, 3, 1e-6, 1e5, FAR, "standard", "auto"},
};

enum { PROBLEMS = sizeof problems / sizeof *problems };

/* ---- Data ------------------------------------------------------------------------------------ */

/* All in doubles, [row * columns + column]; `data` borrows from it, or from the arrays below. */
struct made_problem {
    const struct hard_problem *what;
    double *x, *weight;
    float *x32;
    uint64_t *row_start;
    uint32_t *column;
    float *value;
    int *label;
    temper_data *data;
};

/* One row: independent normal numbers, then what `how` makes of them. */
static void make_row(const struct hard_problem *what, struct draw *draw, double *x)
{
    size_t columns = what->columns;
    bool entangled = what->how & ENTANGLED;
    draw_normals(draw, x, columns, 1);
    for (size_t j = 0; j < columns; j++) {
        if ((what->how & SPARSE) && draw_below(draw, 3) > 0)
            x[j] = 0;
        if (entangled && j > 0)
            x[j] = x[0] + what->units * x[j];
        if ((what->how & TWINS) && j % 2)
            x[j] = x[j - 1];
        if (what->how & FAR)
            x[j] += 1000;
    }
    for (size_t j = 0; j < columns && !entangled; j++)
        x[j] *= pow(what->units, 2 * (double)j / (double)(columns - 1) - 1);
    if (what->how & CONSTANT)
        x[columns - 1] = 3.3;
    for (size_t j = 0; j < columns; j++) /* values that floats hold too */
        x[j] = what->how & (FLOATS | SPARSE) ? (double)(float)x[j] : x[j];
}

/* The class whose rule likes the row best; each rule sees standardised columns. A tenth is drawn unless the rows are to
 * be separable. */
static int make_label(const struct hard_problem *what, struct draw *draw, const double *x, const double *rule)
{
    size_t columns = what->columns, best = 0;
    double most = -INFINITY;
    for (size_t c = 0; c < what->classes; c++) {
        double sum = 0;
        for (size_t j = 0; j < columns; j++) {
            double unit = what->how & ENTANGLED ? 1 : pow(what->units, 2 * (double)j / (double)(columns - 1) - 1);
            sum += rule[c * columns + j] * (x[j] / unit - (what->how & FAR ? 1000 : 0));
        }
        if (sum > most) {
            most = sum;
            best = c;
        }
    }
    bool drawn = !(what->how & SEPARABLE) && draw_below(draw, 10) == 0;
    return (int)(drawn ? draw_below(draw, what->classes) : best);
}

/* The library's view of the rows: doubles, floats or CSR. */
static temper_status borrow(struct made_problem *made)
{
    const struct hard_problem *what = made->what;
    size_t rows = what->rows, columns = what->columns;
    if (what->how & FLOATS)
        return temper_data_borrow_f32(made->x32, rows, columns, made->label, &made->data, NULL);
    if (!(what->how & SPARSE))
        return temper_data_borrow_f64(made->x, rows, columns, made->label, &made->data, NULL);
    uint64_t count = 0;
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++)
            if (made->x32[i * columns + j] != 0) {
                made->column[count] = (uint32_t)j;
                made->value[count++] = made->x32[i * columns + j];
            }
        made->row_start[i + 1] = count;
    }
    temper_csr csr = {rows, columns, made->row_start, made->column, made->value};
    return temper_data_borrow_csr(&csr, made->label, &made->data, NULL);
}

static bool make(const struct hard_problem *what, size_t seed, struct made_problem *made)
{
    size_t rows = what->rows, columns = what->columns, cells = rows * columns;
    struct draw draw = draw_from(1000 + seed);
    double *rule = calloc(what->classes * columns, sizeof *rule);
    *made = (struct made_problem){.what = what,
                                  .x = calloc(cells, sizeof(double)),
                                  .weight = calloc(rows, sizeof(double)),
                                  .x32 = calloc(cells, sizeof(float)),
                                  .row_start = calloc(rows + 1, sizeof(uint64_t)),
                                  .column = calloc(cells, sizeof(uint32_t)),
                                  .value = calloc(cells, sizeof(float)),
                                  .label = calloc(rows, sizeof(int))};
    if (!CHECK(rule && made->x && made->weight && made->x32 && made->row_start && made->column && made->value &&
               made->label))
        return false;
    draw_normals(&draw, rule, what->classes * columns, 1);
    for (size_t i = 0; i < rows; i++) {
        make_row(what, &draw, made->x + i * columns);
        made->label[i] = i < what->classes && !(what->how & SEPARABLE)
                             ? (int)i
                             : make_label(what, &draw, made->x + i * columns, rule);
        made->weight[i] = what->how & HEAVY ? draw_scale(&draw, 1e-4, 1e4) : 1;
        if (what->how & RARE) {
            made->label[i] = i < what->classes ? (int)i : 0;
            made->weight[i] = made->label[i] ? 1e-6 * (double)rows : 1;
        }
    }
    for (size_t i = 0; i < cells; i++)
        made->x32[i] = (float)made->x[i];
    free(rule);
    return CHECK(borrow(made) == TEMPER_OK) &&
           CHECK(temper_data_set_weights(made->data, made->weight, NULL) == TEMPER_OK);
}

static void unmake(struct made_problem *made)
{
    temper_data_free(made->data);
    free(made->x);
    free(made->weight);
    free(made->x32);
    free(made->row_start);
    free(made->column);
    free(made->value);
    free(made->label);
}

/* ---- The objective by its definition ----------------------------------------------------------- */

/* Rows as the solver sees them, with a 1 for the intercept: z[row * width + column]. Weights are w[vector * width +
 * column]; two classes have one vector. */
struct definition {
    size_t rows, width, vectors;
    double l2, *z, *weight; /* weights add up to 1 */
    const int *label;
};

/* The probabilities of the vectors (of class 1, if there is one vector), and the loss. */
static double row_loss(const struct definition *d, const double *w, size_t row, double *p)
{
    const double *z = d->z + row * d->width;
    double most = 0, sum = 0;
    for (size_t k = 0; k < d->vectors; k++) {
        p[k] = 0;
        for (size_t j = 0; j < d->width; j++)
            p[k] += w[k * d->width + j] * z[j];
        most = k == 0 || p[k] > most ? p[k] : most;
    }
    if (d->vectors == 1) {
        double margin = d->label[row] ? p[0] : -p[0];
        p[0] = 1 / (1 + exp(-p[0]));
        return margin > 0 ? log1p(exp(-margin)) : log1p(exp(margin)) - margin;
    }
    double own = p[d->label[row]] - most;
    for (size_t k = 0; k < d->vectors; k++)
        sum += p[k] = exp(p[k] - most);
    for (size_t k = 0; k < d->vectors; k++)
        p[k] /= sum;
    return log(sum) - own;
}

static double objective_by_definition(const struct definition *d, const double *w)
{
    double p[8], total = 0;
    for (size_t row = 0; row < d->rows; row++)
        total += d->weight[row] * row_loss(d, w, row, p);
    for (size_t i = 0; i < d->vectors * d->width; i++)
        total += i % d->width + 1 < d->width ? 0.5 * d->l2 * w[i] * w[i] : 0;
    return total;
}

/* Adds a block of p's derivatives: factor z z' at (k, m), m <= k, the lower triangle alone. */
static void add_block(const struct definition *d, const double *z, size_t k, size_t m, double factor, double *h)
{
    size_t n = d->vectors * d->width;
    for (size_t i = 0; i < d->width; i++)
        for (size_t j = 0; j < (k == m ? i + 1 : d->width); j++)
            h[(k * d->width + i) * n + m * d->width + j] += factor * z[i] * z[j];
}

/* Gradient and Hessian of the objective. */
static void derivatives(const struct definition *d, const double *w, double *g, double *h)
{
    size_t n = d->vectors * d->width;
    double p[8];
    memset(g, 0, n * sizeof *g);
    memset(h, 0, n * n * sizeof *h);
    for (size_t row = 0; row < d->rows; row++) {
        const double *z = d->z + row * d->width;
        row_loss(d, w, row, p);
        for (size_t k = 0; k < d->vectors; k++) {
            bool own = d->vectors == 1 ? d->label[row] == 1 : (size_t)d->label[row] == k;
            for (size_t j = 0; j < d->width; j++)
                g[k * d->width + j] += d->weight[row] * (p[k] - own) * z[j];
            for (size_t m = 0; m <= k; m++)
                add_block(d, z, k, m, d->weight[row] * p[k] * ((k == m) - p[m]), h);
        }
    }
    for (size_t i = 0; i < n; i++)
        if (i % d->width + 1 < d->width) {
            g[i] += d->l2 * w[i];
            h[i * n + i] += d->l2;
        }
}

/* The Newton step in units in which the diagonal of the Hessian is 1; a ridge of 1e-13 there for directions without
 * curvature. Returns the slope along it. */
static double newton_step(size_t n, const double *g, double *h, double *unit, double *step)
{
    double slope = 0;
    for (size_t i = 0; i < n; i++) {
        unit[i] = h[i * n + i] > 0 ? sqrt(h[i * n + i]) : 1;
        step[i] = -g[i] / unit[i];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            h[i * n + j] = i == j ? 1 : h[i * n + j] / (unit[i] * unit[j]);
    double ridge = 1e-13;
    if (!cholesky_solve(h, n, ridge, step))
        return 0;
    for (size_t i = 0; i < n; i++) {
        step[i] /= unit[i];
        slope += g[i] * step[i];
    }
    return slope;
}

/* The minimum, by Newton's method with halved steps. */
static double minimum_by_definition(const struct definition *d)
{
    size_t n = d->vectors * d->width;
    double *space = calloc(n * n + 5 * n, sizeof *space), *w = space + n * n, *g = w + n, *unit = g + n;
    double *step = unit + n, *trial = step + n, value = INFINITY;
    if (!CHECK(space != NULL))
        return NAN;
    value = objective_by_definition(d, w);
    for (int iteration = 0; iteration < 300; iteration++) {
        derivatives(d, w, g, space);
        double slope = newton_step(n, g, space, unit, step), length = 1, reached = INFINITY;
        for (int half = 0; half < 40; half++, length /= 2) {
            for (size_t i = 0; i < n; i++)
                trial[i] = w[i] + length * step[i];
            reached = objective_by_definition(d, trial);
            if (reached <= value + 1e-4 * length * slope)
                break;
        }
        if (!(reached < value))
            break;
        memcpy(w, trial, n * sizeof *w);
        bool done = value - reached <= 1e-15 * value;
        value = reached;
        if (done)
            break;
    }
    free(space);
    return value;
}

/* ---- Comparison -------------------------------------------------------------------------------- */

/* The rows as the model's scaling makes them. */
static bool define(const struct made_problem *made, const struct model *model, struct definition *d)
{
    const struct hard_problem *what = made->what;
    double sum = 0;
    *d = (struct definition){what->rows, what->columns + 1, what->classes == 2 ? 1 : what->classes, what->l2,
                             .label = made->label};
    d->z = calloc(d->rows * d->width, sizeof *d->z);
    d->weight = calloc(d->rows, sizeof *d->weight);
    if (!CHECK(d->z && d->weight))
        return false;
    for (size_t i = 0; i < d->rows; i++)
        sum += made->weight[i];
    for (size_t i = 0; i < d->rows; i++) {
        d->weight[i] = made->weight[i] / sum;
        for (size_t j = 0; j < what->columns; j++) {
            double offset = model->scale.offset ? model->scale.offset[j] : 0;
            double factor = model->scale.factor ? model->scale.factor[j] : 1;
            d->z[i * d->width + j] = (made->x[i * what->columns + j] - offset) * factor;
        }
        d->z[i * d->width + what->columns] = 1;
    }
    return true;
}

/* The weights of the model for those rows. */
static double objective_of(const struct definition *d, const struct model *model)
{
    double *w = calloc(d->vectors * d->width, sizeof *w), value = NAN;
    size_t columns = d->width - 1;
    if (!CHECK(w != NULL))
        return value;
    for (size_t k = 0; k < d->vectors; k++) {
        w[k * d->width + columns] = model->bias[k];
        for (size_t j = 0; j < columns; j++) {
            double raw = model->weights[k * columns + j];
            w[k * d->width + j] = raw / (model->scale.factor ? model->scale.factor[j] : 1);
            w[k * d->width + columns] += raw * (model->scale.offset ? model->scale.offset[j] : 0);
        }
    }
    value = objective_by_definition(d, w);
    free(w);
    return value;
}

/* Trains, and compares with the minimum; true if training has converged. */
static bool check_problem(size_t number, double tolerance)
{
    const struct hard_problem *what = &problems[number];
    struct made_problem made;
    struct definition d = {0};
    temper_train_options options = made_options();
    temper_train_report report = {0};
    temper_model *model = NULL;
    options.loss.method = TEMPER_LOGISTIC;
    options.l2 = what->l2;
    options.scale = what->scale;
    options.solver = what->solver;
    options.precision = what->how & FLOATS ? "f32" : "f64";
    options.tolerance = tolerance;
    options.max_iterations = 20000;
    if (make(what, number, &made) && CHECK(temper_train(made.data, &options, &model, &report, NULL) == TEMPER_OK) &&
        define(&made, made_inside(model), &d)) {
        double least = minimum_by_definition(&d), value = objective_of(&d, made_inside(model));
        double above = (value - least) / least;
        if (getenv("HARD_PROBLEMS"))
            printf("%-44s %-10s %6zu %6zu %.6g %9.2e\n", what->name, temper_stop_name(report.stop), report.iterations,
                   report.evaluations + report.products, least, above);
        CHECKF(report.stop != TEMPER_STOP_CONVERGED || above <= 1e-6, "%s, tolerance %g: %g above %.9g", what->name,
               tolerance, above, least);
        CHECKF(above >= -1e-9, "%s: %.12g is below %.12g", what->name, value, least);
    }
    free(d.z);
    free(d.weight);
    temper_model_free(model);
    unmake(&made);
    return report.stop == TEMPER_STOP_CONVERGED;
}

TEST(what_has_converged_is_at_the_minimum)
{
    size_t converged = 0, checked = 0;
    for (size_t i = 0; i < PROBLEMS; i += test_step(5), checked++)
        converged += check_problem(i, 1e-4);
    /* A solver that never converges would pass: unscaled floats may stall. */
    CHECKF(10 * converged >= 9 * checked, "%zu of %zu", converged, checked);
}

TEST(a_finer_tolerance_is_kept_too)
{
    for (size_t i = 0; i < PROBLEMS; i += test_step(5))
        if (!(problems[i].how & FLOATS))
            check_problem(i, 1e-7);
}

TEST_LIST(LISTED(what_has_converged_is_at_the_minimum), LISTED(a_finer_tolerance_is_kept_too))
