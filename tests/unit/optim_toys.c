/* optim_toys: small functions to minimise, and a problem that is made of one of them. */
#include "optim_toys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tempered/losses.h"

const struct toy_minimiser toy_minimisers[TOY_MINIMISERS] = {
    {"lbfgs", minimise_lbfgs}, {"newton", minimise_newton}, {"tron", minimise_tron}};

/* ---- A toy as a problem ---------------------------------------------------------------------- */

/* A number between -1 and 1 that looks random but depends on w alone. */
static double scatter(const double *w, size_t n)
{
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &w[i], sizeof bits);
        hash = (hash ^ bits) * 1099511628211u;
        hash ^= hash >> 29;
    }
    return 2 * random_uniform((struct random){.seed = hash}, 0) - 1;
}

static temper_status evaluate(void *context, const double *w, double *value, double *gradient,
                              temper_error *error)
{
    struct toy *toy = context;
    toy->evaluations++;
    if (toy->evaluations == toy->fail_at)
        return error_set(error, TEMPER_IO, "as asked");
    *value = toy->function(w, toy->n, gradient, NULL, toy->data);
    if (toy->noise > 0)
        *value *= 1 + toy->noise * scatter(w, toy->n);
    if (toy->trap > 0 && fabs(w[0]) > toy->trap) {
        *value = -1e9;
        gradient[0] = NAN;
    }
    memcpy(toy->last, w, toy->n * sizeof *w);
    return TEMPER_OK;
}

static void accept(void *context)
{
    struct toy *toy = context;
    toy->accepts++;
    memcpy(toy->here, toy->last, toy->n * sizeof *toy->here);
}

static temper_status hessian(void *context, double *h, temper_error *error)
{
    struct toy *toy = context;
    double gradient[TOY_MOST];
    (void)error;
    toy->hessians++;
    toy->strays += toy->accepts == 0;
    toy->function(toy->here, toy->n, gradient, h, toy->data);
    for (size_t i = 0; i < toy->n; i++)
        for (size_t j = i + 1; j < toy->n; j++)
            h[i * toy->n + j] = NAN; /* nobody may look at the upper triangle */
    if (toy->no_curvature)
        h[0] = NAN;
    return TEMPER_OK;
}

static temper_status multiply(void *context, const double *v, double *product, temper_error *error)
{
    struct toy *toy = context;
    double gradient[TOY_MOST];
    static double h[TOY_MOST * TOY_MOST];
    (void)error;
    toy->products++;
    toy->strays += toy->accepts == 0;
    toy->function(toy->here, toy->n, gradient, h, toy->data);
    for (size_t i = 0; i < toy->n; i++) {
        product[i] = toy->no_curvature ? NAN : 0;
        for (size_t j = 0; j < toy->n; j++)
            product[i] += h[i * toy->n + j] * v[j];
    }
    return TEMPER_OK;
}

static void precondition(void *context, double *v)
{
    const struct toy *toy = context;
    for (size_t i = 0; i < toy->n; i++)
        v[i] /= toy->metric[i];
}

struct problem toy_problem(struct toy *toy)
{
    return (struct problem){
        .size = toy->n,
        .context = toy,
        .evaluate = evaluate,
        .accept = accept,
        .multiply = multiply,
        .hessian = hessian,
        .precondition = toy->metric ? precondition : NULL,
    };
}

temper_status toy_length(void *context, const double *v, double *length, temper_error *error)
{
    struct toy *toy = context;
    const struct toy_rows *rows = toy->data;
    double sum = 0;
    (void)error;
    toy->lengths++;
    for (size_t i = 0; i < rows->rows; i++) {
        double a = 0;
        for (size_t j = 0; j < rows->columns; j++)
            a += rows->x[i * rows->columns + j] * v[j];
        sum += a * a;
    }
    *length = sqrt(sum / (double)rows->rows);
    return TEMPER_OK;
}

/* ---- Functions ------------------------------------------------------------------------------- */

static void clear(double *h, size_t n)
{
    if (h)
        memset(h, 0, n * n * sizeof *h);
}

