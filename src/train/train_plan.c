/* train_plan: what is decided before the first step: the scaled features, the penalty, the precision, the solver and
 * its preconditioner, the phases, and the initial weights.
 *
 * Decisions follow from the options, the loss and the shape of the data, never from the number of threads or processes,
 * so that the same data has the same plan everywhere. Losses with several optima get several starts: the initial
 * weights, the solution of a logistic regression, and a path of falling penalties. Each start is a list of phases, and
 * the solution of the lowest objective becomes the model. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "base/thread.h"
#include "data/dist/gather_rows.h"
#include "objective/sparse/dual_descent.h"
#include "tempered/loss_family.h"
#include "train/train_state.h"
#include "train/train_streams.h"

/* Sizes above which another solver is faster; measured (docs/training.md). */
enum {
    NEWTON_DENSE = 200,   /* features of two classes: the Hessian costs features / 2 passes */
    NEWTON_SPARSE = 500,  /* sparse rows make cheap outer products */
    GRAM_ROWS = 32,       /* rows a feature, from which on Hessians cost more than they save */
    GRAM_DENSE = 8,       /* features of dense rows, below which a Hessian costs no more than a pass or two */
    GRAM_ITERATIONS = 12, /* and a quarter of the features: iterations with a Gram matrix, before Hessians follow */
    GRAM_MOST = 100,      /* a smaller limit of iterations is better spent on Hessians */
    LBFGS_SPARSE = 1024,  /* weights of many classes: L-BFGS is as fast, and rounding errors stay small, where the steps
                           * of conjugate gradients depend on a threshold */
};

/* A relative gradient below this needs sums in doubles. */
static const double FLOAT_TOLERANCE = 1e-6;
/* The same for sparse data, whose sums in floats are longer. */
static const double SPARSE_TOLERANCE = 1e-5;

/* A tolerance that sparse data reaches in some ten passes; */
static const double FEW_PASSES = 1e-4;
/* and how many entries it has to have, lest copies of them stay in the L2 cache, where they are cheap to make and to
 * use. */
enum { FEW_PASSES_ENTRIES = 1 << 18 };

/* Dense rows begin with a dual coordinate ascent down to this tolerance: below, L-BFGS from its end, where it knows no
 * curvature, takes as long as from W = 0 (docs/decisions/0037). */
static const double DENSE_DUAL_TOLERANCE = 3e-4;

/* In the order of enum solver; the words of the command line, of reports and of model files. */
static const char *const solver_names[] = {"newton", "lbfgs", "tron", "proximal", "owlqn"};

const char *solver_name(enum solver solver)
{
    return solver_names[solver];
}

static bool is_auto(const char *word)
{
    return !word || strcmp(word, "auto") == 0;
}

/* ---- Features, penalty, precision ------------------------------------------------------------ */

/* Whether weights are to begin at 0: other ones were chosen by somebody, or are near the solution. */
static bool begins_at_zero(const struct train_request *request)
{
    const char *init = request->options->init;
    return !request->initial && !request->options->warm_start && (!init || strcmp(init, "zero") == 0);
}

/* Whether a training may be made in the row space, or begin with the dual coordinate ascent of dense rows: its weights
 * begin at 0 and stay in it, and nothing but the rows themselves is to be scored meanwhile. Any solver can be used
 * there. */
static bool may_use_row_space(const struct train_request *request, const struct train_plan *plan)
{
    const temper_train_options *options = request->options;
    return !request->features && !request->remote && !options->validation && options->l1 == 0 && options->l2 != 0 &&
           plan->loss.method != TEMPER_HINGE && !loss_has_rounds(plan->asked) && begins_at_zero(request) &&
           row_space_exists(request->data);
}

/* The features as the solver sees them. Fits of a search share them; a single training makes its own, within the memory
 * limit if there is one. Few rows of many features are gathered in each of several processes: all compute the same from
 * them. What the processes agree on meanwhile, as checkpoints and interruptions, stays with request->data. */
