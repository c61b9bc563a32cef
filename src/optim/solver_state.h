/* run: what all minimisers share: counting, the best point, following, memory, and when to end.
 *
 * Everything that has to outlive an iteration lies in one array, run->memory: the head below, then
 * w, its gradient, the best point, and what the method keeps for itself. So a copy of that array
 * after an iteration is all that is needed to go on to the same bits. */
#ifndef OPTIM_SOLVER_STATE_H
#define OPTIM_SOLVER_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "optim/minimise.h"

/* The beginning of the memory. All are doubles, so that the memory can be saved as numbers. */
struct optim_head {
    double kind; /* which minimiser: enum optim_kind */
    double size; /* of w */
    double iteration, evaluations, products, hessians;
    double value, gradient_norm; /* at w */
    double start_norm;           /* of the gradient at the start */
    double lowest;               /* the smallest value so far */
    double best_value, best_norm;
    double mark_value, mark_norm; /* at the last progress that was more than rounding, */
    double idle;                  /* and how many iterations ago that was */
    double stiffness;             /* the length of a step per its norm, the largest of late */
    double reach;                 /* how far a step may go, in the norm of options->length */
    double extra;                 /* how many numbers of the method's own are in use */
    double radius;                /* of the trust region */
    double pairs, next;           /* L-BFGS: how many there are, and which is overwritten next */
    double gamma;                 /* L-BFGS: the initial metric is gamma M^-1 */
    double history_limit;         /* L-BFGS: how many there may be */
};

enum optim_kind { OPTIM_LBFGS = 1, OPTIM_NEWTON = 2, OPTIM_TRON = 3 };

struct optim_run {
    const struct problem *problem;
    const struct optim_options *options;
    temper_error *error;
    double *memory, *rest;          /* what all below lies in */
    struct optim_head *head;        /* the memory's first numbers, */
    double *w, *gradient, *best;    /* the vectors that follow them (see run_best), */
    double *extra;                  /* and the rest */
    size_t extra_room;              /* head->extra at most */
    double *trial, *trial_gradient; /* a point that is being considered; free between iterations */
    double trial_value, trial_norm;
    double *scratch; /* the method's own; not needed after an iteration */
    bool best_here;  /* w is the best point, whatever `best` holds */
    bool stands;     /* the problem was asked about w last */
    bool going;      /* `follow` has not said that it is enough */
    enum optim_stop stop;
};

/* What makes a minimiser. */
struct optim_method {
    enum optim_kind kind;
    /* One iteration: to a better point, by run_accept; *moved stays false if there is none. */
    temper_status (*iterate)(void *self, bool *moved);
    /* Whether the method's own numbers in a memory that was handed in make sense. */
    bool (*sound)(const void *self);
};

/* How many doubles a method wants beside what all have. */
struct optim_room {
    size_t extra, scratch;
};

temper_status run_open(struct optim_run *run, const struct problem *problem,
                       const struct optim_options *options, struct optim_room room,
                       temper_error *error);
void run_close(struct optim_run *run);

/* The whole run, from w or from options->memory to the end; `self` is handed to the method. */
temper_status run_drive(struct optim_run *run, const struct optim_method *method, void *self,
                        double *w, struct optim_result *result);

/* Its steps, for a run that is advanced from outside. The trial, which was evaluated, is the start;
 * or a memory was taken up (optim/resume.h); */
void run_begin(struct optim_run *run);
/* whether the run ends here, and if so, why; */
bool run_ends(const struct optim_run *run, enum optim_stop *stop);
/* an iteration was made; */
void run_moved(struct optim_run *run);
/* the end, and what the best point is like. */
void run_end(struct optim_run *run, enum optim_stop stop);
struct optim_result run_result(const struct optim_run *run);
/* The best point so far; and whether w is that, as it can be even where the run came back to it. */
const double *run_best(const struct optim_run *run);
bool run_best_is_here(const struct optim_run *run);

/* Value and gradient at run->trial. */
temper_status run_try(struct optim_run *run);
/* They are there. What is not finite makes trial_norm infinite. */
void run_tried(struct optim_run *run);
bool run_trial_finite(const struct optim_run *run);
/* The trial, which was evaluated last, becomes the point to go on from. */
void run_accept(struct optim_run *run);

/* Differences of values below this are rounding: the objective may be summed in floats. */
double run_noise(const struct optim_run *run);

/* By what factor the step v may be multiplied so that it is no longer than `limit`, in the norm of
 * options->length. Where earlier measurements show that it is far from it, it is not measured. */
temper_status run_reach(struct optim_run *run, const double *v, double limit, double *factor);
/* The same in two steps: false if v has to be measured, and the factor by its length; 0 if that is
 * not known. */
bool run_reach_known(const struct optim_run *run, const double *v, double limit, double *factor);
double run_reach_measured(struct optim_run *run, const double *v, double limit, double length);
/* The limit of the next step: short for the first, and for any that is `blind`: made without
 * knowing the curvature. */
double run_length_limit(const struct optim_run *run, bool blind);
/* A step as long as the limit allowed was a good one: activations are large here, and later steps
 * may go twice as far. */
void run_widen(struct optim_run *run);

#endif
