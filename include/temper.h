/* temper: logistic regression for noisy labels.
 *
 * Read a file, train a model, predict the classes of its rows, save the model (examples/train.c is complete):
 *
 *     temper_error error;
 *     temper_data *data;
 *     temper_model *model;
 *     temper_train_report report;
 *     if (temper_data_read("crowd.csv", NULL, &data, &error) != TEMPER_OK)
 *         return fail(&error);                                          // error.message: place, cause, remedy
 *     temper_train_options options = temper_train_defaults();
 *     options.loss.t1 = 0.5;                                            // smaller: bounds the loss more tightly
 *     if (temper_train(data, &options, &model, &report, &error) != TEMPER_OK)
 *         return fail(&error);
 *     double *classes = malloc(temper_data_rows(data) * sizeof *classes);
 *     if (temper_predict(model, data, TEMPER_PREDICT_LABELS, 0, classes, &error) != TEMPER_OK ||
 *         temper_model_save(model, "crowd.temper", &error) != TEMPER_OK)
 *         return fail(&error);
 *     printf("row 1 is %s\n", temper_model_class_name(model, (size_t)classes[0]));
 *
 * This header holds the core; temper_extra.h has the rest: plots and HTML pages, statistics, noise, remote workers, the
 * solvers of the paper; temper_explain.h, what decides a class; temper_arrow.h, tables of Arrow; temper_tcp.h,
 * processes connected by TCP. All are plain C11. Every call is thread-safe and free of global state; none prints,
 * exits, installs a signal handler or changes the locale.
 *
 * Rules that hold everywhere:
 * - Counts, row numbers, column numbers and sizes in bytes are size_t. Random seeds are uint64_t, class numbers in
 *   arrays uint32_t, flags int (0 or 1).
 * - Options begin with struct_size, which temper_*_defaults() sets, so that later versions can add fields at the end: a
 *   program that was compiled with an earlier header passes a smaller struct, and the new fields get their defaults.
 *   A NULL pointer to options means the defaults.
 * - A call that fails returns a status other than TEMPER_OK, fills *error unless it is NULL, and leaves its outputs
 *   untouched.
 * - A call with `borrow` in its name keeps a pointer to the caller's arrays; all others copy. Every _free accepts NULL.
 * - Words that select a method ("standard", "lbfgs") are those of the command line.
 *
 * Names follow the paper "Two-temperature logistic regression based on the Tsallis divergence" (Amid, Warmuth,
 * Srinivasan, AISTATS 2019); docs/math.md has the formulas, docs/errata.md the corrections to the paper.
 */
#ifndef TEMPER_H
#define TEMPER_H

#include <math.h> /* NAN, in the list of methods */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TEMPER_API __attribute__((visibility("default")))
#else
#define TEMPER_API
#endif

#define TEMPER_VERSION_MAJOR 0
#define TEMPER_VERSION_MINOR 1
#define TEMPER_VERSION_PATCH 0

/* "0.1.0" */
TEMPER_API const char *temper_version(void);

/* ---- Statuses and errors ----------------------------------------------------------------------------------------- */

/* One list: the enumerator, the exit code of the command, and a description. */
#define TEMPER_STATUS_LIST(X)                                                                                          \
    X(OK, 0, "done")                                                                                                   \
    X(USAGE, 2, "wrong usage")                                                                                         \
    X(BAD_DATA, 65, "bad data")                                                                                        \
    X(NO_INPUT, 66, "no such input")                                                                                   \
    X(BUG, 70, "a bug in temper")                                                                                      \
    X(NO_MEMORY, 71, "out of memory")                                                                                  \
    X(IO, 74, "input or output failed")                                                                                \
    X(INTERRUPTED, 130, "interrupted")

typedef enum temper_status {
#define TEMPER_STATUS_ENUM(name, exit_code, text) TEMPER_##name,
    TEMPER_STATUS_LIST(TEMPER_STATUS_ENUM)
#undef TEMPER_STATUS_ENUM
} temper_status;

/* The cause of a failure, its place (0 = unknown, otherwise counted from 1) and a remedy. The message begins with the
 * name of the file where there is one: "crowd.svm:201:7: value ...". */
typedef struct temper_error {
    temper_status status;
    size_t line;
    size_t column;
    char message[480];
} temper_error;

TEMPER_API const char *temper_status_name(temper_status status); /* "NO_MEMORY" */
TEMPER_API int temper_status_exit_code(temper_status status);    /* 71 */

/* ---- The tempered functions -------------------------------------------------------------------------------------- */

/* Defined for every finite temperature t >= 0, with limits taken exactly. Any other temperature and a NaN argument give
 * NaN; a result beyond the range of doubles is +-infinity, never NaN. */

/* log_t x (eq. 1), x >= 0: at x = 0 it is -1/(1-t) for t < 1, else -infinity. NaN for x < 0. */
TEMPER_API double temper_log_t(double x, double t);
/* exp_t x (eq. 4): 0 for t < 1, x <= -1/(1-t); +infinity for t > 1, x >= 1/(t-1). */
TEMPER_API double temper_exp_t(double x, double t);

/* Tsallis entropy H_t(p) (eq. 2) of n probabilities. */
TEMPER_API double temper_entropy(const double *p, size_t n, double t);
/* Tsallis divergence D_t(p || q) (eq. 3); +infinity where q = 0 < p and t >= 1. A class with p = 0 contributes 0 to
 * entropy and divergence, for every t and q. */
TEMPER_API double temper_divergence(const double *p, const double *q, size_t n, double t);

/* The t-exponential family on n classes with activations a: p_c = exp_t(a_c - G_t(a)), sum p = 1. An activation of
 * -infinity gives its class probability 0, one of +infinity probability 1; two of +infinity, all -infinity, a NaN or
 * n = 0 give NaN. */
TEMPER_API double temper_log_partition(const double *a, size_t n, double t);        /* G_t(a) */
TEMPER_API double temper_log_partition_excess(const double *a, size_t n, double t); /* G_t - max a */
TEMPER_API void temper_probabilities(const double *a, size_t n, double t, double *p);

/* Escort of order t: q_c = p_c^t / sum p^t. q may be p. At t = 0 a class with p = 0 keeps 0. */
TEMPER_API void temper_escort(const double *p, size_t n, double t, double *q);

/* Two-temperature loss -log_t1 exp_t2(a_label - G_t2(a)) (eq. 13) and, unless NULL, its gradient with respect to the
 * activations. */
TEMPER_API double temper_loss(const double *a, size_t n, size_t label, double t1, double t2,
                              double *gradient /* or NULL */);

/* The methods: enumerator, name on the command line, the temperatures that the method fixes (NAN: free), description.
 */
#define TEMPER_METHOD_LIST(X)                                                                                          \
    X(TEMPERED, "tempered", NAN, NAN, "two temperatures: -log_t1 exp_t2")                                              \
    X(LOGISTIC, "logistic", 1, 1, "plain logistic regression")                                                         \
    X(T_LOGISTIC, "t-logistic", 1, NAN, "heavy tails, unbounded: t1 = 1")                                              \
    X(GCE, "gce", NAN, 1, "generalised cross-entropy: t2 = 1")                                                         \
    X(HINGE, "hinge", NAN, NAN, "support vector machine, smoothed over `smoothing`")                                   \
    X(BREGMAN, "bregman", NAN, NAN, "the bi-tempered loss of 2019")                                                    \
    X(SCE, "sce", 1, 1, "symmetric cross-entropy: alpha, beta, log_zero")                                              \
    X(TRIMMED, "trimmed", 1, 1, "logistic regression without the share `trim` of the rows that fit worst")             \
    X(FORWARD, "forward", 1, 1, "cross-entropy corrected by an estimated matrix of label noise")

