/* temper: logistic regression for people whose labels are partly wrong.
 *
 * The only installed header. Everything here is plain C11, thread-safe and free of global state:
 * no call prints, exits, installs a signal handler or touches the locale.
 *
 * Names follow the paper "Two-temperature logistic regression based on the Tsallis divergence"
 * (Amid, Warmuth, Srinivasan, AISTATS 2019); docs/math.md has the formulas, docs/errata.md what the
 * paper prints wrong.
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

/* The hot loops that this processor runs best: "avx512", "avx2", "neon" or "plain", or those that
 * the environment variable TEMPER_KERNEL asks for. NULL if it asks for what cannot run here. */
TEMPER_API const char *temper_kernel_name(void);

/* ---- Statuses and errors --------------------------------------------------------------------- */

/* One list: the enumerator, the exit code of the command, and the words. */
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

/* What went wrong, where (0 = not known, else counted from 1) and what to do about it. */
typedef struct temper_error {
    temper_status status;
    size_t line;
    size_t column;
    char message[480];
} temper_error; /* the message names the file where there is one: "crowd.svm:201:7: value ..." */

TEMPER_API const char *temper_status_name(temper_status status); /* "NO_MEMORY" */
TEMPER_API const char *temper_status_text(temper_status status); /* "out of memory" */
TEMPER_API int temper_status_exit_code(temper_status status);    /* 71 */

/* ---- The tempered functions ------------------------------------------------------------------ */

/* For every finite temperature t >= 0, with limits taken exactly; any other temperature and a NaN
 * argument give NaN, what lies beyond the double range is +-infinity, never NaN. */

/* log_t x (eq. 1), x >= 0: -1/(1-t) at x = 0 if t < 1, else -infinity. NaN for x < 0. */
TEMPER_API double temper_log_t(double x, double t);
/* exp_t x (eq. 4): 0 for t < 1, x <= -1/(1-t); +infinity for t > 1, x >= 1/(t-1). */
TEMPER_API double temper_exp_t(double x, double t);

/* Tsallis entropy H_t(p) (eq. 2) of n probabilities. */
TEMPER_API double temper_entropy(const double *p, size_t n, double t);
/* Tsallis divergence D_t(p || q) (eq. 3). A class with p = 0 adds nothing to either, for every t
 * and q.
 * +infinity where q = 0 < p and t >= 1. */
TEMPER_API double temper_divergence(const double *p, const double *q, size_t n, double t);

/* The t-exponential family on n classes with activations a: p_c = exp_t(a_c - G_t(a)), sum p = 1.
 * An activation of -infinity is a class that cannot happen; one of +infinity happens surely; two of
 * +infinity, all -infinity, a NaN or n = 0 give NaN. */
TEMPER_API double temper_log_partition(const double *a, size_t n, double t);        /* G_t(a) */
TEMPER_API double temper_log_partition_excess(const double *a, size_t n, double t); /* G_t - max a */
TEMPER_API void temper_probabilities(const double *a, size_t n, double t, double *p);
/* The gradient of G_t at a: the escort of order t of the probabilities. */
TEMPER_API void temper_log_partition_gradient(const double *a, size_t n, double t, double *q);

/* Escort of order t: q_c = p_c^t / Z, Z = sum p_c^t. q may be p. At t = 0 a class with p = 0 stays
 * 0. */
TEMPER_API void temper_escort(const double *p, size_t n, double t, double *q);
TEMPER_API double temper_escort_normaliser(const double *p, size_t n, double t); /* Z */

/* ---- The paper's own solvers, and a third opinion, for comparison ---------------------------- */

/* What an iterative solver did; where one is asked for, NULL will do. */
typedef struct temper_iterations {
    size_t updates; /* of the unknown; temper_log_partition_counted: until |sum p - 1| <= 1e-15 n */
    int converged;  /* 1 if the tolerance was reached */
} temper_iterations;

/* temper_log_partition, telling how many updates of lambda it took. */
TEMPER_API double temper_log_partition_counted(const double *a, size_t n, double t, temper_iterations *iterations);
/* Algorithm 1 (n classes) and 2 (activations a/2, -a/2): a fixed point, for t > 1 and a finite
 * largest activation, else NaN; iterates until the relative change is at most `tolerance`, at most
 * `limit` times. */
TEMPER_API double temper_log_partition_algorithm1(const double *a, size_t n, double t, double tolerance, size_t limit,
                                                  temper_iterations *iterations);
TEMPER_API double temper_log_partition_algorithm2(double a, double t, double tolerance, size_t limit,
                                                  temper_iterations *iterations);
/* Bisection down to neighbouring doubles, for every t >= 0. */
TEMPER_API double temper_log_partition_bisection(const double *a, size_t n, double t, temper_iterations *iterations);
/* Activations a/2, -a/2 in closed form: t = 0, 1/2, 1, 3/2, 2. NaN for other temperatures. */
TEMPER_API double temper_log_partition_closed_form(double a, double t);

/* ---- The losses ------------------------------------------------------------------------------ */

/* Two-temperature loss -log_t1 exp_t2(a_label - G_t2(a)) (eq. 13) and, if wanted, its gradient by
 * the activations. */
TEMPER_API double temper_loss(const double *a, size_t n, size_t label, double t1, double t2,
                              double *gradient /* or NULL */);
/* The importance factor p_label^(t2 - t1): how much of its gradient a row is allowed. */
TEMPER_API double temper_importance(const double *a, size_t n, size_t label, double t1, double t2);

/* Two classes as a function of the margin m = c * a, activations m/2, -m/2. At m = -infinity slope
 * and curvature are their limits. */
TEMPER_API double temper_margin_loss(double margin, double t1, double t2, double *slope /* or NULL */,
                                     double *curvature /* or NULL */);
/* The probability of the given label. */
TEMPER_API double temper_margin_probability(double margin, double t2);

/* The methods: a name for the command line, and the temperatures that they fix (NAN: free). */
#define TEMPER_METHOD_LIST(X)                                                                                          \
    X(TEMPERED, "tempered", NAN, NAN, "two temperatures: -log_t1 exp_t2")                                              \
    X(LOGISTIC, "logistic", 1, 1, "plain logistic regression")                                                         \
    X(T_LOGISTIC, "t-logistic", 1, NAN, "heavy tails, unbounded: t1 = 1")                                              \
    X(GCE, "gce", NAN, 1, "generalised cross-entropy: t2 = 1")                                                         \
    X(HINGE, "hinge", NAN, NAN, "support vector machine, smoothed over `smoothing`")                                   \
    X(BREGMAN, "bregman", NAN, NAN, "the bi-tempered loss of 2019")

typedef enum temper_method {
#define TEMPER_METHOD_ENUM(name, word, t1, t2, text) TEMPER_##name,
    TEMPER_METHOD_LIST(TEMPER_METHOD_ENUM)
#undef TEMPER_METHOD_ENUM
} temper_method;

/* A loss: a method and its parameters. */
typedef struct temper_loss_spec {
    temper_method method;
    double t1;        /* ignored where the method fixes it, and by hinge */
    double t2;        /* the same */
    double smoothing; /* hinge: the width of the parabola that rounds the kink; 0 for none */
} temper_loss_spec;

