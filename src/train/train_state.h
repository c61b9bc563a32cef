/* training: one training on its way; what the files of this folder share.
 *
 * The way is a list of phases: one for a plain training, more for a hinge whose kink is rounded
 * less and less, and for several starts. A phase begins where the one before it ended, or at the
 * initial weights; those whose end is an answer are marked. */
#ifndef TRAIN_TRAIN_STATE_H
#define TRAIN_TRAIN_STATE_H

#include "model/model.h"
#include "objective/objective.h"
#include "optim/minimise.h"
#include "train/scaled_features.h"

enum solver { SOLVER_NEWTON, SOLVER_LBFGS, SOLVER_TRON };

enum { MOST_PHASES = 16, MOST_STARTS = 3 };

struct kernel;
struct shard_plan; /* run/shards.h */

struct phase {
    char name[24];
    temper_loss_spec loss;
    double l2;
    bool goes_on;     /* from where the phase before it ended */
    bool answers;     /* its end is a solution */
    size_t most;      /* iterations, after which the next phase goes on; 0: the limit of the user */
    bool bends;       /* goes on from such a one: the metric is the curvature there, not at 0 */
    bool measured;    /* the gradient at W = 0 is known: */
    double zero_norm; /* its norm */
    double enough;    /* where that is 0: a gradient that is rounding alone */
};

/* The metric of whitened steps: a factor of the second moments, or one for each class. */
struct preconditioner {
    const struct kernel *kernel;
    double *factor;   /* Cholesky's, one after another; NULL: no metric */
    size_t factors;   /* 1, or as many as vectors */
    bool lent;        /* they are another training's, which keeps them */
    double *column;   /* space for some vectors */
    double *diagonal; /* sparse data: instead of factors, what each feature is multiplied with */
    size_t n, vectors;
};

/* The metrics of a training on all rows, for others on most of them. */
struct shared_preconditioner {
    struct preconditioner first; /* that of W = 0, for as many iterations; no factor: the other from there */
    struct preconditioner then;  /* that of where these led to */
};

/* Whether t->w is what the objective was asked about last: then it is not asked again where a phase
 * begins, or training ends, as t->gradient and the value are known. */
struct recalled {
    temper_loss_spec loss;
    double l2, value;
    bool fresh;
};

/* Sums over all phases. */
struct counts {
    size_t iterations, evaluations, products, hessians;
};

struct training_run {
    const struct dataset *given;
    const struct shard_plan *plan;     /* the rows lie elsewhere, and this is known of them; or NULL */
    const temper_shard_engine *engine; /* it asks them */
    const temper_train_options *options;
    temper_error *error;

    /* ---- What was decided before the first step */
    const struct scaled_features *ground; /* shared with other trainings, or the one below */
    struct scaled_features own_ground;
    const struct dataset *data; /* that of the ground, or with other weights */
    temper_loss_spec loss;
    double l2;
    enum solver solver;
    bool f64, whiten;
    bool diagonal; /* the metric of sparse data */
    size_t threads;
    char fingerprint[33];
    struct objective *objective;
    size_t size;

    /* ---- Validation rows */
    struct dataset *valid_data;
    struct objective *valid;
    char valid_fingerprint[33]; /* found where there is a checkpoint */
    double *valid_gradient;     /* space */
    double *valid_w;            /* the best so far */
    double valid_best;          /* its loss */
    size_t valid_since;         /* iterations since then */

    /* ---- On the way */
    struct phase phase[MOST_PHASES];
    size_t phases, current;
    struct preconditioner metric;
    struct preconditioner *first_metric;      /* where that of W = 0 is kept; NULL: nowhere */
    const struct shared_preconditioner *lent; /* whose metrics are used; NULL: it makes its own */
    const double *begin;                      /* initial weights from within this layer, or NULL: as the options say */
    double *initial, *gradient;
    double *w; /* where the phase began; then where it ended */
    struct recalled recalled;
    bool entering;  /* nothing was evaluated in this phase yet */
    double *answer; /* MOST_STARTS vectors */
    size_t answers;
    /* Of the phase that made the first answer: */
    temper_loss_spec answer_loss;
    double answer_norm; /* zero_norm */
    enum optim_stop stop;
    enum optim_stop last_stop;
    bool interrupted, stopped_early;
    struct counts before; /* of the phases that are over */
    double started;       /* a clock */
    double saved;         /* when the checkpoint was */
    bool resumed;
    double *memory; /* of the solver, from a checkpoint; NULL: begin */
    size_t memory_count;
    temper_status follow_status; /* a failure within the solver's callback */
};