typedef enum temper_method {
#define TEMPER_METHOD_ENUM(name, word, t1, t2, text) TEMPER_##name,
    TEMPER_METHOD_LIST(TEMPER_METHOD_ENUM)
#undef TEMPER_METHOD_ENUM
} temper_method;

/* How many there are. */
#define TEMPER_METHOD_ONE(name, word, t1, t2, text) "1"
enum { TEMPER_METHODS = sizeof(TEMPER_METHOD_LIST(TEMPER_METHOD_ONE)) - 1 };
#undef TEMPER_METHOD_ONE

/* A loss: a method and its parameters. */
typedef struct temper_loss_spec {
    temper_method method;
    double t1;        /* ignored where the method fixes it, and by hinge */
    double t2;        /* the same */
    double smoothing; /* hinge: width of the parabola that replaces the kink; 0 for none */
    double alpha;     /* sce: the weight of the cross-entropy, */
    double beta;      /* of the reverse cross-entropy, */
    double log_zero;  /* and the negative number that replaces log 0 in it */
    double trim;      /* trimmed: the share of the rows that is left out, below 1 */
} temper_loss_spec;

/* A parameter that only one method has; temperatures are not among them. */
typedef struct temper_loss_parameter {
    temper_method method;
    const char *name;
    size_t offset;      /* of the field in temper_loss_spec */
    double standard;    /* the value where none is given */
    double least, most; /* its range */
} temper_loss_parameter;

/* The k-th parameter of a method, in the order in which they follow its name ("sce:0.1:1:-4"); NULL after the last. */
TEMPER_API const temper_loss_parameter *temper_method_parameter(temper_method method, size_t k);
/* Reads "NAME" or "NAME:PARAMETER:...", in full: the parameters of the method as above, or else the temperatures that
 * it leaves free. Without parameters its own get their standard values, and temperatures stay as they are. 0, and
 * *loss untouched, if there is no such loss or a number is out of range. */
TEMPER_API int temper_loss_parse(const char *text, temper_loss_spec *loss);
/* The reverse: the name, and the parameters of the method if one of them is not the standard value. Temperatures are
 * left out. */
enum { TEMPER_LOSS_TEXT = 128 };
TEMPER_API void temper_loss_format(temper_loss_spec loss, char text[TEMPER_LOSS_TEXT]);

/* The same loss with the temperatures that the method fixes filled in. */
TEMPER_API temper_loss_spec temper_loss_resolve(temper_loss_spec loss);
TEMPER_API const char *temper_method_name(temper_method method);
/* 1 and *method set if there is a method of that name, else 0. */
TEMPER_API int temper_method_find(const char *name, temper_method *method);

/* Value and, unless NULL, gradient (n) and Hessian (n x n) of a loss. The Hessian requires a gradient, and is NaN
 * without one. All are NaN for trimmed and forward: their losses depend on the other rows of a training. */
TEMPER_API double temper_loss_of_spec(temper_loss_spec loss, const double *a, size_t n, size_t label,
                                      double *gradient /* or NULL */, double *hessian /* or NULL */);

/* Rows of activations with their labels, for temper_loss_rows_f32 and _f64: numbers of classes, or distributions over
 * the classes. Begin with temper_loss_rows_defaults(). */
typedef struct temper_loss_rows_options {
    size_t struct_size; /* set by temper_loss_rows_defaults() */
    size_t rows, classes;
    size_t stride;          /* from one row of activations, targets and gradients to the next; 0: classes */
    const int64_t *labels;  /* numbers of classes from 0; or NULL */
    const void *targets;    /* floats or doubles as the activations, 0 or more: soft labels; or NULL */
    double label_smoothing; /* s: the label is (1 - s) y + s / classes; 0 */
    int64_t ignored_label;  /* rows with this label have loss and gradient 0; -100 */
    size_t threads;         /* at most; 0: as many as the machine runs at once, and each with enough to do */
} temper_loss_rows_options;

TEMPER_API temper_loss_rows_options temper_loss_rows_defaults(void);

/* The loss of each row and, unless NULL, the gradients by its activations, by the vector kernels where the loss has two
 * temperatures or is the bi-tempered one (t2 up to 8), else row by row. Soft and smoothed labels are for these losses
 * alone: Tsallis' divergence -sum y log_t1(p / y), and the Bregman divergence. Errors are some units in the last place
 * of the type, relative to max(1, loss) and to the largest entry that a gradient could have. Results are the same bits
 * on any number of threads. */
TEMPER_API temper_status temper_loss_rows_f32(temper_loss_spec loss, const temper_loss_rows_options *batch,
                                              const float *activations, float *losses, float *gradients /* or NULL */,
                                              temper_error *error);
TEMPER_API temper_status temper_loss_rows_f64(temper_loss_spec loss, const temper_loss_rows_options *batch,
                                              const double *activations, double *losses, double *gradients,
                                              temper_error *error);

/* ---- Data -------------------------------------------------------------------------------------------------------- */

/* A matrix of features with labels, row weights and names: read from a file, or made of the caller's arrays. */
typedef struct temper_data temper_data;

/* Processes that train together (temper_extra.h). */
typedef struct temper_comm temper_comm;

/* Begin with temper_read_defaults(). */
typedef struct temper_read_options {
    size_t struct_size;       /* set by temper_read_defaults() */
    const char *format;       /* "libsvm", "csv", "tsv", "jsonl", "npy", "idx", "cifar", "tmpr"; NULL: inferred from the
                               * content, then from the extension */
    const char *header;       /* "yes", "no"; NULL or "auto": inferred from the first two lines */
    const char *label;        /* a column by name or number (from 1), "none"; NULL: the last one */
    const char *labels;       /* a file of labels: one a line, IDX or NPY; NULL: for NPY and IDX, the file that
                               * temper_data_write puts beside the data, if it exists */
    const char *ignore;       /* columns "A,B,...", by name or number */
    const char *categorical;  /* text columns to encode one-hot: "A,B,..." or "all"; NULL: text is refused */
    const char *missing;      /* "zero", "mean", "drop"; NULL: missing values are refused */
    const char *classes;      /* keep only rows of these classes: "A,B,..." */
    const char *weights;      /* weights of the rows: a column by name, or a file with one number a line */
    const char *class_weight; /* "balanced" or "NAME=W,..." */
    const char *channel;      /* CIFAR: "red", "green", "blue", "grey", "all" (NULL) */
    int zero_based;           /* libsvm: the first feature is 0, not 1 */
    int f64;                  /* store numbers of text files as doubles, not as floats */
    size_t threads;           /* 0: as many as the machine runs at once */
    size_t memory;           /* bytes that the process may use, for reading and for later work on the data; 0: no limit.
                              * A .tmpr file, which is mapped, may be larger; data that does not fit is refused with
                              * TEMPER_NO_MEMORY and the smallest sufficient limit (docs/scale.md) */
    const temper_comm *comm; /* several processes read one file together and each keeps a share of the rows:
                              * temper_train, temper_tune, temper_audit and temper_evaluator_add then work on the rows
                              * of all. Must outlive the data. NULL: one process */
    int labels_alone;        /* 1: a table of labels without any feature is accepted (CSV, TSV) */
    int automatic;           /* 1: what the columns of a table (CSV, TSV) are is inferred from their cells, gaps are
                              * filled, rows without a label dropped, and the notes report it; 0: text and gaps are
                              * refused unless the options above say what to do (docs/data.md) */
    const char *separator;   /* of a table: ",", ";", "|", " " or "\t"; NULL: inferred from the first lines */
    const char *decimal;     /* the decimal mark of its numbers: "." or ","; NULL: inferred column by column */
    const char *na;          /* further words for a missing value: "A,B,..." */
    const char *encoding;    /* "utf-8", "utf-16", "latin-1"; NULL or "auto": inferred */
    const char *date;        /* the order of dates that are numbers: "ymd", "dmy", "mdy"; NULL: inferred */
    const char *text;        /* columns whose words are hashed to features: "A,B,..." */
    size_t skip;             /* lines before the table; 0: inferred if `automatic` */
    const char *keep;        /* batches of a table: columns "A,B,..." or "all" whose texts are kept with the rows, be
                              * they features or not (temper_data_kept_cell) */
    int allow_empty;         /* batches: 1: a file without rows is no error, but has no batch */
} temper_read_options;