static temper_status decide_features(const struct train_request *request, struct train_plan *plan)
{
    plan->features = request->features;
    plan->data = request->data;
    if (plan->features)
        return TEMPER_OK;
    plan->may_use_row_space = may_use_row_space(request, plan);
    if (request->data->storage.memory_limit > 0)
        TRY(memory_budget_scaling(request, plan));
    if (plan->may_use_row_space && !comm_alone(request->data->ranks.comm)) {
        TRY(gather_rows(request->data, &plan->gathered, request->error));
        plan->data = plan->gathered;
    }
    TRY(scaled_features_new(plan->data, request->options->scale, plan->threads, &plan->own_features, request->error));
    plan->features = &plan->own_features;
    plan->data = plan->own_features.data;
    return TEMPER_OK;
}

/* Whether sums are in doubles. Automatic: doubles where the tolerance or the data need them, else floats, which are
 * twice as fast. Sparse sums are always in doubles; there floats concern the stored values alone (sparse_floats). The
 * gradient of a mean over many rows has a relative rounding of about 1e-7 in floats: tolerances near that cannot be
 * reached. */
temper_status choose_precision(const temper_train_options *options, const struct dataset *data, bool *f64,
                               temper_error *error)
{
    const char *word = options->precision;
    enum matrix_kind kind = data->x.kind;
    if (is_auto(word))
        *f64 = options->tolerance < FLOAT_TOLERANCE || kind == MATRIX_F64;
    else if (strcmp(word, "f32") == 0 || strcmp(word, "f64") == 0)
        *f64 = strcmp(word, "f64") == 0;
    else
        return error_set(error, TEMPER_USAGE, "there is no precision '%.64s'; there are auto, f32 and f64", word);
    *f64 = *f64 || kind == MATRIX_CSR;
    return TEMPER_OK;
}

/* ---- The solver ------------------------------------------------------------------------------ */

/* Whether rows of two classes are so many, and of so few features, that one Gram matrix of some of them as a
 * preconditioner of L-BFGS is faster than a Hessian of all of them in each iteration. Sparse rows of convex losses
 * (docs/decisions/0017); dense rows of other losses, which need more Hessians, where the temperatures differ so little
 * that a preconditioner may be used (docs/decisions/0029): others keep the path of Newton's method, on which their
 * optima have been judged. A solver that the user has chosen is left as it is. Workers of remote rows compute no Gram
 * matrices. */
static bool replaces_hessians(const struct train_request *request, const struct train_plan *plan)
{
    const struct matrix *x = &plan->data->x;
    bool sparse = x->kind == MATRIX_CSR, convex = loss_is_convex(plan->loss);
    bool fits = sparse ? convex && x->columns <= NEWTON_SPARSE
                       : !convex && x->columns >= GRAM_DENSE && x->columns <= NEWTON_DENSE &&
                             is_auto(request->options->solver) && preconditioner_suits(plan->loss, plan->data);
    return fits && plan->data->classes.count == 2 && !request->remote && loss_is_two_temperature(plan->loss) &&
           dataset_all_rows(plan->data) >= GRAM_ROWS * x->columns;
}

/* The data by whose shape solver and preconditioner are chosen. Losses with several optima have in the row space those
 * of all features, so that their path, on which these have been judged, stays the same. */
static const struct dataset *path_data(const struct train_plan *plan)
{
    return plan->row_space && !loss_is_convex(plan->loss) ? plan->features->data : plan->data;
}

/* The solver that is fastest for such data, as measured: Newton's method for few features of two classes, TRON for
 * sparse data, L-BFGS for the rest. An iteration of Newton's method costs n^2 operations a row and there are few;
 * products with a sparse Hessian cost as much as a gradient; L-BFGS needs gradients alone. With an
 * L1 penalty the proximal Newton method where there are Hessians, for two classes, else OWL-QN. */
