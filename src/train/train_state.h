/* train_state: one training, split by lifetime: what was asked for (struct train_request, train.h), what was decided
 * before the first step (train_plan), what is in progress (train_progress), and validation rows if there are any.
 *
 * The path of the optimiser is a list of phases: one for a plain training, several for a hinge whose kink is rounded
 * less and less, for preconditioners that are computed again, and for several starts. A phase begins where the one
 * before it ended, or at the initial weights; the end of some of them is a solution. */
#ifndef TRAIN_TRAIN_STATE_H
#define TRAIN_TRAIN_STATE_H

#include "objective/gram/spectrum.h"
#include "objective/objective.h"
#include "train/noise_pilot.h"
#include "train/row_space.h"
#include "train/train.h"

/* The last two are for an L1 penalty, the others for objectives without. */
enum solver { SOLVER_NEWTON, SOLVER_LBFGS, SOLVER_TRON, SOLVER_PROXIMAL, SOLVER_OWLQN };

/* Three starts of many classes: 5 phases each with preconditioners, and before the later ones 1 and 2 more. */
enum { MAX_PHASES = 18, MAX_STARTS = 3 };

/* Many classes: iterations with the second preconditioner, after the first (train.h); each later one is used twice as
 * long as the one before it, up to the last. */
enum { SECOND_PRECONDITIONER_ITERATIONS = 10, LAST_PRECONDITIONER_ITERATIONS = 40 };

/* Rows predicted at a time, where all of them are predicted. */
enum { PREDICTED_ROWS = 8192 };

struct train_phase {
    char name[24]; /* for progress reports */
    temper_loss_spec loss;
    double l2, l1;
    enum solver solver;
    bool continues_previous;     /* begins where the phase before it ended */
    bool is_solution;            /* its end is a solution of the problem that was asked for */
    bool is_trial;               /* left early where the gradient falls slowly */
    size_t iteration_limit;      /* after which the next phase continues; 0: the limit of the user alone */
    bool uses_current_curvature; /* of the weights that it begins with, for the preconditioner; else that of W = 0 */
    bool is_plain;               /* without a preconditioner, even if the plan has one */
};

/* Decided before the first step. Constant from then on, except in a training with rounds (rounds.c): those change the
 * weights of the rows, the matrix of label noise, the losses of the phases and the initial weights. */
struct train_plan {
    const struct scaled_features *features; /* shared, or: */
    struct scaled_features own_features;
    struct dataset *gathered;    /* few rows of many features, of several processes: all of them; else NULL */
    bool may_use_row_space;      /* or begin with the dual coordinate ascent of dense rows */
    const struct dataset *data;  /* the rows of the features, the same with other weights, or those of the row space */
    struct row_space *row_space; /* fewer rows than features, while the phases run; else NULL */
    struct spectrum spectrum;    /* of the rows of all features, where these are more; else mean 0 */
    size_t solver_columns;       /* features of the rows that the solver sees or, behind it, saw */
    struct dataset *reweighted;  /* losses with rounds: `data` is this copy, whose weights change; else NULL */
    const double *given_weight;  /* the weights as they were given; NULL: all 1 */
    double *transition;          /* forward correction: [given * classes + true], from the rounds; else NULL */
    temper_loss_spec asked;      /* the loss that was asked for, resolved */
    temper_loss_spec loss;       /* that of the rows, which the phases minimise: loss_of_rows(asked) */
    double l2, l1;
    enum solver solver; /* that of the last phase */
    bool f64;           /* sums in doubles */
    enum preconditioner_kind preconditioner;
    size_t plain_iterations; /* before that is made; 0: it is made at once */
    size_t gram_iterations;  /* of L-BFGS with a Gram matrix, before Newton's method; 0: none */
    bool dual_start;         /* the first phase begins at the end of a dual coordinate ascent */
    bool dual_given_up;      /* it was given up: the optimum is far away */
    bool dual_unproved;      /* its end is not that of the training: the solver will make passes */
    size_t threads;
    size_t size, vectors; /* numbers of the weights; weight vectors among them */
    double *initial;      /* the initial weights */
    struct train_phase phase[MAX_PHASES];
    size_t phases;
    char fingerprint[33]; /* of the data; "": not needed yet */
};