TEMPER_API temper_read_options temper_read_defaults(void);

/* Reads a whole file, "-" being the standard input; gzip and zstd are decompressed. */
TEMPER_API temper_status temper_data_read(const char *path, const temper_read_options *options, temper_data **data,
                                          temper_error *error);
/* Reads the content of a file that is in memory, in any format of temper_data_read, compressed or not. `name` is used
 * in messages, and its extension where the content does not determine the format; NULL: "memory". No file is opened,
 * other than those that the options name. The bytes are not used after the call. */
TEMPER_API temper_status temper_data_read_memory(const char *name, const void *bytes, size_t length,
                                                 const temper_read_options *options, temper_data **data,
                                                 temper_error *error);
TEMPER_API void temper_data_free(temper_data *data);

/* Writes a file completely or not at all. `format` NULL: inferred from the extension. */
TEMPER_API temper_status temper_data_write(const temper_data *data, const char *path, const char *format,
                                           temper_error *error);

/* Whether the path can be written and determines a format: a check to make before long computations. */
TEMPER_API temper_status temper_data_write_check(const char *path, const char *format, temper_error *error);

/* 1 if the file begins like a model; 0 for any other, and for "-", which can be read only once. */
TEMPER_API int temper_is_model_file(const char *path);

/* Data from arrays: rows x columns numbers, row by row without gaps. Labels are the names of the classes as whole
 * numbers, one a row, or NULL for none; they are copied. A value that is not finite is refused. */
TEMPER_API temper_status temper_data_from_f64(const double *x, size_t rows, size_t columns, const int *labels,
                                              temper_data **data, temper_error *error);
/* The same without a copy: x must outlive the data. */
TEMPER_API temper_status temper_data_borrow_f64(const double *x, size_t rows, size_t columns, const int *labels,
                                                temper_data **data, temper_error *error);
TEMPER_API temper_status temper_data_borrow_f32(const float *x, size_t rows, size_t columns, const int *labels,
                                                temper_data **data, temper_error *error);

/* Compressed sparse rows: entries row_start[r] up to row_start[r + 1] belong to row r; their columns, counted from 0,
 * ascend without repetition. */
typedef struct temper_csr {
    size_t rows, columns;
    const uint64_t *row_start; /* rows + 1 */
    const uint32_t *column;
    const float *value;
} temper_csr;

TEMPER_API temper_status temper_data_borrow_csr(const temper_csr *x, const int *labels, temper_data **data,
                                                temper_error *error);

/* Rows that have labels and no features, for an audit by given probabilities. */
TEMPER_API temper_status temper_data_from_labels(const int *labels, size_t rows, temper_data **data,
                                                 temper_error *error);

/* Names of all classes, in the order of their numbers; names of all features; a weight >= 0 for each row, multiplied
 * with the weights that the rows already have. All are copied. */
TEMPER_API temper_status temper_data_set_class_names(temper_data *data, const char *const *names, temper_error *error);
TEMPER_API temper_status temper_data_set_feature_names(temper_data *data, const char *const *names,
                                                       temper_error *error);
TEMPER_API temper_status temper_data_set_weights(temper_data *data, const double *weights, temper_error *error);

TEMPER_API size_t temper_data_rows(const temper_data *data);
TEMPER_API size_t temper_data_features(const temper_data *data);
TEMPER_API size_t temper_data_classes(const temper_data *data); /* 0: no labels */
TEMPER_API const char *temper_data_class_name(const temper_data *data, size_t class_number);
/* `column` is counted from 0; NULL if the file has no names. */
TEMPER_API const char *temper_data_feature_name(const temper_data *data, size_t column);
/* The class of each row, valid as long as the data; NULL without labels. */
TEMPER_API const uint32_t *temper_data_labels(const temper_data *data);
/* Sentences for the user, one a line: values that were assumed, ignored or dropped. Those that begin with "warning: "
 * report a probable mistake. */
TEMPER_API const char *temper_data_notes(const temper_data *data);

/* A column of a table, as temper_table_describe finds it in the first rows. */
#define TEMPER_TABLE_EXAMPLES 3
typedef struct temper_table_column {
    const char *name;   /* NULL: the table has no header, or none here */
    const char *kind;   /* of most cells: "number", "boolean", "category", "date", "text" */
    const char *role;   /* "feature", "label", "weights", "ignored" (by an option) or "left out" */
    const char *reason; /* why it is left out, as in "counts the rows"; else NULL */
    size_t cells, gaps; /* rows that were looked at; those of them without a value */
    size_t distinct;    /* different cells, 20,000 being "or more" */
    size_t features;    /* that it becomes */
    const char *example[TEMPER_TABLE_EXAMPLES]; /* different cells, shortened; NULL: there are no more */
} temper_table_column;

/* What a file holds that may be no table for training yet. */
typedef struct temper_table {
    size_t columns;
    const temper_table_column *column;
    size_t rows;           /* that were looked at: those in the first MiB of text */
    int more_rows;         /* 1: there are others */
    const char *separator; /* "comma", "semicolon", "tab", "bar", "space"; "none" for JSON lines */
    const char *encoding;  /* "UTF-8", or what it was converted from */
    int header;            /* 1: the first line has names; 0: it has none; -1: it cannot be inferred */
    size_t skipped;        /* lines before the table */
    size_t ragged;         /* rows with another number of cells, which are left out here, */
    size_t ragged_line;    /* and the line of the first; 0: none */
    const char *options;   /* what `temper train` should be given besides the file: "--label kind"; may be empty */
    const char *problem;   /* why it cannot be trained on as it is; NULL: nothing is known */
} temper_table;

/* Describes the columns of a text file, whatever is in it; the options are those that a training would have. Refuses
 * only what cannot be read, or is no text. */
TEMPER_API temper_status temper_table_describe(const char *path, const temper_read_options *options,
                                               temper_table **table, temper_error *error);