/* The temperatures that count: those given, or those that the method fixes. */
TEMPER_API temper_loss_spec temper_loss_resolve(temper_loss_spec loss);
TEMPER_API const char *temper_method_name(temper_method method);
/* 1 and *method set if there is one of that name, else 0. */
TEMPER_API int temper_method_find(const char *name, temper_method *method);

/* Value, and if wanted gradient (n) and Hessian (n x n), of any of the losses. The Hessian needs a
 * gradient to go with it, and is NaN without. */
TEMPER_API double temper_loss_of_spec(temper_loss_spec loss, const double *a, size_t n, size_t label,
                                      double *gradient /* or NULL */, double *hessian /* or NULL */);
TEMPER_API double temper_margin_loss_of_spec(temper_loss_spec loss, double margin, double *slope /* or NULL */,
                                             double *curvature /* or NULL */);

/* What is known of the two-temperature loss at (t1, t2). */
typedef struct temper_loss_properties {
    int convex;        /* in the activations, for any number of classes */
    int extended;      /* convex only with the value +infinity allowed (t2 < 1 <= t1) */
    int quasi_convex;  /* always 1 for legal temperatures */
    int bounded;       /* by `bound` */
    double bound;      /* 1/(1 - t1), or +infinity */
    int smooth;        /* value and slope are finite everywhere, so that it can be trained */
    double inflection; /* margin below which the two-class loss bends down; -infinity if nowhere */
} temper_loss_properties;

TEMPER_API temper_loss_properties temper_loss_shape(double t1, double t2);
/* The margin at which the curvature of the two-class loss changes its sign (appendix B): negative
 * below, positive above; -infinity where it does not (t1 >= t2), NaN for illegal temperatures. */
TEMPER_API double temper_inflection_margin(double t1, double t2);

/* ---- Many processes -------------------------------------------------------------------------- */

/* The processes that share one training, each with rows of its own: two calls that MPI and all of
 * its kind have. All make the same calls in the same order, and both return 0 unless the others
 * cannot be reached. Results have the same bits for any number of processes. */
typedef struct temper_comm {
    size_t rank, size; /* this one of so many, counted from 0 */
    void *context;     /* handed to the calls */
    /* Of each rank bytes[rank] bytes, one after another in the order of the ranks, to all. */
    int (*gather)(void *context, const void *mine, const size_t *bytes, void *all);
    /* out_bytes[rank] bytes to each rank, which lie one after another in `out`, and in_bytes[rank]
     * bytes from each, one after another to `in`. */
    int (*exchange)(void *context, const void *out, const size_t *out_bytes, void *in, const size_t *in_bytes);
} temper_comm;

/* ---- Data ------------------------------------------------------------------------------------ */

/* A matrix of features with labels, weights and names: read from a file, or the caller's arrays. */
typedef struct temper_data temper_data;

/* How to read; all zeros is the default of every option. Strings are those of the command line. */
typedef struct temper_read_options {
    const char *format;        /* "libsvm", "csv", "tsv", "npy", "idx", "cifar", "tmpr"; NULL: told by
                                * the content, then by the extension */
    const char *header;        /* "yes", "no"; NULL or "auto": told by the first line */
    const char *label;         /* a column by name or number (from 1), "none"; NULL: the last one */
    const char *labels;        /* a file of labels: one a line, IDX or NPY; NULL: of NPY and IDX, what
                                * temper_data_write puts beside the data, if it is there */
    const char *ignore;        /* columns "A,B,...", by name or number */
    const char *categorical;   /* text columns, one-hot: "A,B,..." or "all"; NULL: text is refused */
    const char *missing;       /* "zero", "mean", "drop"; NULL: missing values are refused */
    const char *classes;       /* keep only rows of these: "A,B,..." */
    const char *weights;       /* weights of the rows: a column by name, or a file, one a line */
    const char *class_weight;  /* "balanced" or "NAME=W,..." */
    const char *channel;       /* CIFAR: "red", "green", "blue", "grey", "all" (NULL) */
    int zero_based;            /* libsvm: the first feature is 0, not 1 */
    int f64;                   /* keep text numbers as doubles, not as floats */
    size_t threads;            /* 0: as many as the machine runs at once */
    unsigned long long memory; /* bytes that the process may take, for reading and for what is done
                                * with the data later; 0: no limit. A .tmpr file, which is mapped,
                                * may be larger; what does not fit is refused with TEMPER_NO_MEMORY
                                * and the least that would do (docs/scale.md) */
    /* Several processes read one file together, and each keeps a part of the rows: temper_train,
     * temper_tune, temper_audit and temper_evaluator_add work with those of all. Lives as long as
     * the data. NULL: alone. */
    const temper_comm *comm;
} temper_read_options;

/* Reads a whole file, "-" being the standard input; gzip and zstd are undone. *data is untouched on
 * failure, and the error says file, line, column, cause and remedy. */
TEMPER_API temper_status temper_data_read(const char *path, const temper_read_options *options, temper_data **data,
                                          temper_error *error);
/* Reads a file so that its features are those of `like`, as a validation file wants it: columns are
 * found by name, texts become the same features, missing values what they became there. */
TEMPER_API temper_status temper_data_read_like(const temper_data *like, const char *path,
                                               const temper_read_options *options, temper_data **data,
                                               temper_error *error);
TEMPER_API void temper_data_free(temper_data *data);

/* Writes to a file, whole or not at all. `format` NULL: told by the extension. */
TEMPER_API temper_status temper_data_write(const temper_data *data, const char *path, const char *format,
                                           temper_error *error);

/* Whether the name is one to write to and a format is told: worth asking before hours of work. */
TEMPER_API temper_status temper_data_write_check(const char *path, const char *format, temper_error *error);

/* A file that belongs to data: the list of changes of noisy data, for one. */
typedef struct temper_attachment {
    const char *path;
    const char *bytes;
    size_t length;
} temper_attachment;

/* The same with one more file: all of them are written, or those that were there stay. */
TEMPER_API temper_status temper_data_write_with_attachment(const temper_data *data, const char *path,
                                                           const char *format, const temper_attachment *with,
                                                           temper_error *error);

TEMPER_API unsigned long long temper_data_rows(const temper_data *data);
/* Of several processes together; else the same. */
TEMPER_API unsigned long long temper_data_total_rows(const temper_data *data);
/* Rows of the file that are not here, as values were missing in them ("drop"); of all processes. */
TEMPER_API unsigned long long temper_data_dropped_rows(const temper_data *data);
TEMPER_API unsigned long long temper_data_features(const temper_data *data);
TEMPER_API unsigned long long temper_data_stored_values(const temper_data *data); /* stored entries */
TEMPER_API size_t temper_data_classes(const temper_data *data);                   /* 0: no labels */
TEMPER_API const char *temper_data_class_name(const temper_data *data, size_t class_number);
TEMPER_API const char *temper_data_format(const temper_data *data); /* "csv" and the like */
/* Sentences, one a line, that the user should read: what was assumed, ignored or dropped. Those
 * that begin with "warning: " tell of a probable mistake. */
