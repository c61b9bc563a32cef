/* api_math: the functions of the paper, its solvers, and the losses. Each call checks its arguments and delegates to
 * tempered/. */
#include "temper_extra.h"

#include <math.h>
#include <string.h>

#include "tempered/log_partition.h"
#include "tempered/loss_family.h"
#include "tempered/paper_solvers.h"
#include "tempered/tempered_functions.h"

/* log_t(x) = (x^(1-t) - 1) / (1 - t), log(x) at t = 1. */
double temper_log_t(double x, double t)
{
    return log_t(x, t);
}

/* exp_t(x) = max(0, 1 + (1-t) x)^(1/(1-t)), the inverse of log_t. */
double temper_exp_t(double x, double t)
{
    return exp_t(x, t);
}

/* Tsallis entropy (eq. 2 of the paper). */
double temper_entropy(const double *p, size_t n, double t)
{
    return entropy_t(p, n, t);
}

/* Tsallis divergence (eq. 3). */
double temper_divergence(const double *p, const double *q, size_t n, double t)
{
    return divergence_t(p, q, n, t);
}

/* The normaliser G for which the sum of exp_t(a[c] - G) is 1. It has no closed form for general t and n. */
double temper_log_partition(const double *a, size_t n, double t)
{
    struct partition family = partition_solve(a, n, t);
    return family.max + family.lambda;
}

/* G - max(a), which keeps its digits where G is close to a large maximum. */
double temper_log_partition_excess(const double *a, size_t n, double t)
{
    return partition_solve(a, n, t).lambda;
}

/* p[c] = exp_t(a[c] - G). */
void temper_probabilities(const double *a, size_t n, double t, double *p)
{
    struct partition family = partition_solve(a, n, t);
    for (size_t c = 0; c < n; c++)
        p[c] = exp(partition_log_p(&family, c, a[c]));
}

/* The gradient of G with respect to a is the escort distribution of the probabilities. */
void temper_log_partition_gradient(const double *a, size_t n, double t, double *q)
{
    struct partition family = partition_solve(a, n, t);
    partition_escort(&family, a, n, q);
}

/* q[c] proportional to p[c]^t. */
void temper_escort(const double *p, size_t n, double t, double *q)
{
    escort_t(p, n, t, q);
}

/* The sum of p[c]^t alone. */
double temper_escort_normaliser(const double *p, size_t n, double t)
{
    return escort_t(p, n, t, NULL);
}

/* ---- Solvers ----------------------------------------------------------------------------------------------------- */

/* Copies the counts of a solver to the caller, if wanted. */
static void report_iterations(temper_iterations *out, struct iterations iterations)
{
    if (out)
        *out = (temper_iterations){.updates = iterations.updates, .converged = iterations.converged};
}

/* temper_log_partition with the number of iterations of the solver. */
double temper_log_partition_counted(const double *a, size_t n, double t, temper_iterations *iterations)
{
    struct partition family = partition_solve(a, n, t);
    report_iterations(iterations, (struct iterations){family.updates, !isnan(family.lambda)});
    return family.max + family.lambda;
}

/* The paper's fixed-point iteration (Algorithm 1), kept for comparison. */
double temper_log_partition_algorithm1(const double *a, size_t n, double t, double tolerance, size_t limit,
                                       temper_iterations *iterations)
{
    struct iterations done;
    double value = algorithm1(a, n, t, (struct stop_rule){tolerance, limit}, &done);
    report_iterations(iterations, done);
    return value;
}

/* The paper's Algorithm 2: the same for two classes with activations a/2, -a/2. */
double temper_log_partition_algorithm2(double a, double t, double tolerance, size_t limit,
                                       temper_iterations *iterations)
{
    struct iterations done;
    double value = algorithm2(a, t, (struct stop_rule){tolerance, limit}, &done);
    report_iterations(iterations, done);
    return value;
}

/* Bisection to the last bit: slow, but independent of the other solvers, so tests compare with it. */
double temper_log_partition_bisection(const double *a, size_t n, double t, temper_iterations *iterations)
{
    struct iterations done;
    double value = bisection(a, n, t, &done);
    report_iterations(iterations, done);
    return value;
}

/* Activations a/2, -a/2, at the five temperatures that have a closed form (0, 1/2, 1, 3/2, 2); NaN at others. */
double temper_log_partition_closed_form(double a, double t)
{
    return partition_closed(a, t);
}

/* ---- Losses ------------------------------------------------------------------------------------------------------ */

/* A label beyond the classes, an illegal temperature or parameter, or a method whose loss is no function of one row's
 * activations: every result is then NaN. */