/* x - 2 v (v'x) with v = (1, ..., 1)/sqrt n: mixes every coordinate with every other. */
static void reflect(double *x, size_t n)
{
    double mean = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        x[i] -= 2 * mean;
}

static double stiffness(size_t i, size_t n, double condition)
{
    return n < 2 ? condition : pow(condition, (double)i / (double)(n - 1));
}

double toy_quadratic(const double *w, size_t n, double *gradient, double *h, const void *data)
{
    const double condition = *(const double *)data;
    double value = 0, u[TOY_MOST];
    for (size_t i = 0; i < n; i++)
        u[i] = w[i] - 1;
    reflect(u, n);
    for (size_t i = 0; i < n; i++) {
        value += stiffness(i, n, condition) * u[i] * u[i] / 2;
        gradient[i] = stiffness(i, n, condition) * u[i];
    }
    reflect(gradient, n);
    for (size_t i = 0; h && i < n; i++) { /* row i of R K R is R K (R e_i) */
        memset(h + i * n, 0, n * sizeof *h);
        h[i * n + i] = 1;
        reflect(h + i * n, n);
        for (size_t j = 0; j < n; j++)
            h[i * n + j] *= stiffness(j, n, condition);
        reflect(h + i * n, n);
    }
    return value;
}

double toy_rosenbrock(const double *w, size_t n, double *gradient, double *h, const void *data)
{
    double value = 0;
    (void)data;
    clear(h, n);
    memset(gradient, 0, n * sizeof *gradient);
    for (size_t i = 0; i + 1 < n; i++) {
        const double a = w[i + 1] - w[i] * w[i], b = 1 - w[i];
        value += 100 * a * a + b * b;
        gradient[i] += -400 * a * w[i] - 2 * b;
        gradient[i + 1] += 200 * a;
        if (h) {
            h[i * n + i] += 800 * w[i] * w[i] - 400 * a + 2;
            h[(i + 1) * n + i + 1] += 200;
            h[i * n + i + 1] = h[(i + 1) * n + i] = -400 * w[i];
        }
    }
    return value;
}

/* Adds the square k (c'w)^2 or the fourth power k (c'w)^4. */
static double add_power(const double *w, const double c[4], double k, int power, double *gradient,
                        double *h)
{
    double z = 0;
    for (size_t i = 0; i < 4; i++)
        z += c[i] * w[i];
    const double slope = power == 2 ? 2 * k * z : 4 * k * z * z * z;
    const double bend = power == 2 ? 2 * k : 12 * k * z * z;
    for (size_t i = 0; i < 4; i++) {
        gradient[i] += slope * c[i];
        for (size_t j = 0; h && j < 4; j++)
            h[i * 4 + j] += bend * c[i] * c[j];
    }
    return power == 2 ? k * z * z : k * z * z * z * z;
}

double toy_powell(const double *w, size_t n, double *gradient, double *h, const void *data)
{
    (void)data;
    clear(h, n);
    memset(gradient, 0, n * sizeof *gradient);
    return add_power(w, (const double[4]){1, 10, 0, 0}, 1, 2, gradient, h) +
           add_power(w, (const double[4]){0, 0, 1, -1}, 5, 2, gradient, h) +
           add_power(w, (const double[4]){0, 1, -2, 0}, 1, 4, gradient, h) +
           add_power(w, (const double[4]){1, 0, 0, -1}, 10, 4, gradient, h);
}

double toy_saddle(const double *w, size_t n, double *gradient, double *h, const void *data)
{
    const double x = w[0], y = w[1];
    (void)data;
    clear(h, n);
    gradient[0] = x;
    gradient[1] = y * y * y - y;
    if (h) {
        h[0] = 1;
        h[3] = 3 * y * y - 1;
    }
    return x * x / 2 - y * y / 2 + y * y * y * y / 4;
}

double toy_slope(const double *w, size_t n, double *gradient, double *h, const void *data)
{
    (void)data;
    clear(h, n);
    memset(gradient, 0, n * sizeof *gradient);
    gradient[0] = 1;
    return w[0];
}