TEMPER_API const char *temper_data_notes(const temper_data *data);
/* Columns are counted from 0 here; NULL if the file names none. */
TEMPER_API const char *temper_data_feature_name(const temper_data *data, unsigned long long column);

/* The class of each row; NULL if there are no labels. Lives as long as the data. */
TEMPER_API const uint32_t *temper_data_labels(const temper_data *data);

/* The caller's numbers as data: row by row, without gaps; labels are the names of the classes, as
 * whole numbers, or NULL for none. A value that is not finite is refused. */
TEMPER_API temper_status temper_data_from_f64(const double *x, size_t rows, size_t columns, const int *labels,
                                              temper_data **data, temper_error *error);
/* The same without a copy of the features, which must live as long as the data. Labels are copied.
 */
TEMPER_API temper_status temper_data_borrow_f64(const double *x, size_t rows, size_t columns, const int *labels,
                                                temper_data **data, temper_error *error);
TEMPER_API temper_status temper_data_borrow_f32(const float *x, size_t rows, size_t columns, const int *labels,
                                                temper_data **data, temper_error *error);
TEMPER_API temper_status temper_data_borrow_u8(const unsigned char *x, size_t rows, size_t columns, const int *labels,
                                               temper_data **data, temper_error *error);

/* Sparse rows: entries row_start[r] up to row_start[r + 1] belong to row r, their columns, counted
 * from 0, ascending and none twice. */
typedef struct temper_csr {
    size_t rows, columns;
    const uint64_t *row_start; /* rows + 1 */
    const uint32_t *column;
    const float *value;
} temper_csr;

TEMPER_API temper_status temper_data_borrow_csr(const temper_csr *x, const int *labels, temper_data **data,
                                                temper_error *error);

/* The same in the types that other programs keep sparse rows in, scipy for one: each array says how
 * many bytes an element has, 4 or 8. Starts and columns are integers that are not below 0, signed
 * or not; values are floats or doubles. There are at most 2^32 columns. */
typedef struct temper_csr_any {
    size_t rows, columns;
    const void *row_start; /* rows + 1 */
    const void *column;
    const void *value;
    size_t row_start_size, column_size, value_size;
} temper_csr_any;

TEMPER_API temper_status temper_data_borrow_csr_any(const temper_csr_any *x, const int *labels, temper_data **data,
                                                    temper_error *error);

/* What else arrays come with, all of it copied; on failure the data is as it was. Names of all
 * classes in their order, which is that of their numbers; of all features; and a weight for each
 * row, 0 or more, times those that it has. */
TEMPER_API temper_status temper_data_set_class_names(temper_data *data, const char *const *names, temper_error *error);
TEMPER_API temper_status temper_data_set_feature_names(temper_data *data, const char *const *names,
                                                       temper_error *error);
TEMPER_API temper_status temper_data_set_weights(temper_data *data, const double *weights, temper_error *error);

/* How many columns of a kind a summary names. */
#define TEMPER_SUMMARY_SHOWN 6

/* Columns that teach nothing: how many there are, and the first of them, counted from 1. */
typedef struct temper_column_list {
    unsigned long long count;
    unsigned long long column[TEMPER_SUMMARY_SHOWN];
    unsigned long long same_as[TEMPER_SUMMARY_SHOWN]; /* duplicates: the first column like it */
} temper_column_list;

/* What data holds, in figures. */
typedef struct temper_data_summary {
    const char *storage;     /* "dense float32", "sparse float32" and the like */
    const char *compression; /* of the file: "gzip", "zstd", or NULL */
    unsigned long long rows, features;
    unsigned long long stored;          /* entries: rows * features of dense data */
    unsigned long long nonzeros;        /* entries that are not 0 */
    unsigned long long bytes;           /* of memory: features, labels, weights, lines */
    double low, high;                   /* of all values; low > high if there are none */
    temper_column_list constant;        /* one value in all rows */
    temper_column_list duplicate;       /* not constant, and equal to a column before it */
    unsigned long long missing_filled;  /* values */
    unsigned long long missing_dropped; /* rows */
    int weighted;                       /* whether rows have weights, and theirs: */
    double weight_low, weight_high, weight_sum;
    size_t classes;                 /* 0: no labels */
    unsigned long long *class_rows; /* of each class */
} temper_data_summary;

/* Goes through all values once, on so many threads (0: as many as the machine runs at once); the
 * result does not depend on their number. *summary is untouched on failure. */
TEMPER_API temper_status temper_data_summarise(const temper_data *data, size_t threads, temper_data_summary *summary,
                                               temper_error *error);
TEMPER_API void temper_data_summary_free(temper_data_summary *summary);

/* A scaled copy, learnt from all rows: "none", "standard", "minmax", "maxabs", "log" or "pixels"
 * (divided by 255). With "none" it borrows the features of `data`, which must live as long. */
TEMPER_API temper_status temper_data_scale(const temper_data *data, const char *scale, size_t threads,
                                           temper_data **scaled, temper_error *error);

/* A copy of some rows, counted from 0, in that order; a row may come twice. Classes stay as they
 * are, also where one has no row left. */
TEMPER_API temper_status temper_data_select_rows(const temper_data *data, const size_t *row, size_t count,
                                                 temper_data **taken, temper_error *error);

/* Two sets of the same features as one, the rows of `second` behind those of `first`. Classes are
 * told by their names; weights of a set that has none are 1. */
TEMPER_API temper_status temper_data_concat(const temper_data *first, const temper_data *second, temper_data **joined,
                                            temper_error *error);

typedef struct temper_split_options {
    double share;            /* for testing: above 0 and below 1 */
    unsigned long long seed; /* the same seed, the same parts */
    int stratified;          /* every class in the same shares */
} temper_split_options;

/* Parts the rows at random into copies: round(share * rows) of them for testing, the others for
 * training, each in their old order. */
TEMPER_API temper_status temper_data_split(const temper_data *data, const temper_split_options *options,
                                           temper_data **train, temper_data **test, temper_error *error);

/* Noise put into labels or rows on purpose, as in section 7 of the paper. */
typedef struct temper_noise_options {
    const char *kind;        /* "random", "pair", "matrix", "small-margin", "large-margin" or
                              * "instance" */
    double rate;             /* share of all rows that change; matrix has none */
    unsigned long long seed; /* the same seed, the same changes; a higher rate adds to them */
    const char *map;         /* pair: "A=B,..."; NULL: each class becomes the next one */
    const char *matrix;      /* matrix: a CSV file of C lines of C probabilities */
    const temper_data *pool; /* instance: rows of classes that the data does not have; or NULL */
    double rank_l2;          /* margins: lambda of the logistic regression that ranks the rows */
    const char *rank_scale;  /* margins: its scaling; NULL: as in training */
    size_t threads;          /* margins: 0 for as many as the machine runs at once */
} temper_noise_options;

/* A row that changed, counted from 1. */
typedef struct temper_noise_change {
    unsigned long long row;
    size_t was, is;          /* its class; the same for instance noise */
    unsigned long long from; /* instance: the row of the pool, or else of the data, that its
                              * features come from; 0 for others */
} temper_noise_change;