static enum solver best_solver(const struct train_request *request, const struct train_plan *plan)
{
    bool sparse = plan->data->x.kind == MATRIX_CSR, binary = plan->data->classes.count == 2;
    uint64_t columns = path_data(plan)->x.columns;
    if (plan->l1 > 0)
        return binary && !request->remote ? SOLVER_PROXIMAL : SOLVER_OWLQN;
    if (replaces_hessians(request, plan))
        return SOLVER_LBFGS;
    if (binary && columns <= (sparse ? NEWTON_SPARSE : NEWTON_DENSE))
        return SOLVER_NEWTON;
    /* Few weights in all: see LBFGS_SPARSE. */
    bool few = !binary && columns * plan->data->classes.count <= LBFGS_SPARSE;
    return sparse && !few && (binary || loss_is_two_temperature(plan->loss)) ? SOLVER_TRON : SOLVER_LBFGS;
}

/* Finds a solver by its word on the command line. */
static bool find_solver(const char *word, enum solver *solver)
{
    for (size_t i = 0; i < sizeof solver_names / sizeof *solver_names; i++)
        if (strcmp(word, solver_names[i]) == 0) {
            *solver = (enum solver)i;
            return true;
        }
    return false;
}

/* Takes the solver of the user, or the fastest one. Refuses solvers that cannot handle the number of classes or the
 * loss. */
static temper_status decide_solver(const struct train_request *request, struct train_plan *plan)
{
    const char *word = request->options->solver;
    size_t classes = plan->data->classes.count;
    plan->solver = best_solver(request, plan);
    if (!is_auto(word) && !find_solver(word, &plan->solver))
        return error_set(request->error, TEMPER_USAGE,
                         "there is no solver '%.64s'; there are auto, newton, lbfgs and tron, and with an L1 penalty "
                         "proximal and owlqn",
                         word);
    if ((plan->solver == SOLVER_PROXIMAL || plan->solver == SOLVER_OWLQN) != (plan->l1 > 0))
        return error_set(request->error, TEMPER_USAGE, "the solver %s is for objectives with%s an L1 penalty; try auto",
                         word, plan->l1 > 0 ? "out" : "");
    if (plan->solver == SOLVER_PROXIMAL && (classes > 2 || request->remote))
        return error_set(request->error, TEMPER_USAGE,
                         "the solver proximal is for two classes, and for rows that are not remote; try auto");
    if (plan->solver == SOLVER_NEWTON && classes > 2)
        return error_set(request->error, TEMPER_USAGE,
                         "the solver newton is for two classes, and there are %zu; try auto", classes);
    if (plan->solver == SOLVER_TRON && classes > 2) {
        if (!loss_is_two_temperature(plan->loss))
            return error_set(request->error, TEMPER_USAGE,
                             "the solver tron does not know this loss for %zu classes; try lbfgs", classes);
        plan->f64 = true; /* Hessian-vector products of many classes are in doubles only */
    }
    return TEMPER_OK;
}

/* The kind of preconditioner: Gram matrices for L-BFGS on dense rows and on sparse ones of few features, a diagonal for
 * TRON on sparse rows. Newton's method needs none, because its Hessian is exact; remote rows have none, because workers
 * compute gradients only. */
static enum preconditioner_kind decide_preconditioner(const struct train_request *request,
                                                      const struct train_plan *plan)
{
    bool suits = preconditioner_suits(plan->loss, path_data(plan)) || replaces_hessians(request, plan);
    if (plan->gram_iterations > 0 || (plan->solver == SOLVER_LBFGS && !request->remote && suits))
        return PRECONDITIONER_GRAM;
    /* Two classes and a loss that is not convex do without, as dense data does (preconditioner_suits). */
    bool useful = plan->data->classes.count > 2 || loss_has_convex_settings(plan->loss);
    return plan->solver == SOLVER_TRON && plan->data->x.kind == MATRIX_CSR && useful ? PRECONDITIONER_DIAGONAL
                                                                                     : PRECONDITIONER_NONE;
}

/* ---- The objective --------------------------------------------------------------------------- */

/* Whether the values of sparse data may be stored and multiplied as floats: half of the memory traffic, and products
 * that are exact to 1e-7. */
static bool sparse_floats(const temper_train_options *options)
{
    const char *word = options->precision;
    return is_auto(word) ? options->tolerance >= SPARSE_TOLERANCE : strcmp(word, "f32") == 0;
}