static int illegal(temper_loss_spec loss, size_t n, size_t label)
{
    const temper_loss_parameter *wrong;
    loss = loss_resolve(loss);
    bool hinge = loss.method == TEMPER_HINGE;
    return label >= n || loss_has_rounds(loss) || !loss_parameters_legal(loss, &wrong) ||
           (!hinge && (!legal_temperature(loss.t1) || !legal_temperature(loss.t2)));
}

/* The loss of one row with scores a[n]; gradient[n] and hessian[n][n] may be NULL, but the Hessian is computed from the
 * gradient, so it needs that array too. */
double temper_loss_of_spec(temper_loss_spec loss, const double *a, size_t n, size_t label, double *gradient,
                           double *hessian)
{
    /* All outputs become NaN, never part of them. */
    if (illegal(loss, n, label) || (hessian && !gradient)) {
        for (size_t c = 0; gradient && c < n; c++)
            gradient[c] = NAN;
        for (size_t i = 0; hessian && i < n * n; i++)
            hessian[i] = NAN;
        return NAN;
    }
    return any_loss(loss, a, n, label, gradient, hessian);
}

/* The two-temperature loss, whose temperatures the caller gives as numbers. */
static temper_loss_spec tempered(double t1, double t2)
{
    return (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = t1, .t2 = t2};
}

/* The two-temperature (bi-tempered) loss, the common case. */
double temper_loss(const double *a, size_t n, size_t label, double t1, double t2, double *gradient)
{
    return temper_loss_of_spec(tempered(t1, t2), a, n, label, gradient, NULL);
}

/* The factor p_label^(t2 - t1) by which the gradient of a row is multiplied: it reduces the influence of rows that the
 * model contradicts. */
double temper_importance(const double *a, size_t n, size_t label, double t1, double t2)
{
    return illegal(tempered(t1, t2), n, label) ? NAN : importance(a, n, label, t1, t2);
}

/* The loss of two classes as a function of the margin, with first and second derivative (each may be NULL). */
double temper_margin_loss_of_spec(temper_loss_spec loss, double margin, double *slope, double *curvature)
{
    struct margin_loss value = {NAN, NAN, NAN};
    if (!illegal(loss, 2, 0))
        value = any_margin_loss(loss, margin);
    if (slope)
        *slope = value.slope;
    if (curvature)
        *curvature = value.curvature;
    return value.value;
}

/* The two-temperature loss of two classes. */
double temper_margin_loss(double margin, double t1, double t2, double *slope, double *curvature)
{
    return temper_margin_loss_of_spec(tempered(t1, t2), margin, slope, curvature);
}

/* The probability of the given label at a margin; it depends on t2 alone. */
double temper_margin_probability(double margin, double t2)
{
    return margin_probability(margin, t2);
}

/* Replaces parameters that the method fixes, such as t1 = t2 = 1 for logistic, by their values. */
temper_loss_spec temper_loss_resolve(temper_loss_spec loss)
{
    return loss_resolve(loss);
}

/* The name on the command line and in model files. */
const char *temper_method_name(temper_method method)
{
    return method_name(method);
}

/* 1 and *method, or 0 for an unknown name. */
int temper_method_find(const char *name, temper_method *method)
{
    return method_find(name, method);
}

const temper_loss_parameter *temper_method_parameter(temper_method method, size_t k)
{
    return method_parameter(method, k);
}

double *temper_loss_parameter_field(temper_loss_spec *loss, const temper_loss_parameter *parameter)
{
    return loss_parameter(loss, parameter);
}

/* "NAME:PARAMETER:...", with temperatures where the method leaves them free. */
int temper_loss_parse(const char *text, temper_loss_spec *loss)
{
    return loss_parse(text, strlen(text), false, loss);
}

void temper_loss_format(temper_loss_spec loss, char text[TEMPER_LOSS_TEXT])
{
    loss_format(loss, text);
}

/* Whether importance factors, audits and maps of temperatures apply to it. */
int temper_loss_is_two_temperature(temper_loss_spec loss)
{
    return loss_is_two_temperature(loss);
}

/* Whether its training has rounds, so that the loss of a row depends on other rows. */
int temper_loss_has_rounds(temper_loss_spec loss)
{
    return loss_has_rounds(loss);
}

/* Whether the loss is convex, bounded and so on, from the temperatures. */
temper_loss_properties temper_loss_shape(double t1, double t2)
{
    return loss_shape(t1, t2);
}

/* Appendix B of the paper: below this margin the two-class loss is concave, so wrong labels lose influence there. */
double temper_inflection_margin(double t1, double t2)
{
    return inflection_margin(t1, t2);
}