/* The noisy data, which may borrow the features of `data`: free it first. *changes, in order of
 * their rows, is freed by temper_free. Outputs are untouched on failure. */
TEMPER_API temper_status temper_data_add_noise(const temper_data *data, const temper_noise_options *options,
                                               temper_data **noisy, temper_noise_change **changes, size_t *count,
                                               temper_error *error);

/* ---- Training -------------------------------------------------------------------------------- */

/* Why training ended. All but the last two come with a model that is as good as the words say. */
#define TEMPER_STOP_LIST(X)                                                                                            \
    X(CONVERGED, "converged", "the gradient is as small as asked for")                                                 \
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
TEMPER_API const char *temper_stop_text(temper_stop stop);

typedef struct temper_model temper_model;

/* Where training is. */
typedef struct temper_train_progress {
    const char *phase;     /* "train"; with several starts, "start 2 of 3" and the like */
    size_t iteration;      /* of this phase */
    size_t max_iterations; /* the limit */
    double objective;
    double gradient;   /* norm, relative to that at W = 0: training ends when it is below tol */
    double tolerance;  /* that tol */
    double accuracy;   /* on the training rows, weighted */
    double validation; /* loss on the validation rows; NAN without */
    double seconds;    /* since the call */
} temper_train_progress;

/* Called after every iteration, from the calling thread. Not 0: stop, and keep the best model. */
typedef int temper_train_progress_fn(void *context, const temper_train_progress *progress);

/* Always begin with temper_train_defaults(). Strings are those of the command line. */
typedef struct temper_train_options {
    temper_loss_spec loss;                 /* tempered, t1 = 0.3, t2 = 1 */
    double l2;                             /* lambda; NAN: lambda_0 = 2e-4 tr Cov(x) / (C - 1) */
    const char *scale;                     /* NULL: "standard" for dense data, "none" for sparse */
    const char *solver;                    /* NULL or "auto"; "newton", "lbfgs", "tron" */
    const char *precision;                 /* of the sums: NULL or "auto"; "f32", "f64" */
    const char *init;                      /* NULL or "zero"; "normal:STD" */
    const temper_model *warm_start;        /* start from its weights; or NULL */
    const temper_data *validation;         /* stop when the loss on it has not fallen for `patience`; or NULL */
    size_t patience;                       /* iterations: 10 */
    size_t starts;                         /* 1: that start alone; 2 or 3: others too, and compare them */
    int no_intercept;                      /* leave b out */
    double tolerance;                      /* 1e-4: of the gradient, relative to that at W = 0 */
    size_t max_iterations;                 /* 1000 */
    unsigned long long seed;               /* 1 */
    size_t threads;                        /* 0: as many as the machine runs at once */
    const char *checkpoint;                /* a file to go on from after a crash; NULL: none */
    double checkpoint_seconds;             /* at least so long between two savings: 30; 0: every iteration */
    int resume;                            /* go on from the checkpoint if there is one */
    temper_train_progress_fn *on_progress; /* or NULL */
    void *progress_context;
} temper_train_options;

TEMPER_API temper_train_options temper_train_defaults(void);

/* What training did. */
typedef struct temper_train_report {
    temper_stop stop;
    const char *solver;    /* "newton" and the like */
    const char *precision; /* "f32" or "f64" */
    temper_loss_spec loss; /* resolved */
    double l2;
    double objective, train_loss; /* with and without the penalty */
    double gradient_norm;         /* relative to that at W = 0 */
    double accuracy;              /* on the training rows, weighted */
    double validation;            /* the best loss on the validation rows, or NAN */
    size_t iterations, evaluations, products, hessians;
    double passes;  /* over the data, all together */
    double seconds; /* in the call */
    int resumed;    /* 1: went on from a checkpoint */
    /* What the user should know, a sentence a line, each with what to do: disagreeing starts,
     * collapse to one class, separable data, ill-conditioned features, a stop that is not
     * convergence. "" if all is well. */
    char warnings[2048];
} temper_train_report;

/* Fits a model. *model and *report are untouched on failure; a plateau and a loss that is not
 * finite are failures (TEMPER_BAD_DATA). An interrupted training is a success. */
TEMPER_API temper_status temper_train(const temper_data *data, const temper_train_options *options,
                                      temper_model **model, temper_train_report *report, temper_error *error);
TEMPER_API void temper_model_free(temper_model *model);

/* ---- Other engines --------------------------------------------------------------------------- */

/* Rows that lie with the workers of an engine such as Dask or Spark, a shard with each; training
 * runs with the caller, and asks. What travels is bytes and arrays of doubles: the engine moves
 * them, and there is nothing else to know of it. In order (docs/scale.md has an example):
 *
 *   each worker     temper_shard_stats: what has to be known of its rows
 *   the caller      temper_shard_plan_new, from all surveys: classes, scaling and penalty are agreed
 *   each worker     temper_shard_borrow, by the plan
 *   the caller      temper_train_shards, which asks again and again: loss and gradient at W?
 *     each worker   temper_shard_reply
 *     the caller    temper_shard_sum, and back with it
 *
 * The same shards in the same order give the same bits, whoever answers first. Rows cut in another
 * way, or all in one, give the same model but for rounding. */

/* Bytes that were made here or by another process of this version on a machine like this one. */
typedef struct temper_bytes {
    const char *bytes;
    size_t length;
} temper_bytes;

/* Surveys rows that have labels; to be freed by temper_free. */
TEMPER_API temper_status temper_shard_stats(const temper_data *data, size_t threads, char **survey, size_t *length,
                                            temper_error *error);

typedef struct temper_shard_plan temper_shard_plan;

/* From the surveys of all shards. Of the options count loss, l2, scale (but "log"), precision,
 * no_intercept, and the tolerance where the precision is to follow from it. Shards that do not
 * agree in their columns are refused. */
TEMPER_API temper_status temper_shard_plan_new(const temper_bytes *surveys, size_t count,
                                               const temper_train_options *options, temper_shard_plan **plan,
                                               temper_error *error);
TEMPER_API void temper_shard_plan_free(temper_shard_plan *plan);
/* For the way to the workers; to be freed by temper_free. */
TEMPER_API temper_status temper_shard_plan_to_text(const temper_shard_plan *plan, char **text, size_t *length,
                                                   temper_error *error);
TEMPER_API temper_status temper_shard_plan_from_text(const char *text, size_t length, temper_shard_plan **plan,
                                                     temper_error *error);

/* How many numbers W has: w[feature * vectors + k] for features as scaled, vectors being 1 for two
 * classes and one a class otherwise, and then the intercepts, unless there are none. */
TEMPER_API size_t temper_shard_plan_weight_count(const temper_shard_plan *plan);
/* What the library has made of an l2 that was left to it. */
TEMPER_API double temper_shard_plan_l2(const temper_shard_plan *plan);

/* What a shard can be asked. Answers add up: each is the share of the shard in a mean over the
 * rows of all, by their weights, and without the penalty. */
typedef enum temper_shard_request_kind {
    TEMPER_SHARD_GRADIENT,     /* at w: the loss, the accuracy, and the gradient of the loss, so many numbers
                                * as w has */
    TEMPER_SHARD_SQUARED_NORM, /* of w: one number, the square of the activations that it gives */
} temper_shard_request_kind;