/* Whether a training is expected to make too few passes to repay copies of sparse data (row_scatter.h). */
static bool makes_few_passes(const struct train_request *request, const struct train_plan *plan)
{
    return request->options->tolerance >= FEW_PASSES && dataset_all_nonzeros(plan->data) >= FEW_PASSES_ENTRIES;
}

/* Whether the training begins with a dual coordinate ascent, after which most trainings of short sparse rows are over.
 * Not where the user has chosen a solver, or where validation rows decide when to stop on the path from W = 0. */
static temper_status decide_dual_start(const struct train_request *request, struct train_plan *plan,
                                       const struct objective_spec *spec)
{
    plan->dual_start = false;
    if (plan->dual_given_up || !is_auto(request->options->solver) || !begins_at_zero(request) ||
        request->options->validation || plan->reweighted)
        return TEMPER_OK;
    if (plan->solver == SOLVER_LBFGS && plan->spectrum.mean > 0 && !plan->row_space &&
        request->options->tolerance >= DENSE_DUAL_TOLERANCE)
        plan->dual_start = dual_descent_suits_dense(spec, &plan->spectrum);
    if (plan->solver != SOLVER_TRON)
        return TEMPER_OK;
    return dual_descent_suits(spec, &plan->dual_start, request->error);
}

/* Whether dense rows of two classes begin with L-BFGS and the Gram matrix of W = 0, before Newton's method: a convex
 * loss with enough of a penalty has converged then, in half of the time. A weaker penalty lets the curvature at the
 * solution differ from that of W = 0, and Newton's method takes over (docs/decisions/0035). */
static bool begins_with_gram(const struct train_request *request, const struct train_plan *plan)
{
    const struct matrix *x = &plan->data->x;
    return plan->solver == SOLVER_NEWTON && is_auto(request->options->solver) && x->kind != MATRIX_CSR &&
           x->columns >= GRAM_DENSE && loss_is_two_temperature(plan->loss) && loss_is_convex(plan->loss) &&
           preconditioner_suits(plan->loss, plan->data) && dataset_all_rows(plan->data) >= GRAM_ROWS * x->columns &&
           request->options->max_iterations >= GRAM_MOST && begins_at_zero(request) && !request->remote &&
           !request->shared && !request->pilot && !plan->reweighted;
}

/* Data with fewer rows than features: the rows of their own space, if that is expected to take less time. */
static temper_status decide_row_space(const struct train_request *request, struct train_plan *plan)
{
    plan->solver_columns = (size_t)plan->data->x.columns;
    if (!plan->may_use_row_space || plan->l2 == 0)
        return TEMPER_OK;
    const struct preconditioner_spec spec = {
        .data = plan->data, .scale = plan_scale(plan), .loss = plan->loss, .l2 = plan->l2};
    TRY(spectrum_estimate(spec.data, spec.scale, &plan->spectrum, request->error));
    if (!row_space_fits(plan->data) ||
        !preconditioner_row_space_pays(&spec, request->options->tolerance, &plan->spectrum))
        return TEMPER_OK;
    TRY(row_space_new(plan->features, plan->threads, &plan->row_space, request->error));
    if (plan->row_space)
        plan->data = row_space_data(plan->row_space);
    plan->solver_columns = (size_t)plan->data->x.columns;
    return TEMPER_OK;
}

/* Makes the objective, after the memory that the rest of the training will take has been budgeted for. The size of the
 * problem follows from the objective. */