/* What the objective has to do to the rows of the plan, or NULL. */
static inline const struct scale *plan_scale(const struct train_plan *plan)
{
    return plan->row_space ? NULL : scaled_features_scale(plan->features);
}

/* Sums over all phases that are over. */
struct train_counts {
    size_t iterations, evaluations, products, hessians;
};

/* What the stopping rule is relative to: the gradient at W = 0. */
struct gradient_scale {
    bool known;
    double norm;     /* at W = 0; 0 if that is no more than rounding, and then: */
    double rounding; /* a gradient norm that is rounding alone */
    double value;    /* of the objective at W = 0 */
};

/* How a start ended. */
struct start_end {
    size_t start; /* counted from 0 */
    double value; /* the objective; with validation rows, the loss on them */
    enum optim_stop stop;
};

/* The objective was last evaluated at progress->w, so that it need not be where a phase begins or training ends: its
 * gradient is progress->gradient. */
struct known_point {
    temper_loss_spec loss;
    double l2, l1, value;
    bool valid;
};

struct train_progress {
    struct objective *objective;
    size_t round;              /* losses with rounds: how many are over */
    size_t round_begin;        /* counts.iterations at the beginning of the current one */
    bool rounds_unfinished;    /* a limit has ended the rounds, or a pilot fit */
    struct noise_pilot *pilot; /* forward correction: what its first rounds find; else NULL */
    size_t phase;              /* the current one */
    enum solver solver;        /* of the phase that was run last */
    bool trial_failed;         /* that was a trial, and left early: the next phase begins at the initial weights */
    double *w;                 /* where the phase began; then where it ended */
    double *gradient;
    struct known_point known;
    struct gradient_scale scale; /* of the current phase */
    double lower_bound;          /* of the objective of the current phase; 0: not known */
    struct preconditioner preconditioner;
    enum preconditioner_kind preconditioner_kind; /* that of the plan, or NONE after one could not be made */
    struct train_counts counts;
    enum optim_stop last_stop; /* of the last phase, */
    double last_value;         /* and the objective at its end */
    bool interrupted;          /* by the user */
    double started;            /* a clock */

    /* ---- Solutions so far */
    double *solution; /* MAX_STARTS times size; in the end the one that is kept comes first */
    struct start_end end[MAX_STARTS];
    size_t solutions;
    /* Of the phases that led to them: */
    temper_loss_spec solution_loss;
    double solution_scale; /* the gradient norm at W = 0 */
    double kept_accuracy;  /* of the rows and weights that the solution was fitted to */

    /* ---- From a checkpoint */
    bool resumed;
    double *solver_memory; /* of the minimiser; NULL: it begins at w */
    size_t solver_memory_count;
};

/* Rows that decide when to stop, and the best weights on them. */
struct train_validation {
    struct dataset *data;
    struct objective *objective;
    char fingerprint[33]; /* computed where there is a checkpoint */
    double *gradient;     /* workspace */
    double *best;         /* the weights of the smallest loss so far */
    double best_loss;
    size_t since_best; /* iterations */
    bool stopped;      /* training ended because that became too many */
};

struct train_state {
    const struct train_request *request;
    struct train_plan plan;
    struct train_progress progress;
    struct train_validation *validation; /* NULL: none was asked for */
    bool is_candidate;       /* a fit of a search that is not kept: the gradient alone decides when it stops */
    double checkpoint_saved; /* a clock: when */
};

/* ---- Steps, in their order ------------------------------------------------------------------- */

/* train_plan.c: from the data and options to plan and objective; plan->asked is given. */
temper_status train_plan_decide(const struct train_request *request, struct train_plan *plan,
                                struct objective **objective);

/* After a dual coordinate ascent that was given up: makes the objective again, for the passes of other solvers. */
temper_status train_plan_give_up_dual(const struct train_request *request, struct train_plan *plan,
                                      struct objective **objective);
/* After one whose end is not that of the training: the same, with the copies of sparse rows that were left out. */
temper_status train_plan_make_copies(const struct train_request *request, struct train_plan *plan,
                                     struct objective **objective);