typedef struct temper_shard_request {
    temper_shard_request_kind kind;
    temper_loss_spec loss; /* resolved; on its way to a sharp hinge it is another one in between */
} temper_shard_request;

/* How many numbers its answer has. */
TEMPER_API size_t temper_shard_reply_length(const temper_shard_plan *plan, temper_shard_request_kind asked);

/* Rows on which questions are answered, one at a time. Borrows both data and plan. */
typedef struct temper_shard temper_shard;
TEMPER_API temper_status temper_shard_borrow(const temper_data *data, const temper_shard_plan *plan, size_t threads,
                                             temper_shard **shard, temper_error *error);
TEMPER_API void temper_shard_free(temper_shard *shard);
TEMPER_API temper_status temper_shard_reply(temper_shard *shard, const temper_shard_request *request, const double *w,
                                            double *answer, temper_error *error);

/* The sum of the answers of all shards, in the order of the shards: pairs, pairs of pairs and so
 * on. `sum` may be none of them. */
TEMPER_API void temper_shard_sum(const double *const *answers, size_t count, size_t length, double *sum);

/* Whoever asks all shards, and reduces. */
typedef struct temper_shard_engine {
    void *context;
    /* Fills sum. Anything but TEMPER_OK ends the training, which fails with that and the error. */
    temper_status (*request)(void *context, const temper_shard_request *request, const double *w, double *sum,
                             temper_error *error);
} temper_shard_engine;

/* Fits a model to the rows of all shards, by L-BFGS. Of the options do not count those that the
 * plan has settled; as for temper_train otherwise, but for warnings that would need the rows. */
TEMPER_API temper_status temper_train_shards(const temper_shard_plan *plan, const temper_shard_engine *engine,
                                             const temper_train_options *options, temper_model **model,
                                             temper_train_report *report, temper_error *error);

/* ---- Models ---------------------------------------------------------------------------------- */

TEMPER_API temper_status temper_model_save(const temper_model *model, const char *path, temper_error *error);
TEMPER_API temper_status temper_model_load(const char *path, temper_model **model, temper_error *error);
/* 1 if the file begins as a model does; 0 for any other, and for "-", which is read only once. */
TEMPER_API int temper_is_model_file(const char *path);
/* The bytes of such a file, to be freed by temper_free, and a model from them. */
TEMPER_API temper_status temper_model_to_text(const temper_model *model, char **text, size_t *length,
                                              temper_error *error);
TEMPER_API temper_status temper_model_from_text(const char *text, size_t length, temper_model **model,
                                                temper_error *error);
/* "c" or "onnx"; NULL: told by the extension. */
TEMPER_API temper_status temper_model_export(const temper_model *model, const char *path, const char *format,
                                             temper_error *error);

TEMPER_API size_t temper_model_classes(const temper_model *model);
TEMPER_API const char *temper_model_class_name(const temper_model *model, size_t class_number);
TEMPER_API unsigned long long temper_model_features(const temper_model *model);
TEMPER_API const char *temper_model_feature_name(const temper_model *model, unsigned long long column); /* or NULL */
TEMPER_API temper_loss_spec temper_model_loss(const temper_model *model);
TEMPER_API double temper_model_l2(const temper_model *model);
/* Weight vectors: 1 for two classes, which speaks for class 1 against class 0, else one a class. */
TEMPER_API size_t temper_model_weight_vectors(const temper_model *model);
TEMPER_API const double *temper_model_weights(const temper_model *model, size_t vector);
TEMPER_API double temper_model_intercept(const temper_model *model, size_t vector);

/* What is known of a model, for people. */
typedef struct temper_model_summary {
    const char *method, *scale, *solver, *stop, *init, *precision, *fingerprint;
    double t1, t2, smoothing, l2, tolerance;
    double objective, train_loss, gradient, accuracy;
    unsigned long long rows, iterations, evaluations, seed;
    unsigned long long nonzeros; /* weights that are not 0 */
    double weight_norm;
    int intercept;
} temper_model_summary;

TEMPER_API void temper_model_summarise(const temper_model *model, temper_model_summary *summary);

/* ---- Prediction ------------------------------------------------------------------------------ */

typedef enum temper_prediction {
    TEMPER_PREDICT_LABELS,            /* one number a row: the class */
    TEMPER_PREDICT_PROBABILITIES,     /* C a row, calibrated: of the label as given, noise included */
    TEMPER_PREDICT_RAW_PROBABILITIES, /* C a row: p of the model, not calibrated for t1 < 1 */
    TEMPER_PREDICT_DECISIONS,         /* one a row for two classes, above 0 for class 1; else C */
} temper_prediction;

/* How many numbers a row has; 0 if the model cannot give them (calibrated probabilities at t1 = 0
 * and of hinge; raw ones of hinge). */
TEMPER_API size_t temper_prediction_width(const temper_model *model, temper_prediction output);

/* Fills out[rows * width]. Data that has more features than the model is refused unless it is
 * sparse: unknown sparse features are left out. */
TEMPER_API temper_status temper_predict(const temper_model *model, const temper_data *data, temper_prediction output,
                                        size_t threads, double *out, temper_error *error);

/* The importance factor p^(t2 - t1) of the given label of each row, p being the model's own
 * probability: how much of its gradient the row is allowed. out[rows]; for the losses with two
 * temperatures (not hinge, not bregman), and labels that the model knows. */
TEMPER_API temper_status temper_predict_importance(const temper_model *model, const temper_data *data, size_t threads,
                                                   double *out, temper_error *error);

/* Data for a model, in batches of bounded size: rows of a file that may be larger than memory. */
typedef struct temper_batch_reader temper_batch_reader;

/* Columns are found by the names that the model knows, text and missing values become what they
 * were in training; a label column may be there or not. */
TEMPER_API temper_status temper_batch_reader_open(const temper_model *model, const char *path,
                                                  const temper_read_options *options, temper_batch_reader **stream,
                                                  temper_error *error);
/* The next rows, freed by temper_data_free before the stream is closed; *batch is NULL at the end.
 */
TEMPER_API temper_status temper_batch_reader_next(temper_batch_reader *stream, temper_data **batch,
                                                  temper_error *error);
/* What the user should know so far, a sentence a line. */
TEMPER_API const char *temper_batch_reader_notes(const temper_batch_reader *stream);
/* Rows so far that were left out, as values were missing in them ("drop"). */
TEMPER_API unsigned long long temper_batch_reader_dropped_rows(const temper_batch_reader *stream);
TEMPER_API void temper_batch_reader_close(temper_batch_reader *stream);

/* How good a model is on labelled rows. Rows whose class the model does not know count as errors,
 * and are left out of everything but accuracy and `unknown`. */
typedef struct temper_evaluation {
    unsigned long long rows, unknown;
    double weight; /* sum of all weights */
    double accuracy;
    double balanced_accuracy;    /* mean over the classes that occur */
    double loss;                 /* that the model was trained for, without the penalty */
    double log_loss, brier, ece; /* of calibrated probabilities; NAN if it has none */
    size_t classes;
    double *confusion; /* [given * classes + predicted], sums of weights; freed by
                        * temper_evaluation_free */
} temper_evaluation;