TEMPER_API void temper_table_free(temper_table *table);

/* Begin with temper_split_file_defaults(). */
typedef struct temper_split_file_options {
    size_t struct_size;   /* set by temper_split_file_defaults() */
    double share;         /* of rows for testing: 0.2 */
    size_t folds;         /* 0: one division by the share; else so many, in which each row is tested once */
    uint64_t seed;        /* 1; equal seeds give equal divisions */
    const char *stratify; /* the column whose values are in the same shares in all files: NULL: the label; "none" */
    const char *group;    /* the column whose equal values stay together; NULL: none */
    const char *time;     /* the column by which the last rows are for testing; with folds, each is tested after a
                           * training on the rows before; NULL: none */
    const char *const *train, *const *test; /* names of the files: one of each, or one for each fold */
} temper_split_file_options;

TEMPER_API temper_split_file_options temper_split_file_defaults(void);

typedef struct temper_split_file_report {
    size_t rows;
    size_t pairs;                   /* of files: the folds, or 1 */
    size_t *train_rows, *test_rows; /* of each pair; freed by temper_split_file_report_free */
    size_t classes, groups;         /* 0: it was not divided by them */
    char stratified_by[128];        /* the column of the classes; "": none, or it has no name */
    int copied;                     /* 1: the rows are those of the file byte for byte, */
    int reencoded;                  /* or would be, but are in UTF-8 and the file is not */
    char note[256];                 /* a sentence for the user, or "" */
} temper_split_file_report;

/* Divides the rows of a file into files for training and testing. Rows of a text (CSV, TSV, libsvm, JSON lines) are
 * copied byte for byte, whatever they hold, with the header in all files, which appear together or not at all. Other
 * data is written in its own format. Of the read options are used: format, header, label, separator, skip, encoding,
 * date, and for other data all. The file is read twice or more, so that it cannot be the standard input. */
TEMPER_API temper_status temper_split_file(const char *path, const temper_read_options *read,
                                           const temper_split_file_options *options, temper_split_file_report *report,
                                           temper_error *error);
/* Frees the arrays of the report, not the report itself. */
TEMPER_API void temper_split_file_report_free(temper_split_file_report *report);

/* ---- Training ---------------------------------------------------------------------------------------------------- */

/* Why the optimiser stopped. Training that stops at a plateau fails; all other reasons come with a model. */
#define TEMPER_STOP_LIST(X)                                                                                            \
    X(CONVERGED, "converged", "gradient and distance from the minimum are as small as asked for")                      \
    X(MAX_ITER, "max-iter", "the limit of iterations came first")                                                      \
    X(STALLED, "stalled", "rounding hides any further progress")                                                       \
    X(VALIDATION, "validation", "the validation loss has stopped falling")                                             \
    X(INTERRUPTED, "interrupted", "the caller asked to stop; the model is the best so far")                            \
    X(PLATEAU, "plateau", "nothing was learnt: the loss is flat there")

typedef enum temper_stop {
#define TEMPER_STOP_ENUM(name, word, text) TEMPER_STOP_##name,
    TEMPER_STOP_LIST(TEMPER_STOP_ENUM)
#undef TEMPER_STOP_ENUM
} temper_stop;

TEMPER_API const char *temper_stop_name(temper_stop stop); /* "max-iter" */

typedef struct temper_model temper_model;

#define TEMPER_PHASE_CALIBRATE "calibrate" /* fits without a fold of the rows each, after the training itself */
#define TEMPER_PHASE_NOISE     "noise"     /* the audit of estimate_noise; `iteration` counts its fits */
#define TEMPER_PHASE_HOLDOUT   "hold out"  /* fits of `holdout`, after the training itself */
#define TEMPER_PHASE_CLEAN     "clean"     /* the same for the audit of `clean`, before the training */
#define TEMPER_PHASE_FOLDS     "folds"     /* of temper_fit_folds; `iteration` counts its fits */

/* The state of a training after an iteration. */
typedef struct temper_train_progress {
    const char *phase;     /* "train"; with several starts, "start 2 of 3" and the like; or one of the above */
    size_t iteration;      /* of this phase */
    size_t max_iterations; /* the limit */
    double objective;
    double gradient;   /* norm relative to that at W = 0 */
    double tolerance;  /* training ends when `gradient` is at most this, and the objective is expected to be within
                        * tolerance / 1000 of its minimum (docs/training.md) */
    double accuracy;   /* on the training rows, weighted */
    double validation; /* loss on the validation rows; NAN without */
    double seconds;    /* since the call */
    const void *state; /* for temper_train_progress_model; NULL where there is no model yet */
} temper_train_progress;

/* Called after every iteration, from the calling thread. A result other than 0 stops with the best model so far. */
typedef int temper_train_progress_fn(void *context, const temper_train_progress *progress);

/* Begin with temper_train_defaults(). */
typedef struct temper_train_options {
    size_t struct_size;             /* set by temper_train_defaults() */
    temper_loss_spec loss;          /* tempered, t1 = 0.3, t2 = 1 */
    double l2;                      /* lambda; NAN: lambda_0 = 2e-4 tr Cov(x) / (C - 1) */
    const char *scale;              /* NULL: "standard" for dense data, "none" for sparse */
    const char *solver;             /* NULL or "auto"; "newton", "lbfgs", "tron"; with l1 "proximal", "owlqn" */
    const char *precision;          /* of the sums: NULL or "auto"; "f32", "f64" */
    const char *init;               /* NULL or "zero"; "normal:STD" */
    const temper_model *warm_start; /* initial weights; or NULL */
    const temper_data *validation;  /* stop when the loss on it has not fallen for `patience` iterations; or NULL */
    size_t patience;                /* 10 */
    size_t starts;                  /* 1: one start; 2 or 3: further starts; the lowest objective is kept */
    int no_intercept;               /* 1: a model without intercept */
    double tolerance;               /* 1e-4: gradient norm relative to that at W = 0 */
    size_t max_iterations;          /* 1000 */
    uint64_t seed;                  /* 1 */
    size_t threads;                 /* 0: as many as the machine runs at once */
    const char *checkpoint;         /* a file from which an interrupted training can resume; NULL: none */
    double checkpoint_seconds;      /* least time between two checkpoints: 30; 0: every iteration */
    int resume;                     /* 1: resume from the checkpoint if it exists */
    temper_train_progress_fn *on_progress; /* or NULL */
    void *progress_context;
    /* How probabilities are calibrated. "folds": on rows that models of other folds have scored; "train": on the
     * training rows; "none": they are those that the loss implies; NULL or "auto": on the validation rows, if there are
     * any; on the training rows, if there are 50 or more for each weight; else on folds. Labels are the same in any
     * case. */
    const char *calibrate;
    /* 1: audit the rows after training, and keep the estimated noise of the labels in the model, for
     * TEMPER_PREDICT_TRUE_PROBABILITIES. It takes as long as temper_audit, and needs a two-temperature loss. An
     * interruption of the audit leaves the model without the estimate. */
    int estimate_noise;
    /* Audit the rows before training, with the defaults of temper_audit, and train on what is believed. "drop": without
     * the listed rows; "relabel": with their suggested labels; "weigh": each row has its weight times the probability
     * that its label is right; NULL or "none": rows are taken as they are. */
    const char *clean;
    /* Estimate the accuracy on new rows, after training and without any effect on the model: report->expected. "cv":
     * each row is predicted by a fit without its fifth of the rows; a share such as "0.2": one fit without that share;
     * "auto": by the fits of the calibration if there are any, else one of these if it is fast; NULL or "none": not at
     * all. Not with `validation` or `clean`. */
    const char *holdout;
    /* The penalty l1 times the sum of the absolute weights, of the scaled features and without the intercepts: weights
     * become exactly 0. 0: none. With l2 it is an elastic net; l2 = NAN means 0 then. */
    double l1;
    /* The fold of each row, from 0, and how many folds there are: rows of a fold are left out together by the fits of
     * calibration, holdout (a share is rounded to whole folds), clean and estimate_noise. NULL: drawn. temper_tune
     * gives its own `fold` to them, unless this is set. */
    const uint32_t *fold;
    size_t folds;
} temper_train_options;