static temper_status make_objective(const struct train_request *request, struct train_plan *plan,
                                    struct objective **objective)
{
    struct objective_spec spec = {.data = plan->data,
                                  .scale = plan_scale(plan),
                                  .loss = plan->loss,
                                  .l2 = plan->l2,
                                  .l1 = plan->l1,
                                  .intercept = !request->options->no_intercept,
                                  .f64 = plan->f64,
                                  .floats = sparse_floats(request->options),
                                  .curvature = plan->solver != SOLVER_LBFGS && plan->solver != SOLVER_OWLQN,
                                  .by_column = plan->solver != SOLVER_NEWTON,
                                  .few_passes = makes_few_passes(request, plan),
                                  .threads = plan->threads,
                                  .keeps_threads = true,
                                  .engine = request->remote ? request->remote->engine : NULL};
    TRY(decide_dual_start(request, plan, &spec));
    spec.few_passes = spec.few_passes || plan->dual_start;
    /* Fits that run at the same time were budgeted for together; what follows the row space, with it. */
    bool behind = plan->solver_columns != (size_t)plan->data->x.columns;
    if ((!request->features || request->one_at_a_time) && request->data->storage.memory_limit > 0 && !behind)
        TRY(memory_budget_training(request, plan, &spec));
    /* After the budget, as they may be made later. */
    spec.no_copies = plan->dual_start && !plan->dual_unproved;
    TRY(objective_new(&spec, objective, request->error));
    plan->size = objective_size(*objective);
    plan->vectors = objective_vectors(*objective);
    return TEMPER_OK;
}

temper_status train_plan_leave_row_space(const struct train_request *request, struct train_plan *plan,
                                         struct objective **objective)
{
    row_space_free(plan->row_space);
    plan->row_space = NULL;
    plan->spectrum = (struct spectrum){0};
    plan->data = plan->features->data;
    objective_free(*objective);
    *objective = NULL;
    return make_objective(request, plan, objective);
}

/* Two classes of dense rows and a convex loss: independent features need no Gram matrix, and a training may be over
 * before it would have been made. Losses with several optima keep the path on which these have been judged. */
static temper_status decide_plain_iterations(const struct train_request *request, struct train_plan *plan,
                                             struct objective *objective)
{
    const struct preconditioner_spec spec = {
        .objective = objective, .data = plan->data, .scale = plan_scale(plan), .loss = plan->loss, .l2 = plan->l2};
    bool applies =
        plan->preconditioner == PRECONDITIONER_GRAM && plan->vectors == 1 && plan->data->x.kind != MATRIX_CSR &&
        plan->gram_iterations == 0 && /* else it is cheap, and on trial */
        loss_is_convex(plan->loss) &&
        plan->loss.method != TEMPER_HINGE; /* ends where steps gain little, as they do without a preconditioner */
    plan->plain_iterations = 0;
    return applies ? preconditioner_delay(&spec, request->options->tolerance, &plan->plain_iterations, request->error)
                   : TEMPER_OK;
}

/* The copies of sparse data depend on how many passes are expected. */
temper_status train_plan_give_up_dual(const struct train_request *request, struct train_plan *plan,
                                      struct objective **objective)
{
    objective_free(*objective);
    *objective = NULL;
    plan->dual_given_up = true;
    return make_objective(request, plan, objective);
}

temper_status train_plan_make_copies(const struct train_request *request, struct train_plan *plan,
                                     struct objective **objective)
{
    objective_free(*objective);
    *objective = NULL;
    plan->dual_unproved = true;
    return make_objective(request, plan, objective);
}

/* All decisions that need no weights; each uses the ones before it. NaN as the penalty means the default. */
temper_status train_plan_decide(const struct train_request *request, struct train_plan *plan,
                                struct objective **objective)
{
    const temper_train_options *options = request->options;
    plan->threads = options->threads ? options->threads : thread_count_default();
    TRY(decide_features(request, plan));
    plan->given_weight = plan->data->weight;
    if (loss_has_rounds(plan->asked))
        TRY(rounds_copy_data(request, plan));
    plan->l1 = options->l1;
    /* A second penalty has to be asked for: the default one is that of a model without the first. */
    plan->l2 = isnan(options->l2) && plan->l1 > 0 ? 0 : options->l2;
    if (isnan(plan->l2))
        TRY(scaled_features_default_l2(plan->features, &plan->l2, request->error));
    TRY(decide_row_space(request, plan));
    TRY(choose_precision(options, plan->data, &plan->f64, request->error));
    TRY(decide_solver(request, plan));
    plan->gram_iterations = begins_with_gram(request, plan) ? GRAM_ITERATIONS + (size_t)plan->data->x.columns / 4 : 0;
    plan->preconditioner = decide_preconditioner(request, plan);
    TRY(make_objective(request, plan, objective));
    return decide_plain_iterations(request, plan, *objective);
}