/* Adds rows to an evaluation, in any number of calls: begin, add..., end. */
typedef struct temper_evaluator temper_evaluator;
TEMPER_API temper_status temper_evaluator_new(const temper_model *model, temper_evaluator **evaluator,
                                              temper_error *error);
TEMPER_API temper_status temper_evaluator_add(temper_evaluator *evaluator, const temper_data *data, size_t threads,
                                              temper_error *error);
/* Fills the evaluation, unless NULL, and frees the evaluator; on failure too. */
TEMPER_API temper_status temper_evaluator_finish(temper_evaluator *evaluator, temper_evaluation *evaluation,
                                                 temper_error *error);
TEMPER_API void temper_evaluation_free(temper_evaluation *evaluation);

/* ---- Statistics ------------------------------------------------------------------------------ */

/* Two methods on the same splits: is one better than the other, or was it luck? */
typedef struct temper_paired_test {
    size_t count;           /* pairs */
    double mean, deviation; /* of first - second; the deviation with count - 1, NAN for one pair */
    double t;               /* of Student's paired test */
    double t_p;             /* its two-sided p; NAN where there is none: fewer than two pairs */
    double w;               /* Wilcoxon's: the smaller one of the two sums of signed ranks */
    double w_p;             /* its two-sided p: exact up to TEMPER_WILCOXON_EXACT_PAIRS pairs that differ */
} temper_paired_test;

#define TEMPER_WILCOXON_EXACT_PAIRS 50

/* Numbers must be finite. Pairs that do not differ tell Wilcoxon's test nothing; ties share their
 * ranks. If no pair differs, both p are 1. */
TEMPER_API temper_status temper_paired_compare(const double *first, const double *second, size_t count,
                                               temper_paired_test *paired, temper_error *error);

/* Mean, and standard deviation with count - 1: NAN for none, or one. */
TEMPER_API double temper_mean(const double *values, size_t count);
TEMPER_API double temper_standard_deviation(const double *values, size_t count);

/* ---- Tuning ---------------------------------------------------------------------------------- */

#define TEMPER_CONFIDENCE_BANDS 7 /* of confidence, by rank: [0, .1) [.1, .2) [.2, .4) .. [.8, .9) [.9, 1] */

/* One setting of the grid, and what is known of it from rows that its models have not seen. Shares
 * are of weights, and errors against labels as given, which may be wrong. NAN: not known. */
typedef struct temper_tune_candidate {
    temper_loss_spec loss; /* resolved */
    double l2;
    int stage; /* 0: not fitted; 1: on two halves only, hopeless or interrupted; 2: on all folds */
    /* From all folds; from the halves at stage 1. */
    double accuracy, accuracy_error; /* and its standard error */
    double log_loss;                 /* of calibrated probabilities */
    double bounded_loss;             /* the same, Brier's: the square of 1 - p for two classes */
    double trusted;                  /* accuracy on the trusted rows; mean over the fold models */
    /* From two models fitted on disjoint halves, each applied to the other half. */
    double half_accuracy;
    double agreement;                           /* D: share of rows on which the two agree */
    double balance;                             /* B: least predicted over labelled share of a class */
    double band_error[TEMPER_CONFIDENCE_BANDS]; /* E: error by confidence */
    double top_error;                           /* T: error of the fifth of the rows it is surest of */
    double top_ratio;                           /* CCR: that over the error of all */
    double undecided;                           /* V: share of rows with a tenth of the median confidence */
    double code_length;                         /* H: nats a row for the given labels, told the predictions */
} temper_tune_candidate;

/* Where a tuning is. */
typedef struct temper_tune_progress {
    const char *phase; /* "halves", "folds", "check", "final fit", "ask" */
    size_t done, all;  /* fits of this tuning, so far and as far as is known */
    double seconds;    /* since the call */
    double left;       /* seconds, by the fits so far; NAN: not known */
} temper_tune_progress;

/* Called now and then, by one thread at a time. Not 0: stop; what is done is in the checkpoint. */
typedef int temper_tune_progress_fn(void *context, const temper_tune_progress *progress);

/* Always begin with temper_tune_defaults(). */
typedef struct temper_tune_options {
    /* NULL or "default"; "paper"; or lists: "t1=0.1,0.5,0.9 t2=1.12,1.5 l2=1e-5..1e-1:5". A range
     * FROM..TO:COUNT has equal steps, equal ratios for l2; "x" behind an l2 multiplies lambda_0:
     * 1e-3x..10x:5. "loss=logistic,hinge:0.1" for other methods, hinge with its kink rounded
     * over so much. (1, 1) and (0.1, 1.12) are added, unless the word "only" is there. */
    const char *grid;
    size_t folds; /* 10; 2: the halves are all */
    /* The fold of each row, from 0; NULL: they are drawn by the seed. Where they are given, the
     * halves are the even folds and the odd ones, so that rows of a fold stay together. */
    const uint32_t *fold;
    const char *criterion; /* NULL or "cv+c"; "accuracy", "log-loss", "bounded-loss" */
    const char *assume;    /* NULL; "structured": labels are wrong where x says so */
    /* Rows whose labels are right: they decide. Other rows than those of the data... */
    const temper_data *trusted; /* or NULL */
    /* ... or some of its own, by number from 0, with the numbers of their classes. */
    const unsigned long long *trusted_rows;
    const uint32_t *trusted_labels;
    size_t trusted_count;
    size_t ask; /* so many rows whose true labels would settle the choice; 0: none */
    /* Of these: scale, solver, precision, starts (of the final fit), no_intercept, tolerance,
     * max_iterations, seed and threads. Loss and l2 come from the grid. */
    temper_train_options train;
    const char *checkpoint;               /* a file to go on from; NULL: none */
    int resume;                           /* go on from the checkpoint if there is one */
    temper_tune_progress_fn *on_progress; /* or NULL */
    void *progress_context;
} temper_tune_options;

TEMPER_API temper_tune_options temper_tune_defaults(void);

typedef struct temper_tune_report {
    temper_tune_candidate *table; /* by loss, then by falling l2 */
    size_t count;
    size_t best;        /* its number */
    size_t by_accuracy; /* the number of the one with the highest accuracy */
    /* What decided: "accuracy", "code-length" (step 1 of CV+C), "undecided" (step 2), "reference"
     * (step 3), "trusted", "log-loss", "bounded-loss". */
    const char *decided_by;
    char reason[512]; /* the same as a sentence */
    size_t folds;
    uint32_t *fold;    /* of each row, drawn or given */
    double default_l2; /* lambda_0 */
    /* How sure it is: the accuracy of the best less that of the best logistic regression in the
     * table, and the standard error of that difference; NAN without one. */
    double gain, gain_error;
    int refitted;            /* 1: the final fit began at the mean of the fold models, as it had gone astray */
    unsigned long long *ask; /* rows to label, from 0, the most telling first */
    uint32_t *ask_label;     /* the numbers of the classes that they have now */
    size_t ask_count;
    int interrupted;              /* 1: the table is incomplete, and there is no model */
    int resumed;                  /* 1: went on from a checkpoint */
    temper_train_report training; /* of the final fit */
    double seconds;
    char notes[1024];    /* what was assumed or left out, a sentence a line */
    char warnings[4096]; /* what the user should know, a sentence a line, those of training too */
} temper_tune_report;