/* All steps, and frees what they took. The outputs are untouched on failure. */
temper_status training_execute(struct training_run *t, struct model **model, temper_train_report *report);

/* ---- Steps, in their order ------------------------------------------------------------------- */

temper_status training_check(struct training_run *t);
temper_status training_plan(struct training_run *t);
temper_status training_validation(struct training_run *t);
temper_status training_start(struct training_run *t);
temper_status training_solve(struct training_run *t);
temper_status training_finish(struct training_run *t, struct model **model, temper_train_report *report);

/* The loss and the penalty of the objective from now on. */
void training_set_loss(struct training_run *t, temper_loss_spec loss, double l2);
/* Value at w, and its gradient in t->gradient; *again if these were known. */
temper_status training_evaluate(struct training_run *t, const double *w, double *value, bool *again);

/* ---- Parts of them --------------------------------------------------------------------------- */

/* TEMPER_USAGE if such a loss, resolved, cannot be trained. */
temper_status training_check_loss(temper_loss_spec loss, temper_error *error);
const char *solver_name(enum solver solver);
/* TEMPER_NO_MEMORY if there is a limit and the training would not keep to it; else what is left
 * goes to the file that the rows are in. */
temper_status training_budget_scaling(const struct training_run *t);
temper_status training_budget(const struct training_run *t, const struct objective_spec *spec);
enum { PREDICTED_ROWS = 8192 }; /* at a time, where all are */
/* Factors of all classes together take at most this; beyond, one for all classes has to do. */
#define PRECONDITIONER_MOST_BYTES (256.0 * 1024 * 1024)
/* Many classes: iterations in the metric of W = 0, before that of where they have led to; and in
 * that one, before the next; each is then used twice as long as the one before, up to the last. */
enum { FIRST_PRECONDITIONER = 6, SECOND_PRECONDITIONER = 10, LAST_PRECONDITIONER = 40 };
void schedule_fill(struct training_run *t);
/* How much a hundred iterations have to lower the objective of a hinge whose kink is rounded on the
 * way; 0 for other losses. */
double hinge_fall(const struct training_run *t, temper_loss_spec loss);

/* The curvature of a loss where training starts: all classes are alike there. */
double initial_curvature(temper_loss_spec loss, size_t classes);
/* Whether steps are better measured by the second moments of the features: these resemble the
 * curvature if the temperatures do not differ much. */
bool preconditioner_suits(temper_loss_spec loss, const struct dataset *data);
/* The precision that these options mean for such data. */
temper_status choose_precision(const temper_train_options *options, const struct dataset *data, bool *f64,
                               temper_error *error);
/* Whether each of many classes is to have a matrix of its own: they are of n rows. */
bool preconditioner_by_class(const struct dataset *data, temper_loss_spec loss, size_t n);
temper_status preconditioner_prepare(struct training_run *t, const struct phase *phase);
/* Many classes, n numbers each, side by side: what they have in common is taken away. */
void preconditioner_centre(double *v, size_t vectors, size_t n);
void preconditioner_apply(void *context, double *v); /* of a struct preconditioner */
void preconditioner_free(struct preconditioner *metric);
/* The same for the metric of sparse data, which the solver is given as it is. */
temper_status preconditioner_diagonal_prepare(struct training_run *t, const struct phase *phase);

temper_status checkpoint_save(struct training_run *t, const struct optim_progress *progress);
/* Fills current, w, answers, counts and memory. OK too if there is no such file. */
temper_status checkpoint_load(struct training_run *t);

/* TEMPER_BAD_DATA if the answer is worse than no features at all. */
temper_status refuse_plateau(struct training_run *t, const temper_train_report *report);
/* Appends sentences to the report. */
temper_status warn_user(struct training_run *t, temper_train_report *report);

/* 128 bits of everything that matters in a dataset, in hexadecimal. */
temper_status dataset_fingerprint(const struct dataset *data, size_t threads, char hex[33], temper_error *error);

void training_free(struct training_run *t);
double training_clock(void);

#endif