/* ---- Phases ---------------------------------------------------------------------------------- */

/* A hinge has a kink, where Newton steps fail. It is rounded over a width that shrinks phase by phase, each phase
 * beginning at the end of the one before (a homotopy): the rounded loss is below the hinge by half the width at most,
 * so that the last width bounds the error of the objective. */
static const double HINGE_FIRST = 0.5, HINGE_SHRINK = 0.2, HINGE_LEAST = 1e-6;
/* The third start follows a path of decreasing penalties: first PATH_FIRST times that of the plan. */
static const double PATH_FIRST = 100, PATH_STEP = 0.1;
/* L1 penalties range from 0 to that of an empty model, often less than 100 times the one that was asked for. */
static const double PATH_FIRST_L1 = 9, PATH_STEP_L1 = 1.0 / 3;
enum { PATH_STEPS = 2 };

/* Appends a phase with the loss and penalty of the plan, which the caller may change. */
static struct train_phase *add_phase(struct train_plan *plan, const char *name, bool continues_previous)
{
    assert(plan->phases < MAX_PHASES);
    struct train_phase *phase = &plan->phase[plan->phases++];
    *phase = (struct train_phase){.loss = plan->loss,
                                  .l2 = plan->l2,
                                  .l1 = plan->l1,
                                  .solver = plan->solver,
                                  .continues_previous = continues_previous};
    snprintf(phase->name, sizeof phase->name, "%s", name);
    return phase;
}

/* Per-class preconditioners are computed again after more and more iterations, as long as the limit of the user leaves
 * iterations for them: near the solution the curvature hardly changes any more. */
static void add_renewals(struct train_plan *plan, const char *name, size_t max_iterations)
{
    size_t n = plan->size / plan->vectors, done = FIRST_PRECONDITIONER_ITERATIONS;
    for (size_t limit = SECOND_PRECONDITIONER_ITERATIONS; limit <= LAST_PRECONDITIONER_ITERATIONS; limit *= 2) {
        done += limit;
        if (!preconditioner_per_class(plan->data, plan->loss, n) || max_iterations <= done)
            return;
        struct train_phase *phase = add_phase(plan, name, true);
        phase->iteration_limit = limit;
        phase->uses_current_curvature = true;
    }
}

/* Appends the phases that lead to a solution. Features that may need no preconditioner: iterations without one, and the
 * preconditioner only if they do not suffice. Many classes with a preconditioner: a few iterations with that of W = 0,
 * then with that of the current weights, which halves the remaining iterations; for two classes it would not pay. Fits
 * of a convex loss that share the preconditioners of a pilot fit use the later one from the beginning. */
static void add_solution(const struct train_request *request, struct train_plan *plan, const char *name,
                         bool continues_previous)
{
    const struct shared_preconditioner *shared = request->shared;
    bool twice = plan->preconditioner == PRECONDITIONER_GRAM && (!shared || shared->initial.factor) &&
                 preconditioner_is_renewed(plan->data, plan->loss);
    if (twice) {
        add_phase(plan, name, continues_previous)->iteration_limit = FIRST_PRECONDITIONER_ITERATIONS;
        /* The shared one of a pilot fit is not computed again. */
        if (!shared)
            add_renewals(plan, name, request->options->max_iterations);
    }
    if (plan->plain_iterations > 0) {
        struct train_phase *plain = add_phase(plan, name, continues_previous);
        plain->iteration_limit = plan->plain_iterations;
        plain->is_plain = true;
    }
    bool plain = plan->plain_iterations > 0, gram = plan->gram_iterations > 0;
    if (gram) {
        struct train_phase *with_gram = add_phase(plan, name, continues_previous);
        with_gram->iteration_limit = plan->gram_iterations;
        with_gram->solver = SOLVER_LBFGS;
        with_gram->is_trial = true;
    }
    struct train_phase *phase = add_phase(plan, name, continues_previous || twice || plain || gram);
    phase->uses_current_curvature = twice;
    phase->is_plain = gram;
    phase->is_solution = true;
}