/* Chooses temperatures and l2 by cross-validation, and fits the final model (`model` may be NULL:
 * none is fitted). *model and *report are untouched on failure. After an interruption it is a
 * success with report->interrupted, and *model is NULL. */
TEMPER_API temper_status temper_tune(const temper_data *data, const temper_tune_options *options, temper_model **model,
                                     temper_tune_report *report, temper_error *error);
/* Frees what it points to, not the report itself. */
TEMPER_API void temper_tune_report_free(temper_tune_report *report);

/* ---- Auditing -------------------------------------------------------------------------------- */

/* What an audit makes of one row. */
typedef struct temper_audit_suspect {
    unsigned long long row;    /* from 0 */
    unsigned long long line;   /* of the file; 0: it has no lines */
    uint32_t given, suggested; /* classes; `suggested` is the likeliest other than `given` */
    /* Kind "label": the probability that the given label is wrong. Kind "row": how far the row lies
     * from its neighbours, in robust standard deviations of the logarithm. */
    double score;
    double probability; /* of the suggested class; all from models that have not seen the row */
    double margin;      /* activation of the given class less the largest other */
    double distance;    /* to its neighbours, that of the median row being 1 */
    double importance;  /* p^(t2 - t1), p being what the model thinks of the given label */
    int conflict;       /* 1: a row with the same features has another label */
    /* Two classes, kind "label": the score if the share of wrong labels is at the lower or upper
     * end of the range that has it with a probability of 90 %, given the model; else NAN. */
    double low, high;
    unsigned long long file_row; /* from 0: `row`, but that other classes of the file count too */
} temper_audit_suspect;

/* Always begin with temper_audit_defaults(). */
typedef struct temper_audit_options {
    const char *kind; /* NULL or "label": wrong labels first; "row": misplaced rows first */
    size_t folds;     /* 5 */
    int choose;       /* 1: temperatures and l2 by CV+C; 0: those of `train` */
    const char *grid; /* to choose from, as temper_tune_options has it; NULL: a small one */
    /* Of these: loss and l2 unless they are chosen, scale, solver, precision, no_intercept,
     * tolerance (NAN: 1e-2 for two classes, 1e-3 for more; a ranking needs no less),
     * max_iterations, seed and threads. */
    temper_train_options train;
    temper_tune_progress_fn *on_progress; /* or NULL; not 0 stops: TEMPER_INTERRUPTED */
    void *progress_context;
} temper_audit_options;

TEMPER_API temper_audit_options temper_audit_defaults(void);

typedef struct temper_audit_report {
    temper_audit_suspect *suspects; /* all rows, the most suspicious first */
    unsigned long long rows;
    size_t classes;
    int by_row;                   /* 1: kind "row" */
    unsigned long long supported; /* so many of them the evidence supports */
    double wrong;                 /* wrong labels, as far as can be told: the sum of probabilities */
    /* Expected rows by [true class * classes + given class]; NULL with more than 256 classes. */
    double *transition;
    int in_pairs;                 /* 1: wrong labels keep to pairs of classes; 0: they look evenly spread */
    unsigned long long conflicts; /* rows that have one */
    temper_loss_spec loss;        /* resolved */
    double l2, accuracy;          /* out of fold, against the labels as given */
    size_t folds;
    double seconds;
    char notes[1024];             /* what was assumed, a sentence a line */
    char warnings[2048];          /* what the user should know, a sentence a line */
    double wrong_low, wrong_high; /* two classes: the range of `wrong`; else NAN */
} temper_audit_report;

/* Which labels look wrong. `scores` has room for one number a row (of all processes), or is NULL:
 * the score of each, in the order of the rows. Outputs are untouched on failure. */
TEMPER_API temper_status temper_audit(const temper_data *data, const temper_audit_options *options, double *scores,
                                      temper_audit_report *report, temper_error *error);
/* Frees what it points to, not the report itself. */
TEMPER_API void temper_audit_report_free(temper_audit_report *report);

/* The share of wrong labels to expect among the first `count` suspects; NAN for none, or kind
 * "row". */
TEMPER_API double temper_audit_precision(const temper_audit_report *report, unsigned long long count);
/* Its range; NAN with more than two classes, too. */
TEMPER_API void temper_audit_precision_range(const temper_audit_report *report, unsigned long long count, double *low,
                                             double *high);

/* The data without the first `count` suspects ("drop"), with their suggested labels ("relabel"), or
 * with their weights multiplied by their importance ("weight"). May borrow the features of `data`:
 * free it first. */
TEMPER_API temper_status temper_audit_fix(const temper_data *data, const temper_audit_report *report,
                                          unsigned long long count, const char *how, temper_data **fixed,
                                          temper_error *error);

/* The same as a file. */
typedef struct temper_audit_fix_file {
    const char *how;    /* "drop", "relabel" or "weight" */
    const char *path;   /* appears whole or not at all */
    const char *format; /* NULL: by the extension */
    /* Filled by temper_audit_fix_write: */
    int copied;       /* 1: the file has the bytes of the one that was read, but for the fixes */
    char weights[64]; /* "weight": the column to give as temper_read_options.weights; else "" */
} temper_audit_fix_file;

/* Whether the name is one that can be written, and its format can hold the fixes. */
TEMPER_API temper_status temper_audit_fix_check(const temper_audit_fix_file *fixing, temper_error *error);
/* A text (CSV, TSV, libsvm) is copied line by line from the file that the data was read from, if
 * that is one file with its labels in it, can be read again, and has the format of the result: rows
 * are left out ("drop"), or their label ("relabel") or weight ("weight"; where there was none, a
 * last column `weight` is added) is another. All else becomes what temper_data_write makes of
 * temper_audit_fix. */
TEMPER_API temper_status temper_audit_fix_write(const temper_data *data, const temper_audit_report *report,
                                                unsigned long long count, temper_audit_fix_file *fixing,
                                                temper_error *error);

/* A page of HTML about the first `count` suspects: summary, margins, transition table, list, and
 * the pictures themselves where rows are pictures. To be freed by temper_free. */
TEMPER_API temper_status temper_audit_report_to_html(const temper_data *data, const temper_audit_report *report,
                                                     unsigned long long count, char **html, size_t *length,
                                                     temper_error *error);

/* ---- Pictures -------------------------------------------------------------------------------- */

/* Figure 1 of the paper for any temperatures. */
typedef struct temper_loss_figure {
    const double *temperatures; /* the curves of panels a (log_t) and b (exp_t) */
    size_t temperature_count;
    const temper_loss_spec *losses; /* the curves of panel c */
    size_t loss_count;
    double margin_from, margin_to; /* the horizontal axis of panel c */
    const char *panels;            /* "abc", or those wanted */
} temper_loss_figure;

/* The figure as SVG text, to be freed by temper_free. *svg is untouched on failure. */
TEMPER_API temper_status temper_plot_losses(const temper_loss_figure *figure, char **svg, size_t *length,
                                            temper_error *error);