TEMPER_API temper_train_options temper_train_defaults(void);

/* Kinds of warnings of training, tuning and auditing; new ones are appended. */
#define TEMPER_WARNING_LIST(X)                                                                                         \
    X(NOT_CONVERGED, "not-converged")         /* the optimiser stopped before its tolerance */                         \
    X(SEPARABLE, "separable")                 /* and l2 is 0: the weights have no finite optimum */                    \
    X(ILL_CONDITIONED, "ill-conditioned")     /* unscaled features differ in size by orders of magnitude */            \
    X(OUTLIER, "outlier")                     /* one value ruins the scaling of its column */                          \
    X(ONE_CLASS, "one-class")                 /* the model predicts the same class for every row */                    \
    X(MISSING_CLASSES, "missing-classes")     /* some classes are never predicted */                                   \
    X(STARTS_DISAGREE, "starts-disagree")     /* another start ends in another model */                                \
    X(FOLDS_DISAGREE, "folds-disagree")       /* the final fit ended in another optimum than the folds */              \
    X(SYSTEMATIC_LABELS, "systematic-labels") /* wrong labels depend on the features */                                \
    X(RANDOM_LABELS, "random-labels")         /* a share of the labels looks random */                                 \
    X(RARE_CLASS, "rare-class")               /* the selected candidate hardly predicts some class */                  \
    X(MOSTLY_WRONG, "mostly-wrong")           /* more than half of the labels look wrong */                            \
    X(FEW_ROWS, "few-rows")                   /* too few to estimate the share of wrong labels */                      \
    X(NOT_CALIBRATED, "not-calibrated")       /* probabilities are those that the loss implies */                      \
    X(IN_SAMPLE, "in-sample")                 /* given probabilities fit the labels as those of training rows do */    \
    X(UNDECIDED, "undecided")                 /* wrong labels cannot be told from overlapping classes */               \
    X(NO_FEATURES, "no-features")             /* the L1 penalty leaves every weight at 0 */

typedef enum temper_warning_code {
#define TEMPER_WARNING_ENUM(name, word) TEMPER_WARNING_##name,
    TEMPER_WARNING_LIST(TEMPER_WARNING_ENUM)
#undef TEMPER_WARNING_ENUM
} temper_warning_code;

TEMPER_API const char *temper_warning_name(temper_warning_code code); /* "starts-disagree" */

typedef struct temper_warning {
    temper_warning_code code;
    char text[508]; /* a sentence for the user, with a remedy */
} temper_warning;

/* Inside a report, so that nothing needs to be freed. Warnings beyond the sixteenth are dropped. */
typedef struct temper_warnings {
    size_t count;
    temper_warning list[16];
} temper_warnings;

/* Accuracy on rows that models were not fitted to; these were fitted as the model was, but to fewer rows. */
typedef struct temper_expected_accuracy {
    const char *by; /* "cv", "holdout", "calibration" (as "cv", by the fits of the calibration); NULL: not estimated, */
    const char *why; /* because "none" (not asked for), "large", "few-rows", "validation", "clean", "interrupted" or
                      * "failed" (a fit without the rows was impossible); NULL: it is estimated */
    double accuracy, low, high; /* against the labels as given, weighted; and Wilson's 95 % interval. NAN: none */
    size_t rows, fits;          /* rows that were predicted, and fits without some of them */
} temper_expected_accuracy;

typedef struct temper_train_report {
    temper_stop stop;
    const char *solver;    /* "newton" and the like */
    const char *precision; /* "f32" or "f64" */
    temper_loss_spec loss; /* resolved */
    double l2;
    double objective, train_loss; /* with and without the penalty */
    double gradient_norm;         /* relative to that at W = 0 */
    double accuracy;              /* on the training rows, weighted */
    double validation;            /* the lowest loss on the validation rows, or NAN */
    size_t iterations, evaluations, products, hessians;
    double passes;  /* over the data, of all kinds together */
    double seconds; /* in the call */
    int resumed;    /* 1: continued from a checkpoint */
    /* p = (1 - floor) q + floor / C, q the escort of that order of the model's own probabilities, refined by a matrix
     * for up to 40 classes; order 0: not calibrated. Fitted to so many rows, scored by models of so many folds (0: by
     * the model itself). */
    double calibration_order, calibration_floor;
    size_t calibration_rows, calibration_folds;
    /* Disagreeing starts, collapse to one class, separable data, ill-conditioned features, a stop before convergence.
     */
    temper_warnings warnings;
    /* With options.clean: rows that were dropped or relabelled, or that the audit lists and "weigh" has given a smaller
     * weight; and labels that it expects to be wrong (NAN: rows were taken as they are). */
    size_t cleaned_rows;
    double expected_wrong;
    temper_expected_accuracy expected; /* with options.holdout */
    double l1;
    size_t nonzero;          /* weights other than 0, without intercepts, */
    size_t nonzero_features; /* and features that have one for any class */
} temper_train_report;

/* Fits a model (`report` may be NULL). A plateau and a loss that is not finite are failures (TEMPER_BAD_DATA); an
 * interrupted training is a success. */
TEMPER_API temper_status temper_train(const temper_data *data, const temper_train_options *options,
                                      temper_model **model, temper_train_report *report, temper_error *error);

/* ---- Models ------------------------------------------------------------------------------------------------------ */

TEMPER_API temper_status temper_model_save(const temper_model *model, const char *path, temper_error *error);
TEMPER_API temper_status temper_model_load(const char *path, temper_model **model, temper_error *error);
TEMPER_API void temper_model_free(temper_model *model);

TEMPER_API size_t temper_model_classes(const temper_model *model);
TEMPER_API const char *temper_model_class_name(const temper_model *model, size_t class_number);
TEMPER_API size_t temper_model_features(const temper_model *model);
/* Number of weight vectors: 1 for two classes, whose activation is positive for class 1; else one for each class. */
TEMPER_API size_t temper_model_weight_vectors(const temper_model *model);
/* One weight for each feature, for raw (unscaled) rows; NULL if there is no such vector. */
TEMPER_API const double *temper_model_weights(const temper_model *model, size_t vector);
TEMPER_API double temper_model_intercept(const temper_model *model, size_t vector);

/* ---- Prediction and evaluation ----------------------------------------------------------------------------------- */