/* The phases of a hinge, from HINGE_FIRST down by HINGE_SHRINK each time. The last width is the tolerance: rounding
 * less would not change the result within it. */
static void add_hinge(struct train_plan *plan, double tolerance)
{
    /* A tolerance above the first width makes a single phase. */
    double last = fmax(HINGE_LEAST, fmin(tolerance, HINGE_FIRST)), width = HINGE_FIRST;
    for (bool continues = false; plan->phases + 1 < MAX_PHASES; continues = true) {
        struct train_phase *phase = add_phase(plan, "hinge", continues);
        width = fmax(width, last);
        phase->loss.smoothing = width;
        phase->is_solution = width <= last;
        if (phase->is_solution)
            break;
        width *= HINGE_SHRINK;
    }
    plan->phase[plan->phases - 1].is_solution = true;
}

/* The second start: from the solution of a logistic regression, which is convex and has one optimum. */
static void add_logistic_start(const struct train_request *request, struct train_plan *plan)
{
    struct train_phase *phase = add_phase(plan, "start 2: logistic", false);
    phase->loss = (temper_loss_spec){.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1};
    add_solution(request, plan, "start 2", true);
}

/* The third start: strong penalties first, where the loss is nearly convex, and their solution as the start for weaker
 * ones. */
static void add_path_start(const struct train_request *request, struct train_plan *plan)
{
    /* Without a penalty there is nothing to multiply: a small one takes its place. */
    double l2 = (plan->l2 > 0 ? plan->l2 : 1e-6) * PATH_FIRST, l1 = plan->l1 * PATH_FIRST_L1;
    for (int i = 0; i < PATH_STEPS; i++) {
        struct train_phase *phase = add_phase(plan, plan->l1 > 0 ? "start 3: strong l1" : "start 3: strong l2", i > 0);
        phase->l1 = l1;
        if (plan->l1 == 0)
            phase->l2 = l2;
        l2 *= PATH_STEP;
        l1 *= PATH_STEP_L1;
    }
    add_solution(request, plan, "start 3", true);
}

/* The list of all phases. The first start is from the initial weights; the others are for losses with several optima,
 * to see whether they lead to the same model. */
static void decide_phases(const struct train_request *request, struct train_plan *plan)
{
    size_t starts = request->options->starts;
    if (plan->loss.method == TEMPER_HINGE && plan->loss.smoothing == 0) {
        add_hinge(plan, request->options->tolerance); /* one optimum: other starts would find the same */
        return;
    }
    add_solution(request, plan, starts > 1 ? "start 1" : "train", false);
    if (starts > 1)
        add_logistic_start(request, plan);
    if (starts > 2)
        add_path_start(request, plan);
}

/* ---- Initial weights ------------------------------------------------------------------------- */

/* The error for an initialisation that cannot be parsed, with an example. */
static temper_status bad_init(const struct train_request *request)
{
    return error_set(request->error, TEMPER_USAGE,
                     "there is no init '%.64s'; there are zero and normal:STD, e.g. normal:0.001",
                     request->options->init);
}

/* "normal:0.001": independent normal numbers of that standard deviation. Each is a function of the seed and its index,
 * so that the weights do not depend on anything else. */
static temper_status initial_random(const struct train_request *request, const struct train_plan *plan)
{
    static const char prefix[] = "normal:";
    const char *text = request->options->init;
    struct random random = {request->options->seed, STREAM_INIT};
    double deviation;
    if (strncmp(text, prefix, sizeof prefix - 1) != 0)
        return bad_init(request);
    text += sizeof prefix - 1;
    if (number_f64(text, text + strlen(text), &deviation) != NUMBER_OK || !(deviation >= 0) || !isfinite(deviation))
        return bad_init(request);
    for (size_t i = 0; i < plan->size; i++)
        plan->initial[i] = deviation * random_normal(random, i);
    return TEMPER_OK;
}

/* Describes why the weights of a model cannot be used for this data; NULL if they can. Only what the weights mean has
 * to agree: the scaling may differ, except for logarithms. */