TEMPER_API void temper_free(void *block);

/* The pictures below are SVG text too, without scripts, style sheets or anything from elsewhere.
 * Numbers must be finite. A title that is NULL becomes a plain one. */

/* Where a model parts two classes: weights . (x, y) + intercept = 0. */
typedef struct temper_boundary {
    const char *name;
    double weights[2], intercept;
} temper_boundary;

/* Rows of two features by their given class, and the boundaries of up to 6 models. */
typedef struct temper_boundary_figure {
    const char *title, *x_title, *y_title;
    const double *points;         /* count pairs x, y */
    const uint32_t *labels;       /* the class of each as given: 0 or 1 */
    const unsigned char *flipped; /* not 0: the given class is wrong; NULL: not known */
    size_t count;
    const char *class_names[2];
    const temper_boundary *boundaries;
    size_t boundary_count;
} temper_boundary_figure;

TEMPER_API temper_status temper_plot_boundary(const temper_boundary_figure *figure, char **svg, size_t *length,
                                              temper_error *error);

/* Rows by the margin of their given label, above 0 if the model agrees, and the loss over it. */
typedef struct temper_margin_figure {
    const char *title;
    const double *margins;
    const unsigned char *marked; /* not 0: rows to tell from the others; or NULL */
    size_t count;
    const char *names[2]; /* of the rows that are not marked, and of those that are */
    temper_loss_spec loss;
} temper_margin_figure;

TEMPER_API temper_status temper_plot_margins(const temper_margin_figure *figure, char **svg, size_t *length,
                                             temper_error *error);

/* Weights as the penalty falls, strong to weak; the strongest at the end are named. */
typedef struct temper_path_figure {
    const char *title;
    const double *l2;         /* each > 0, falling */
    size_t steps;             /* at least 2 */
    const double *weights;    /* [steps][count] */
    const char *const *names; /* of the weights; NULL: their numbers, from 1 */
    size_t count;
    const double *accuracy;      /* [steps], 0 to 1; or NULL */
    const double *test_accuracy; /* the same on other rows; or NULL */
} temper_path_figure;

TEMPER_API temper_status temper_plot_path(const temper_path_figure *figure, char **svg, size_t *length,
                                          temper_error *error);

/* Bars side by side: values[group][series]. At most 64 groups of 6 series. */
typedef struct temper_bar_figure {
    const char *title;
    const char *const *groups;
    size_t group_count;
    const char *const *series;
    size_t series_count;
    const double *values;
    int shares; /* 1: they are shares from 0 to 1, and shown as percentages */
} temper_bar_figure;

TEMPER_API temper_status temper_plot_bars(const temper_bar_figure *figure, char **svg, size_t *length,
                                          temper_error *error);

/* A table of numbers as a map: values[row][column], the darker the larger; NAN leaves a cell empty.
 * At most 128 rows and 128 columns. */
typedef struct temper_heatmap_figure {
    const char *title, *x_title, *y_title;
    const char *const *rows;
    size_t row_count;
    const char *const *columns;
    size_t column_count;
    const double *values;
    size_t marked; /* the number of a cell to mark; beyond the last: none */
    int shares;    /* 1: they are shares from 0 to 1, and shown as percentages */
} temper_heatmap_figure;

TEMPER_API temper_status temper_plot_heatmap(const temper_heatmap_figure *figure, char **svg, size_t *length,
                                             temper_error *error);

/* Lines through points, with error bars: values[series][point]. At most 8 series. */
typedef struct temper_line_figure {
    const char *title, *x_title, *y_title;
    const double *x; /* rising */
    size_t points;   /* at least 2 */
    const char *const *series;
    size_t series_count;
    const double *values; /* NAN: none there */
    const double *errors; /* [series][point], >= 0: half of the bar; or NULL */
} temper_line_figure;

TEMPER_API temper_status temper_plot_lines(const temper_line_figure *figure, char **svg, size_t *length,
                                           temper_error *error);

/* A part of a page. */
typedef enum temper_page_block_kind {
    TEMPER_PAGE_HEADING,   /* text */
    TEMPER_PAGE_PARAGRAPH, /* text */
    TEMPER_PAGE_COMMAND,   /* text as it is typed, line by line */
    TEMPER_PAGE_PICTURE,   /* text is SVG, from one of the calls here, and put in as it is */
    TEMPER_PAGE_TABLE      /* cells[rows][columns], the first row being its head */
} temper_page_block_kind;

/* In front of the text of a cell: it is shown in bold. */
#define TEMPER_PAGE_BOLD "\001"

typedef struct temper_page_block {
    temper_page_block_kind kind;
    const char *text; /* of a table: its caption, or NULL */
    const char *const *cells;
    size_t rows, columns;
} temper_page_block;

/* A page of HTML that needs nothing else, for light and dark screens. All texts are escaped but
 * pictures; two pictures in a row stand side by side where there is room. */
TEMPER_API temper_status temper_page_to_html(const char *title, const temper_page_block *blocks, size_t count,
                                             char **html, size_t *length, temper_error *error);

/* A report on a model, from labelled rows in any number of calls: begin, add..., end. */
typedef struct temper_model_report temper_model_report;
TEMPER_API temper_status temper_model_report_new(const temper_model *model, temper_model_report **reporter,
                                                 temper_error *error);
TEMPER_API temper_status temper_model_report_add(temper_model_report *reporter, const temper_data *data, size_t threads,
                                                 temper_error *error);
/* Names of files that the page tells, as the user gave them, or NULL, and rows that were left out
 * for missing values. The names are kept by the caller until the end. */
TEMPER_API void temper_model_report_set_source(temper_model_report *reporter, const char *model, const char *data,
                                               unsigned long long dropped);
/* Summary, margins with the loss, calibration, confusion and the strongest weights: a page of HTML,
 * or the pictures alone as one SVG. Frees the reporter, on failure too; `text` NULL: does only
 * that. */
TEMPER_API temper_status temper_model_report_finish(temper_model_report *reporter, int as_svg, char **text,
                                                    size_t *length, temper_error *error);

/* Saves bytes as a file, whole or not at all: a temporary file beside it, synced, then renamed. */
TEMPER_API temper_status temper_file_save(const char *path, const char *bytes, size_t length, temper_error *error);

/* The same, piece by piece. What cannot be written is refused by temper_file_open already, as far
 * as that can be known. After a failure the file can only be dropped. */
typedef struct temper_file temper_file;
TEMPER_API temper_status temper_file_open(const char *path, temper_file **file, temper_error *error);
TEMPER_API temper_status temper_file_write(temper_file *file, const char *bytes, size_t length, temper_error *error);
/* Both free it: the new file appears, or what was there before stays. */
TEMPER_API temper_status temper_file_commit(temper_file *file, temper_error *error);
TEMPER_API void temper_file_discard(temper_file *file);

/* The shortest decimal that reads back as the same number, whatever the locale; its length. */
#define TEMPER_NUMBER_LENGTH 32
TEMPER_API size_t temper_format_number(double number, char text[TEMPER_NUMBER_LENGTH]);

#ifdef __cplusplus
}
#endif

#endif