/* After the phases of a training in the row space: the objective of all features in place of *objective. */
temper_status train_plan_leave_row_space(const struct train_request *request, struct train_plan *plan,
                                         struct objective **objective);
/* The initial weights and the phases. */
temper_status train_plan_start(const struct train_request *request, struct train_plan *plan);
/* Fills plan->fingerprint, unless it is there: before the first step for a checkpoint, else for the model. */
temper_status train_plan_fingerprint(const struct train_request *request, struct train_plan *plan);

/* validation.c */
temper_status validation_new(const struct train_request *request, const struct train_plan *plan,
                             struct train_validation **out);
void validation_free(struct train_validation *validation);
/* *loss: that of the validation rows at w. */
temper_status validation_loss(struct train_validation *validation, const double *w, double *loss, temper_error *error);
/* The same for the path of the optimiser. Keeps the best w; sets validation->stopped after `patience` iterations
 * without a better one. */
temper_status validation_measure(struct train_validation *validation, const double *w, size_t patience, double *loss,
                                 temper_error *error);

/* solve.c: runs through the phases, from plan->initial or a checkpoint. */
temper_status train_solve(struct train_state *train);
/* The loss and the penalties that the objective has from now on. */
void progress_set_loss(struct train_progress *progress, temper_loss_spec loss, double l2, double l1);
/* The norm of progress->gradient, the gradient at w; with an L1 penalty that of the minimum-norm subgradient. */
double progress_gradient_norm(const struct train_plan *plan, const struct train_progress *progress, const double *w);
/* The value at w, its gradient in progress->gradient; *known if both were known before. */
temper_status progress_evaluate(struct train_progress *progress, const double *w, double *value, bool *known,
                                temper_error *error);
/* By how much a hundred iterations have to lower the objective of a hinge that is rounded in a phase before the sharp
 * one; 0 for other losses. */
double hinge_min_decrease(const struct train_plan *plan, temper_loss_spec loss);

/* What temper_train_progress.state points at while a callback runs. */
struct train_snapshot {
    const struct train_state *train;
    const struct optim_progress *now;
};

/* train_finish.c */
/* Fills weights, names, scale and schema of a model from weights of the solver. */
temper_status train_fill_model(const struct train_state *train, const double *w, struct model *model,
                               temper_error *error);
temper_status train_finish(struct train_state *train, struct model **model, temper_train_report *report);

/* ---- Only where options ask for them ---------------------------------------------------------------- */

/* rounds.c: losses that repeat the minimisation with other weights of the rows. Refuses options that do not apply to
 * them. */
temper_status rounds_check(const struct train_request *request, temper_loss_spec asked);
/* A copy of plan->data, which is borrowed otherwise, with weights of its own. */
temper_status rounds_copy_data(const struct train_request *request, struct train_plan *plan);
/* The first round, where it is not that of all rows. */
temper_status rounds_begin(struct train_state *train);
/* After a round: sets the weights of the next one; *again is false if that was the last. */
temper_status rounds_next(struct train_state *train, bool *again);
/* After an interruption: leaves no solution that is none of the problem. */
temper_status rounds_interrupted(struct train_state *train);
/* The share of all rows, with the weights that were given, whose label the solution predicts. */
temper_status rounds_accuracy(const struct train_state *train, double *accuracy);

/* memory_budget.c: TEMPER_NO_MEMORY if there is a limit that training would exceed; else the rest of the memory goes to
 * the window on the file that holds the rows. */
temper_status memory_budget_scaling(const struct train_request *request, const struct train_plan *plan);
temper_status memory_budget_training(const struct train_request *request, const struct train_plan *plan,
                                     const struct objective_spec *spec);

/* train_checkpoint.c: all that is needed to continue after the iteration that `now` describes. */
temper_status checkpoint_save(struct train_state *train, const struct optim_progress *now);
/* The fingerprints that a checkpoint is recognised by; then, to resume, progress from the file, if there is one. */
temper_status checkpoint_begin(struct train_state *train);

/* ---- Parts ----------------------------------------------------------------------------------- */

const char *solver_name(enum solver solver);

#endif