typedef enum temper_prediction {
    TEMPER_PREDICT_LABELS,             /* one number a row: the class */
    TEMPER_PREDICT_PROBABILITIES,      /* C a row, calibrated: of the label as given, noise included */
    TEMPER_PREDICT_RAW_PROBABILITIES,  /* C a row: p of the model, not calibrated for t1 < 1 */
    TEMPER_PREDICT_DECISIONS,          /* one a row for two classes, above 0 for class 1; else C */
    TEMPER_PREDICT_TRUE_PROBABILITIES, /* C a row: of the true label, by the noise that training has estimated */
} temper_prediction;

/* Numbers a row; 0 if the model has no such prediction (raw probabilities of hinge; calibrated ones of a model that was
 * not calibrated, at t1 = 0 and of hinge; those of the true label without an estimate of the noise). */
TEMPER_API size_t temper_prediction_width(const temper_model *model, temper_prediction output);

/* Fills out[rows * width]. Data with more features than the model is refused unless it is sparse: unknown sparse
 * features are ignored. threads 0: as many as the machine runs at once. */
TEMPER_API temper_status temper_predict(const temper_model *model, const temper_data *data, temper_prediction output,
                                        size_t threads, double *out, temper_error *error);

/* Dense rows in memory of the caller, [rows][columns], and where their predictions go, [rows][width]: each in floats or
 * doubles, of which one is not NULL. */
typedef struct temper_dense_rows {
    const float *x_f32;
    const double *x_f64;
    size_t rows, columns;
    float *out_f32;
    double *out_f64;
} temper_dense_rows;

/* The same as temper_predict, without a temper_data: the fastest for one row and for many. A value that is not finite
 * is refused. */
TEMPER_API temper_status temper_predict_rows(const temper_model *model, const temper_dense_rows *rows,
                                             temper_prediction output, size_t threads, temper_error *error);

/* How well one class is separated from all others. NAN: undefined, as the precision of a class that is never predicted.
 */
typedef struct temper_class_quality {
    double weight;    /* of the rows with this label, */
    double predicted; /* and of those that are predicted as this class */
    double precision, recall, f1;
    /* By the probability of the class (calibrated; else that of the loss; else by the decision value): the area under
     * the ROC curve, equal probabilities counting one half, and average precision, without interpolation. */
    double auc, average_precision;
} temper_class_quality;

/* What becomes of rows if those with this probability of a class, or a higher one, are taken for it. */
typedef struct temper_threshold {
    double threshold;
    double precision, recall, f1; /* NAN: undefined */
    double flagged;               /* share of the rows that are taken for the class */
} temper_threshold;

#define TEMPER_THRESHOLDS 12 /* 0.05, 0.1, 0.2 .. 0.9, 0.95, 0.99 */

/* Quality of a model on labelled rows. Rows whose class the model does not know count as errors, and are excluded from
 * everything but `accuracy` and `unknown`. */
typedef struct temper_evaluation {
    size_t rows, unknown;
    double weight; /* sum of all weights */
    double accuracy;
    double balanced_accuracy;    /* mean over the classes that occur */
    double loss;                 /* the training loss of the model, without the penalty */
    double log_loss, brier, ece; /* of calibrated probabilities; NAN if the model has none */
    size_t classes;
    double *confusion; /* [given * classes + predicted], sums of weights; freed by temper_evaluation_free */
    /* Of each class, freed likewise; and means over the classes for which a figure is defined: `macro` of all alike,
     * `weighted` by the weights of their rows. */
    temper_class_quality *quality;
    temper_class_quality macro, weighted;
    /* Two classes and probabilities: for each class so many thresholds, then that of the largest F1 on these rows:
     * [class * (TEMPER_THRESHOLDS + 1) + i]; freed likewise. NULL otherwise. */
    temper_threshold *thresholds;
    int grouped; /* 1: of more than 2^18 probabilities (rows times classes), those of nearly equal log-odds count as
                  * equal in auc, average_precision and the largest F1 */
} temper_evaluation;

/* Accumulates an evaluation over any number of batches: new, add..., finish. */
typedef struct temper_evaluator temper_evaluator;
TEMPER_API temper_status temper_evaluator_new(const temper_model *model, temper_evaluator **evaluator,
                                              temper_error *error);
TEMPER_API temper_status temper_evaluator_add(temper_evaluator *evaluator, const temper_data *data, size_t threads,
                                              temper_error *error);
/* Fills the evaluation, unless NULL, and frees the evaluator, also on failure. */
TEMPER_API temper_status temper_evaluator_finish(temper_evaluator *evaluator, temper_evaluation *evaluation,
                                                 temper_error *error);
TEMPER_API void temper_evaluation_free(temper_evaluation *evaluation);

/* Reads rows for a model in batches of bounded size, from files that may be larger than memory. */
typedef struct temper_batch_reader temper_batch_reader;

/* Columns are matched by the feature names of the model, categories and missing values are treated as in training; a
 * label column is optional. */
TEMPER_API temper_status temper_batch_reader_open(const temper_model *model, const char *path,
                                                  const temper_read_options *options, temper_batch_reader **reader,
                                                  temper_error *error);
/* The next rows, to be freed by temper_data_free before the reader is closed; *batch is NULL at the end. */
TEMPER_API temper_status temper_batch_reader_next(temper_batch_reader *reader, temper_data **batch,
                                                  temper_error *error);
/* Sentences for the user so far, one a line. */
TEMPER_API const char *temper_batch_reader_notes(const temper_batch_reader *reader);
/* Rows so far that were left out because of missing values ("drop"). */
TEMPER_API size_t temper_batch_reader_dropped_rows(const temper_batch_reader *reader);
/* Columns of temper_read_options.keep, known after the first call of temper_batch_reader_next; and the text of one of
 * them in a row of a batch, both counted from 0. */
TEMPER_API size_t temper_batch_reader_kept_columns(const temper_batch_reader *reader);
TEMPER_API const char *temper_batch_reader_kept_name(const temper_batch_reader *reader, size_t column);
TEMPER_API const char *temper_data_kept_cell(const temper_data *data, size_t row, size_t column);
TEMPER_API void temper_batch_reader_close(temper_batch_reader *reader);

/* ---- Tuning ------------------------------------------------------------------------------------------------------ */

#define TEMPER_CONFIDENCE_BANDS 7 /* by rank: [0, .1) [.1, .2) [.2, .4) .. [.8, .9) [.9, 1] */

/* One setting of the grid and its statistics on rows that its models were not trained on. Shares are of weights, and
 * errors against labels as given, which may be wrong. NAN: unknown. */
typedef struct temper_tune_candidate {
    temper_loss_spec loss; /* resolved */
    double l2;
    int stage; /* 0: not fitted; 1: on two halves only (eliminated or interrupted); 2: on all folds */
    /* From all folds; from the halves at stage 1. */
    double accuracy, accuracy_error; /* and its standard error */
    double log_loss;                 /* of calibrated probabilities */
    double bounded_loss;             /* their Brier score: the square of 1 - p for two classes */
    double trusted;                  /* accuracy on the trusted rows; mean over the fold models */
    /* From two models fitted on disjoint halves, each applied to the other half. */
    double half_accuracy;
    double agreement;                           /* D: share of rows on which the two models agree */
    double balance;                             /* B: least ratio of predicted to labelled share of a class */
    double band_error[TEMPER_CONFIDENCE_BANDS]; /* E: error by confidence */
    double top_error;                           /* T: error of the fifth of the rows with the highest confidence */
    double top_ratio;                           /* CCR: T over the error of all rows */
    double undecided;                           /* V: share of rows below a tenth of the median confidence */
    double code_length;                         /* H: nats a row for the given labels, given the predictions */
    double l1;
} temper_tune_candidate;

