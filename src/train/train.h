/* train: from a dataset and options to a model; and single fits for the searches that make many of them. */
#ifndef TRAIN_TRAIN_H
#define TRAIN_TRAIN_H

#include "data/dataset.h"
#include "model/model.h"
#include "optim/minimise.h"
#include "temper_extra.h"
#include "train/preconditioner/preconditioner_shared.h"
#include "train/scaled_features.h"

/* Iterations of many classes with the preconditioner of W = 0, before that of the weights which they lead to. */
enum { FIRST_PRECONDITIONER_ITERATIONS = 6 };

/* Rows that remote workers hold: all that training has to know of them besides their gradients. */
struct remote_rows {
    const temper_shard_engine *engine; /* computes value and gradient over all of them */
    const double *class_weight;        /* of each class, the sum over its rows */
    double weight_sum;
    const char *fingerprint;
};

/* What was asked for. All of it is borrowed. */
struct train_request {
    const struct dataset *data; /* remote rows: its size, classes and names, and no rows */
    const temper_train_options *options;
    temper_error *error;
    const struct remote_rows *remote;       /* NULL: the rows are in `data` */
    const struct scaled_features *features; /* shared by several fits; NULL: made from data and options */
    bool keeps_first;                       /* of several starts: the others serve for a warning alone */
    bool one_at_a_time;                     /* fits that share features, but not the memory limit */
    /* Fits of a search: */
    bool converges;                             /* as a final fit does; false: the gradient alone decides */
    const double *initial;                      /* weights; NULL: what the options specify */
    const struct shared_preconditioner *shared; /* used instead of making its own; NULL: none */
    struct shared_preconditioner *pilot;        /* where a pilot fit leaves its preconditioners; NULL: it is none */
};

/* Checks, trains, and describes the model. The outputs are untouched on failure. */
temper_status train_model(const struct train_request *request, struct model **model, temper_train_report *report);
/* The public call (temper.h: temper_train) in our own types. */
temper_status train(const struct dataset *data, const temper_train_options *options, struct model **model,
                    temper_train_report *report, temper_error *error);

/* Of temper_train_progress.state: the model of the weights that the optimiser has reached, not calibrated. */
struct train_snapshot;
temper_status train_snapshot_model(const struct train_snapshot *snapshot, struct model **model, temper_error *error);

/* The weights that a fit ends with: solution[j * vectors + k] for scaled features, then intercepts. */
struct train_fit_result {
    double *solution; /* NULL: it was interrupted before it began */
    size_t size;
    enum optim_stop stop;
    size_t iterations, evaluations;
    bool interrupted;
};

/* One fit of a search: a resolved loss, request->features given; no checks, no model, no report. *result is to be freed
 * whatever the status. */
temper_status train_fit(const struct train_request *request, temper_loss_spec loss, struct train_fit_result *result);
void train_fit_free(struct train_fit_result *result);

/* What training refuses: data without two classes or without features, a loss that cannot be minimised, numbers out of
 * range. */
temper_status train_check(const struct dataset *data, const temper_train_options *options, temper_error *error);
/* TEMPER_USAGE if such a loss, resolved, cannot be trained. */
temper_status train_check_loss(temper_loss_spec loss, temper_error *error);
/* The same for a penalty; NaN is the default one. */
temper_status train_check_l2(double l2, temper_error *error);
/* The precision that these options mean for such data. */
temper_status choose_precision(const temper_train_options *options, const struct dataset *data, bool *f64,
                               temper_error *error);

/* 128 bits of everything that matters in a dataset, in hexadecimal. */
temper_status dataset_fingerprint(const struct dataset *data, size_t threads, char hex[33], temper_error *error);

/* How near to its minimum the objective has to be at convergence, where it is `zero_value` at W = 0. */
struct optim_distance train_distance(double tolerance, double l2, double zero_value);

double train_clock(void); /* seconds, monotonic */

#endif