static const char *warm_mismatch(const struct train_plan *plan, const struct model *model)
{
    const struct classes *classes = &plan->data->classes;
    if (model->features != plan->data->x.columns)
        return "it has another number of features";
    if (model->classes.count != classes->count)
        return "it has another number of classes";
    if ((model->scale.kind == SCALE_LOG) != (plan->features->scale.kind == SCALE_LOG))
        return "one of them takes logarithms of the features";
    for (size_t c = 0; c < classes->count; c++)
        if (classes_find(&model->classes, classes->name[c], strlen(classes->name[c])) == CLASSES_NONE)
            return "it does not know all classes";
    return NULL;
}

/* Converts one vector of weights for raw rows to weights for scaled features, the inverse of
 * scaled_features_raw_weights, and stores it as vector k of the initial weights, times `sign`. */
static void scale_vector(const struct train_plan *plan, bool intercept, const double *weights, double bias, size_t k,
                         double sign)
{
    size_t columns = (size_t)plan->data->x.columns, vectors = plan->vectors;
    const struct scale *scale = &plan->features->scale;
    for (size_t j = 0; j < columns; j++) {
        double offset = scale->offset ? scale->offset[j] : 0;
        double factor = scale->factor ? scale->factor[j] : 1;
        plan->initial[j * vectors + k] = sign * weights[j] / factor;
        bias += weights[j] * offset;
    }
    if (intercept)
        plan->initial[columns * vectors + k] = sign * bias;
}

/* Initial weights from an earlier model. Classes are matched by name, because the model may have them in another
 * order. */
static temper_status initial_warm(const struct train_request *request, const struct train_plan *plan)
{
    const struct model *model = (const struct model *)request->options->warm_start;
    const char *mismatch = warm_mismatch(plan, model);
    bool intercept = !request->options->no_intercept;
    if (mismatch)
        return error_set(request->error, TEMPER_BAD_DATA,
                         "the model to start from does not fit the data: %s; train without a warm "
                         "start",
                         mismatch);
    for (size_t k = 0; k < plan->vectors; k++) {
        const char *name = plan->data->classes.name[model->vectors == 1 ? 1 : k];
        uint32_t theirs = classes_find(&model->classes, name, strlen(name));
        if (model->vectors == 1) /* two classes in another order: the sign of the score changes */
            scale_vector(plan, intercept, model->weights, model->bias[0], 0, theirs == 1 ? 1 : -1);
        else
            scale_vector(plan, intercept, model->weights + theirs * model->features, model->bias[theirs], k, 1);
    }
    return TEMPER_OK;
}

/* The initial weights, zero unless the request or the options specify others, and the phases that begin with them. */
temper_status train_plan_start(const struct train_request *request, struct train_plan *plan)
{
    const char *init = request->options->init;
    plan->initial = mem_zeroed(plan->size, sizeof *plan->initial);
    if (!plan->initial)
        return error_no_memory(request->error);
    if (request->initial)
        memcpy(plan->initial, request->initial, plan->size * sizeof *plan->initial);
    else if (request->options->warm_start)
        TRY(initial_warm(request, plan));
    else if (init && strcmp(init, "zero") != 0)
        TRY(initial_random(request, plan));
    /* A component that all classes share changes no score difference and costs a penalty; the steps of per-class
     * preconditioners have no such component and would leave it as it is. So it is removed here. */
    size_t n = plan->size / plan->vectors;
    if (plan->preconditioner == PRECONDITIONER_GRAM && preconditioner_per_class(plan->data, plan->loss, n))
        preconditioner_centre(plan->initial, plan->vectors, n);
    decide_phases(request, plan);
    return TEMPER_OK;
}

/* Hashing takes a pass over the data, so that it is done at most once, and as late as possible. */
temper_status train_plan_fingerprint(const struct train_request *request, struct train_plan *plan)
{
    if (plan->fingerprint[0])
        return TEMPER_OK;
    if (!request->remote)
        return dataset_fingerprint(request->data, plan->threads, plan->fingerprint, request->error);
    snprintf(plan->fingerprint, sizeof plan->fingerprint, "%s", request->remote->fingerprint);
    return TEMPER_OK;
}