/* The state of a tuning. */
typedef struct temper_tune_progress {
    const char *phase; /* "halves", "folds", "ask", "check", "final fit", "average", "audit" (of estimate_noise) */
    size_t done, all;  /* fits so far, and in total as far as known */
    double seconds;    /* since the call */
    double left;       /* estimated remaining seconds; NAN: unknown */
} temper_tune_progress;

/* Called repeatedly, by one thread at a time. A result other than 0 stops; the checkpoint holds the finished fits. */
typedef int temper_tune_progress_fn(void *context, const temper_tune_progress *progress);

/* The named grids of temper_tune_options.grid as lists: "small", "full" and "paper". Penalties with an x are relative
 * to lambda_0. "default" is the small grid for data of fewer than TEMPER_GRID_SMALL_ROWS rows, which cannot rank more
 * candidates, and the full one otherwise. */
#define TEMPER_GRID_SMALL      "t1=0.1,0.3,0.7,1 t2=1,1.4 l2=1e-2x..10x:4"
#define TEMPER_GRID_SMALL_ROWS 2000
#define TEMPER_GRID_DEFAULT    "t1=0.1,0.3,0.5,0.7,0.9,1 t2=1,1.12,1.4,1.9 l2=1e-3x..10x:5"
#define TEMPER_GRID_PAPER      "t1=0.1,0.3,0.5,0.7,0.9,1 t2=1.12,1.3,1.5,1.7,1.9 l2=1e-5..1e-1:5"

/* Begin with temper_tune_defaults(). `train` directly follows struct_size, so that both structs can grow. */
typedef struct temper_tune_options {
    size_t struct_size; /* set by temper_tune_defaults() */
    /* Used of these: scale, solver, precision, no_intercept, tolerance, max_iterations, seed, threads and clean; init,
     * starts, calibrate and estimate_noise of the final fit. Loss, l2 and l1 come from the grid. */
    temper_train_options train;
    /* NULL or "default"; "small", "full", "paper"; or lists, of which those not named are as in "full": "t1=0.1,0.5,0.9
     * t2=1.12,1.5 l2=1e-5..1e-1:5". A range FROM..TO:COUNT has equal steps, equal ratios for l2 and l1; "x" after an l2
     * multiplies lambda_0: 1e-3x..10x:5. With "l1=1e-4..1e-1:10", l2 is 0 unless it is listed too.
     * "loss=logistic,hinge:0.1" for other methods, with parameters that only they have. (1, 1) and (0.1, 1.12) are
     * added unless the word "only" is present. */
    const char *grid;
    size_t folds; /* 10; 2: the halves are the folds */
    /* The fold of each row, from 0; NULL: drawn by the seed. With given folds the halves are the even and the odd
     * folds, so that rows of a fold stay together. */
    const uint32_t *fold;
    const char *criterion; /* NULL or "cv+c"; "accuracy", "log-loss", "bounded-loss" */
    const char *assume;    /* NULL; "structured": label errors depend on the features */
    /* Rows with correct labels, which then decide: other rows than those of the data... */
    const temper_data *trusted; /* or NULL */
    /* ... or rows of the data, by number from 0, with the numbers of their true classes. */
    const size_t *trusted_rows;
    const uint32_t *trusted_labels;
    size_t trusted_count;
    size_t ask;                           /* select so many rows whose true labels would decide the choice; 0: none */
    const char *checkpoint;               /* a file from which an interrupted tuning can resume; NULL: none */
    int resume;                           /* 1: resume from the checkpoint if it exists */
    temper_tune_progress_fn *on_progress; /* or NULL */
    void *progress_context;
    /* 1: the model is the mean of all candidates within one standard error of the choice. Of report->training,
     * accuracy, loss and objective are those of the mean, all else is of the fit of the choice. */
    int average;
} temper_tune_options;

TEMPER_API temper_tune_options temper_tune_defaults(void);

typedef struct temper_tune_report {
    temper_tune_candidate *table; /* by loss, then by falling l2 and l1 */
    size_t count;
    size_t best;        /* index of the chosen candidate */
    size_t by_accuracy; /* index of the candidate with the highest accuracy */
    /* The deciding criterion: "accuracy", "code-length" (step 1 of CV+C), "undecided" (step 2), "reference" (step 3),
     * "trusted", "log-loss", "bounded-loss". */
    const char *decided_by;
    char reason[512]; /* the same as a sentence */
    size_t folds;
    uint32_t *fold;    /* of each row, drawn or given */
    double default_l2; /* lambda_0 */
    /* Accuracy of the best less that of the best logistic regression in the table, and the standard error of that
     * difference; NAN without one. */
    double gain, gain_error;
    /* The accuracy to expect on new rows, labelled like these, with its standard error and a 95 % interval. Where the
     * most accurate candidate was chosen, its accuracy in the table is too high, having been selected for it: this one
     * is corrected by the bootstrap (BBC-CV). */
    double expected_accuracy, expected_error, expected_low, expected_high;
    /* How many rows to label next (`ask`) where the choice is unsure, and why, as a sentence; 0 and "" otherwise. */
    size_t suggested_ask;
    char suggested_reason[256];
    size_t averaged;     /* with options.average: how many candidates the model is the mean of */
    int refitted;        /* 1: the final fit was repeated from the mean of the fold models, with which it disagreed */
    size_t *ask;         /* rows to label, from 0, the most informative first */
    uint32_t *ask_label; /* the classes that they have now */
    size_t ask_count;
    int interrupted;              /* 1: the table is incomplete, and there is no model */
    int resumed;                  /* 1: continued from a checkpoint */
    temper_train_report training; /* of the final fit */
    double seconds;
    char notes[1024];         /* assumptions and omissions, a sentence a line */
    temper_warnings warnings; /* those of the final fit included */
} temper_tune_report;

/* Chooses temperatures and l2 by cross-validation, and fits the final model (`model` NULL: no final fit). After an
 * interruption it succeeds with report->interrupted = 1 and *model = NULL. */
TEMPER_API temper_status temper_tune(const temper_data *data, const temper_tune_options *options, temper_model **model,
                                     temper_tune_report *report, temper_error *error);
/* Frees the arrays of the report, not the report itself. */
TEMPER_API void temper_tune_report_free(temper_tune_report *report);

/* A path of penalties on folds of the rows, with one fit for each of both; arrays are the caller's. */
typedef struct temper_fold_path {
    const uint32_t *fold; /* of each row, below `folds`: the fits of a fold leave out its rows */
    size_t folds, penalties;
    const double *l2; /* [fold * penalties + i]; it takes the least time if those of a fold fall */
    /* Above 0: a fit has converged where no entry of the gradient of its mean loss with the penalty exceeds this, in
     * place of the tolerance of the options; the rule of scikit-learn's "lbfgs". */
    double gradient_entry;
    /* Filled for every fit, [fold * penalties + i]: weights, one for each unscaled feature, and intercepts; */
    double *weights, *intercepts;
    size_t *iterations;
    temper_stop *stops;
    /* and for every row by the fits that leave it out, [i * rows + row]: scores, above 0 for the second class. */
    double *scores;
} temper_fold_path;

