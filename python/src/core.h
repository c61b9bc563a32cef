/* core: what the files of the extension share. The limited API of Python 3.11, and temper.h. */
#ifndef PYTHON_CORE_H
#define PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>

#include "temper_extra.h"

/* The types of the module, as long as it lives. */
struct core {
    PyTypeObject *data, *model, *plan, *shard, *listener, *group;
};

/* Rows of the caller: its buffers are held as long as this lives, and nothing is copied of X. */
struct data_object {
    PyObject_HEAD temper_data *data;
    Py_buffer held[3];
    size_t holds;
};

struct model_object {
    PyObject_HEAD temper_model *model;
};

struct plan_object {
    PyObject_HEAD temper_shard_plan *plan;
};

struct core *core_of(PyObject *module);

/* ---- Errors ---------------------------------------------------------------------------------- */

/* The exception for a status; words of the command line become those of Python. Returns NULL. */
PyObject *raise_error(temper_status status, const temper_error *error);
/* "sce:0.1:1:-4": a loss with the parameters that only it has. Temperatures are arguments of their own, and stay as
 * they are. False with an exception set. */
bool take_loss(const char *text, temper_loss_spec *loss);
/* --scale standard becomes scale="standard". A new reference. */
PyObject *python_words(const char *message);
/* The texts of warnings in the words of Python, a line each. A new reference. */
PyObject *python_warnings(const temper_warnings *warnings);

/* ---- Buffers --------------------------------------------------------------------------------- */

/* Contiguous numbers of one type, by the letter of the struct module; released by
 * PyBuffer_Release. False with an exception set. */
bool take_buffer(PyObject *object, char letter, bool writable, const char *name, Py_buffer *buffer);
/* The same, which must have so many elements. */
bool take_exactly(PyObject *object, char letter, bool writable, size_t count, Py_buffer *buffer);
size_t buffer_count(const Py_buffer *buffer);

/* ---- Types and functions --------------------------------------------------------------------- */

extern PyType_Spec data_spec, model_spec, plan_spec, shard_spec, listener_spec, group_spec;

/* data(x, labels, class_names, feature_names, weights) */
PyObject *data_new(PyObject *module, PyObject *args);
/* Names of all classes, and weights of all rows; each may be None. False with an exception set. */
bool data_take_names(temper_data *data, PyObject *class_names, PyObject *weights);
/* read(path, options): a file, by the words of the command */
PyObject *data_from_path(PyObject *module, PyObject *args);
/* arrow(capsule, options, model, labels): a stream of the Arrow C interface */
PyObject *data_from_arrow(PyObject *module, PyObject *args);
/* attach(data, class_names, weights) */
PyObject *data_attach(PyObject *module, PyObject *args);
PyObject *data_feature_names(PyObject *self, void *closure);
PyObject *data_class_names(PyObject *self, void *closure);
PyObject *data_labels(PyObject *self, void *closure);
PyObject *data_notes(PyObject *self, void *closure);
/* A reference is stolen: the model becomes the object's. */
PyObject *model_wrap(const struct core *core, temper_model *model);
PyObject *model_from_path(PyObject *module, PyObject *args);
PyObject *model_from_bytes(PyObject *module, PyObject *args);
/* train(data, warm, follow, signals, *, ...); (plan, ask) in the place of the data trains on rows
 * of remote shards */
PyObject *train_from_python(PyObject *module, PyObject *args, PyObject *keywords);
/* fit_folds(data, (folds, penalties, gradient_entry, fold, l2, weights, intercepts, scores, iterations, stops), None,
 * signals, *, ...), the options of train; the arrays from the weights on are filled */
PyObject *fit_folds(PyObject *module, PyObject *args, PyObject *keywords);
/* tune(data, trusted, follow, signals, *, ...) */
PyObject *tune_model(PyObject *module, PyObject *args, PyObject *keywords);

/* The caller's words; NULL or NaN where the library decides. False with an exception set. */
bool train_options(PyObject *args, PyObject *keywords, PyObject *objects[5], temper_train_options *options);

/* survey(data, threads) */
PyObject *survey_rows(PyObject *module, PyObject *args);
/* plan(surveys, None, None, False, *, ...), the options of train */
PyObject *plan_new(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *plan_from_bytes(PyObject *module, PyObject *args);
/* shard(data, plan, threads) */
PyObject *shard_from_python(PyObject *module, PyObject *args);
PyObject *reduce_answers(PyObject *module, PyObject *args);

/* listen(host, port) */
PyObject *listener_new(PyObject *module, PyObject *args);
/* meet(rank, size, listener or None, host, port, token, meet_seconds, silence_seconds) */
PyObject *group_new(PyObject *module, PyObject *args);

/* The evaluator of training on shards: a callable that returns the sum over all shards. */
struct asking {
    PyObject *plan, *callable;
    PyThreadState **state; /* ours, while the GIL is away */
};
/* Of a temper_shard_engine, whose context is that; to be called without the GIL. */
temper_status ask_shards(void *context, const temper_shard_request *question, const double *w, double *sum,
                         temper_error *error);

/* A report as a dict; `history` has pairs of objective and gradient, one for each iteration. */
PyObject *training_report(const temper_train_report *r, const double *history, size_t count);
/* The exception that ended the work from outside, taken away, or None. A new reference. */
PyObject *pending_exception(void);

/* audit(data, follow, signals, *, ...) */
PyObject *audit_rows(PyObject *module, PyObject *args, PyObject *keywords);

/* consensus(item, annotator, label, follow, signals, *, ...) */
PyObject *find_consensus(PyObject *module, PyObject *args, PyObject *keywords);

/* Takes the reference; false with an exception set. */
bool dict_put(PyObject *dict, const char *name, PyObject *value);

/* Who is called with the progress: None, or a tuple (callable, seconds, models). */
struct progress_caller {
    PyObject *callable; /* borrowed; or NULL */
    double after;       /* called from so many seconds on */
    int models;         /* of a training: whether the last argument is the model as it is */
};
/* False with an exception set. */
bool take_caller(PyObject *object, struct progress_caller *caller);

/* What goes with a tuning or an audit. */
struct tuning_watch {
    struct progress_caller follow;
    bool signals;         /* on the main thread: Ctrl-C ends it */
    PyObject *exception;  /* what ended it, or NULL; a reference to be given back */
    unsigned long caller; /* the thread that called, which alone hears of signals */
    double looked, told;  /* when it did, and when the callable was last called */
    size_t done;          /* fits that the callable knows of */
};

/* False with an exception set. */
bool watch_begin(struct tuning_watch *watch, PyObject *caller, PyObject *signals);
/* A temper_tune_progress_fn, to be called without the GIL. */
int watch_tuning(void *context, const temper_tune_progress *progress);

/* noise(data, kind, rate, ...) */
PyObject *make_noise(PyObject *module, PyObject *args, PyObject *keywords);

/* Vectorised tempered functions: inputs, then outputs, all contiguous. */
extern PyMethodDef function_methods[];

#endif