double toy_log_barrier(const double *w, size_t n, double *gradient, double *h, const void *data)
{
    double value = 0;
    (void)data;
    clear(h, n);
    for (size_t i = 0; i < n; i++) {
        value += w[i] > 0 ? w[i] - log(w[i]) : NAN;
        gradient[i] = 1 - 1 / w[i];
        if (h)
            h[i * n + i] = 1 / (w[i] * w[i]);
    }
    return value;
}

double toy_dip(const double *w, size_t n, double *gradient, double *h, const void *data)
{
    const double x = w[0], k = 10, bell = exp(-k * x * x);
    (void)n;
    (void)data;
    /* -x bell - 0.15 (1 - bell) */
    gradient[0] = bell * (-1 + 2 * k * x * (x - 0.15));
    if (h)
        h[0] = bell * (2 * k * (2 * x - 0.15) - 2 * k * x * (-1 + 2 * k * x * (x - 0.15)));
    return -x * bell - 0.15 * (1 - bell);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

double toy_rows(const double *w, size_t n, double *gradient, double *h, const void *data)
{
    const struct toy_rows *rows = data;
    const double share = 1 / (double)rows->rows;
    double value = 0;
    clear(h, n);
    for (size_t j = 0; j < n; j++) {
        value += rows->lambda * w[j] * w[j] / 2;
        gradient[j] = rows->lambda * w[j];
        if (h)
            h[j * n + j] = rows->lambda;
    }
    for (size_t i = 0; i < rows->rows; i++) {
        const double *x = rows->x + i * n;
        double margin = 0;
        for (size_t j = 0; j < n; j++)
            margin += x[j] * w[j];
        const struct margin_loss loss = tempered_margin_loss(margin, rows->t1, rows->t2);
        value += share * loss.value;
        for (size_t j = 0; j < n; j++) {
            gradient[j] += share * loss.slope * x[j];
            for (size_t k = 0; h && k < n; k++)
                h[j * n + k] += share * loss.curvature * x[j] * x[k];
        }
    }
    return value;
}

/* Fills one row, its label multiplied in. */
static void make_row(double *x, size_t columns, size_t i, struct toy_trouble trouble)
{
    const struct random normal = {.seed = 5}, flips = {.seed = 6}, doubt = {.seed = 7};
    const double scale = trouble.scale > 0 ? trouble.scale : 1;
    double truth = trouble.bias + random_normal(doubt, i) / 2;
    for (size_t j = 0; j < columns; j++) {
        const double z = random_normal(normal, i * columns + j);
        const bool intercept = j + 1 == columns;
        truth += intercept ? 0 : z * (j % 3 == 0 ? 1.0 : j % 3 == 1 ? -0.5 : 0.1);
        x[j] = intercept ? 1 : scale * (z + trouble.offset);
        x[j] *= trouble.spread > 0 ? pow(trouble.spread, (double)j / (double)columns) : 1;
    }
    const bool flip = random_uniform(flips, i) < trouble.wrong;
    for (size_t j = 0; j < columns; j++)
        x[j] *= (truth > 0) != flip ? 1 : -1;
}

struct toy_rows toy_rows_make(size_t rows, size_t columns, struct toy_trouble trouble)
{
    struct toy_rows made = {.rows = rows, .columns = columns, .t1 = 1, .t2 = 1, .lambda = 1e-4};
    made.x = malloc(rows * columns * sizeof *made.x);
    if (!made.x)
        abort();
    for (size_t i = 0; i < rows; i++)
        make_row(made.x + i * columns, columns, i, trouble);
    return made;
}

void toy_rows_free(struct toy_rows *rows)
{
    free(rows->x);
    rows->x = NULL;
}

double toy_rows_right(const struct toy_rows *rows, const double *w)
{
    size_t right = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        double margin = 0;
        for (size_t j = 0; j < rows->columns; j++)
            margin += rows->x[i * rows->columns + j] * w[j];
        right += margin > 0;
    }
    return (double)right / (double)rows->rows;
}