/* Two classes, a smooth convex loss such as logistic, no L1 penalty, rows of positive weight in one process. Of the
 * options count loss, scale, precision, tolerance, max_iterations, no_intercept, threads and on_progress. Each fit
 * starts from those of its fold before it, and has the minimum of a training of its own within the tolerance, and the
 * same bits on any number of threads. TEMPER_INTERRUPTED where on_progress ends it: the arrays are filled in part. */
TEMPER_API temper_status temper_fit_folds(const temper_data *data, const temper_train_options *options,
                                          const temper_fold_path *path, temper_error *error);

/* ---- Auditing ---------------------------------------------------------------------------------------------------- */

/* The result of an audit for one row. */
typedef struct temper_audit_suspect {
    size_t row;                /* from 0 */
    size_t line;               /* of the file; 0: the file has no lines */
    uint32_t given, suggested; /* classes; `suggested` is the most probable one other than `given` */
    /* Kind "label": the probability that the given label is wrong. Kind "row": the distance of the row from its
     * neighbours, in robust standard deviations of the logarithm. */
    double score;
    double probability; /* of the suggested class; all from models that were not trained on the row */
    double margin;      /* activation of the given class less the largest other */
    double distance;    /* to its neighbours, relative to that of the median row */
    double importance;  /* p^(t2 - t1), p being the probability of the given label by the model */
    int conflict;       /* 1: a row with the same features has another label */
    /* Kind "label": the score with the share of wrong labels at the lower or upper end of its 90 % interval, given the
     * model; else NAN. */
    double low, high;
    size_t file_row; /* from 0: as `row`, but counting rows of classes that were not kept too */
} temper_audit_suspect;

/* Begin with temper_audit_defaults(). `train` directly follows struct_size, so that both structs can grow. */
typedef struct temper_audit_options {
    size_t struct_size; /* set by temper_audit_defaults() */
    /* Used of these: loss and l2 unless they are chosen, scale, solver, precision, no_intercept, tolerance (NAN: 1e-2
     * for two classes, 1e-3 for more, enough for a ranking; then `auto` is "f32" for standardised features),
     * max_iterations, seed and threads. */
    temper_train_options train;
    const char *kind;                     /* NULL or "label": ranks wrong labels; "row": ranks outlying rows */
    size_t folds;                         /* 5 */
    int choose;                           /* 1: temperatures and l2 by CV+C; 0: those of `train` */
    const char *grid;                     /* to choose from, as in temper_tune_options; NULL: a small one */
    temper_tune_progress_fn *on_progress; /* or NULL; a result other than 0 stops: TEMPER_INTERRUPTED */
    void *progress_context;
    /* Probabilities of any model, [row * classes + class] in the order of the classes of `data`; NULL: the audit fits
     * models of its own. They must come from models that were not fitted on the row (out of fold). Temperatures,
     * penalty, grid and folds are then not used, and the data may have no features. */
    const double *probabilities;
    /* The same rows in another form, such as embeddings of a neural network, for neighbours and distances; NULL: the
     * features of the data, if it has any. */
    const temper_data *features;
    /* The fold of each row, from 0 to `folds` - 1; NULL: drawn by the seed, stratified by class. */
    const uint32_t *fold;
    int health; /* 1: the report has `health` */
} temper_audit_options;

TEMPER_API temper_audit_options temper_audit_defaults(void);

/* What an audit finds about the rows with one label. */
typedef struct temper_class_health {
    size_t rows;
    double wrong;                           /* of these, expected to be of another class */
    double missed;                          /* rows of this class that are expected to have another label */
    double predicted;                       /* share of these labels that the models predict, out of fold */
    size_t duplicates, outliers, conflicts; /* of these rows */
} temper_class_health;

/* Two rows with equal or nearly equal features. */
typedef struct temper_near_duplicate {
    size_t row, other; /* from 0 */
    double distance;   /* 0: equal; the unit is the median distance of a row to its nearest one */
    int across;        /* 1: they have different labels */
} temper_near_duplicate;

/* The health of a data set. */
typedef struct temper_audit_health {
    temper_class_health *classes; /* by the number of the class */
    /* Symmetric, [class * classes + class]: of the rows that are believed to be of either class, the share that the
     * models take for the other one: how far the classes overlap, apart from wrong labels. 0 on the diagonal; NULL with
     * more than 256 classes. */
    double *overlap;
    /* A row is in one pair at most as the first of it; pairs across classes first, then by distance. More than 20,000
     * rows are compared with 20,000 of them, unless they are equal. */
    temper_near_duplicate *duplicates;
    size_t duplicate_count;
    size_t duplicate_rows, across_rows; /* rows that are in such a pair, and in one across classes */
    /* Rows far from all others, the furthest first, and how far in robust standard deviations of the logarithm of the
     * distance to their neighbours: 3.5 or more. */
    size_t *outliers;
    double *outlier_scores;
    size_t outlier_count;
} temper_audit_health;

typedef struct temper_audit_report {
    temper_audit_suspect *suspects; /* all rows, the most suspicious first */
    size_t rows;
    size_t classes;
    int by_row;       /* 1: kind "row" */
    size_t supported; /* number of suspects that the evidence supports */
    double wrong;     /* expected number of wrong labels: the sum of their probabilities */
    /* Expected rows by [true class * classes + given class]; NULL with more than 256 classes. */
    double *transition;
    int in_pairs;          /* 1: wrong labels are confined to pairs of classes; 0: they appear evenly spread */
    size_t conflicts;      /* rows with `conflict` */
    temper_loss_spec loss; /* resolved */
    double l2, accuracy;   /* out of fold, against the labels as given; l2 is NAN with probabilities of other models */
    size_t folds;          /* 0: probabilities of other models */
    double seconds;
    char notes[1024];             /* assumptions, a sentence a line */
    temper_warnings warnings;     /* those of the selection included */
    double wrong_low, wrong_high; /* the 90 % interval of `wrong`, given the model */
    /* The nearest rows of each row, [row * neighbour_count + i], nearest first. */
    uint32_t *neighbours;
    size_t neighbour_count;
    temper_audit_health *health; /* NULL: not asked for */
    /* Kind "label", 1: the labels do not show whether any of them are wrong, and `supported` is 0. The order of the
     * suspects is still the best there is, their scores prove nothing. */
    int undecided;
    /* Nats by which the labels are likelier with wrong ones among them than without. Undecided below 4, and below 0.08
     * for each wrong label to be expected, over classes - 1, unless the certainty is 0.98. */
    double gain;
    double certainty; /* mean probability of the likeliest true class; undecided below 0.6 */
} temper_audit_report;

/* Ranks the rows by how likely their labels are wrong. `scores` has space for one number a row (of all processes), in
 * the order of the rows, or is NULL. */
TEMPER_API temper_status temper_audit(const temper_data *data, const temper_audit_options *options, double *scores,
                                      temper_audit_report *report, temper_error *error);
/* Frees the arrays of the report, not the report itself. */
TEMPER_API void temper_audit_report_free(temper_audit_report *report);

#ifdef __cplusplus
}
#endif

#endif
