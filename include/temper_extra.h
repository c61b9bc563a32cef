/* temper_extra: what goes beyond reading, training and predicting (temper.h, which is included, has that, and the rules
 * that hold in both headers): further data functions, noise, model export, plots and HTML pages, statistics, several
 * processes, remote workers, and the solvers of the paper.
 */
#ifndef TEMPER_EXTRA_H
#define TEMPER_EXTRA_H

#include "temper.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kernels in use: "avx512", "avx2", "neon", "wasm128" or "plain", chosen by the processor or by the environment
 * variable TEMPER_KERNEL. NULL if that names kernels which this machine cannot run. */
TEMPER_API const char *temper_kernel_name(void);

TEMPER_API const char *temper_status_text(temper_status status); /* "out of memory" */
TEMPER_API const char *temper_stop_text(temper_stop stop);

/* A text that a call returns, to be freed by temper_text_free. A '\0' follows its bytes, and is not counted. */
typedef struct temper_text {
    char *bytes;
    size_t length;
} temper_text;

/* Frees the bytes and sets both fields to 0; accepts NULL and a text of zeros. */
TEMPER_API void temper_text_free(temper_text *text);

/* Frees an array that a call has returned. */
TEMPER_API void temper_free(void *block);

/* ---- The tempered functions, continued --------------------------------------------------------------------------- */

/* The gradient of G_t at a: the escort of order t of the probabilities. */
TEMPER_API void temper_log_partition_gradient(const double *a, size_t n, double t, double *q);
TEMPER_API double temper_escort_normaliser(const double *p, size_t n, double t); /* Z = sum p_c^t */

/* The importance factor p_label^(t2 - t1), by which the gradient of a row is multiplied. */
TEMPER_API double temper_importance(const double *a, size_t n, size_t label, double t1, double t2);

/* The loss of two classes as a function of the margin m = c * a, with activations m/2, -m/2. At m = -infinity slope and
 * curvature are their limits. NaN for methods with rounds (temper_loss_has_rounds). */
TEMPER_API double temper_margin_loss(double margin, double t1, double t2, double *slope /* or NULL */,
                                     double *curvature /* or NULL */);
TEMPER_API double temper_margin_loss_of_spec(temper_loss_spec loss, double margin, double *slope /* or NULL */,
                                             double *curvature /* or NULL */);
/* The probability of the given label. */
TEMPER_API double temper_margin_probability(double margin, double t2);

/* Properties of the two-temperature loss at (t1, t2). */
typedef struct temper_loss_properties {
    int convex;        /* in the activations, for any number of classes */
    int extended;      /* convex only with the value +infinity allowed (t2 < 1 <= t1) */
    int quasi_convex;  /* always 1 for legal temperatures */
    int bounded;       /* by `bound` */
    double bound;      /* 1/(1 - t1), or +infinity */
    int smooth;        /* value and slope are finite everywhere, so that it can be trained */
    double inflection; /* margin below which the two-class loss is concave; -infinity if nowhere */
} temper_loss_properties;

TEMPER_API temper_loss_properties temper_loss_shape(double t1, double t2);
/* 1 if the loss is -log_t1 exp_t2 under any name: tempered, logistic, t-logistic, gce. */
TEMPER_API int temper_loss_is_two_temperature(temper_loss_spec loss);
/* 1 if the loss of a row depends on the other rows of its training, and so is no function of activations: trimmed
 * leaves rows out, forward estimates a matrix of label noise. */
TEMPER_API int temper_loss_has_rounds(temper_loss_spec loss);
/* The margin at which the curvature of the two-class loss changes its sign (appendix B): negative below, positive
 * above; -infinity where it does not (t1 >= t2), NaN for illegal temperatures. */
TEMPER_API double temper_inflection_margin(double t1, double t2);

/* The solvers of the paper and a bisection, for comparison with temper_log_partition. */

/* The course of an iterative solver. */
typedef struct temper_iterations {
    size_t updates; /* of the unknown; temper_log_partition_counted: until |sum p - 1| <= 1e-15 n */
    int converged;  /* 1 if the tolerance was reached */
} temper_iterations;

/* temper_log_partition and its number of updates of lambda. `iterations` may be NULL in all of these. */
TEMPER_API double temper_log_partition_counted(const double *a, size_t n, double t, temper_iterations *iterations);
/* Algorithm 1 (n classes) and 2 (activations a/2, -a/2): a fixed-point iteration, for t > 1 and a finite largest
 * activation, else NaN; ends when the relative change is at most `tolerance`, after at most `limit` updates. */
TEMPER_API double temper_log_partition_algorithm1(const double *a, size_t n, double t, double tolerance, size_t limit,
                                                  temper_iterations *iterations);
TEMPER_API double temper_log_partition_algorithm2(double a, double t, double tolerance, size_t limit,
                                                  temper_iterations *iterations);
/* Bisection down to neighbouring doubles, for every t >= 0. */
TEMPER_API double temper_log_partition_bisection(const double *a, size_t n, double t, temper_iterations *iterations);
/* Activations a/2, -a/2 in closed form: t = 0, 1/2, 2/3, 3/4, 1, 3/2, 2. NaN for other temperatures. */
TEMPER_API double temper_log_partition_closed_form(double a, double t);

/* ---- Several processes ------------------------------------------------------------------------------------------- */

/* Processes that share one training, each with rows of its own, connected by the two collective operations that MPI and
 * similar libraries have. All processes make the same calls in the same order. Both functions return 0, or another
 * value if the other processes cannot be reached. Results have the same bits for any number of processes. */
struct temper_comm {
    size_t rank, size; /* the number of this process, from 0, and how many there are */
    void *context;     /* first argument of the functions */
    /* All-gather: bytes[rank] bytes of each rank, concatenated in the order of the ranks, to all. */
    int (*gather)(void *context, const void *mine, const size_t *bytes, void *all);
    /* All-to-all: out_bytes[rank] bytes to each rank, concatenated in `out`, and in_bytes[rank] bytes from each,
     * concatenated in `in`. */
    int (*exchange)(void *context, const void *out, const size_t *out_bytes, void *in, const size_t *in_bytes);
};

/* ---- Data, continued --------------------------------------------------------------------------------------------- */

/* Reads a file so that its features are those of `like`, as needed for validation rows: columns are matched by name,
 * categories become the same features, missing values are filled in the same way. */
TEMPER_API temper_status temper_data_read_like(const temper_data *like, const char *path,
                                               const temper_read_options *options, temper_data **data,
                                               temper_error *error);

/* A file that belongs to data, such as the list of changes of noisy data. */
typedef struct temper_attachment {
    const char *path;
    const char *bytes;
    size_t length;
} temper_attachment;

/* temper_data_write with a second file: both are written, or neither. */
TEMPER_API temper_status temper_data_write_with_attachment(const temper_data *data, const char *path,
                                                           const char *format, const temper_attachment *with,
                                                           temper_error *error);
/* The same for data that differs from `original` in its labels alone: a text file of the same format that `original`
 * was read from is copied byte for byte except for the labels. */
TEMPER_API temper_status temper_data_write_relabelled(const temper_data *original, const temper_data *relabelled,
                                                      const char *path, const char *format,
                                                      const temper_attachment *with, temper_error *error);

/* Rows of all processes together; with one process, temper_data_rows. */
TEMPER_API size_t temper_data_total_rows(const temper_data *data);
/* Rows of the file that were left out because of missing values ("drop"); of all processes. */
TEMPER_API size_t temper_data_dropped_rows(const temper_data *data);
TEMPER_API size_t temper_data_stored_values(const temper_data *data); /* rows * features of dense data */
TEMPER_API const char *temper_data_format(const temper_data *data);   /* "csv" and the like */

TEMPER_API temper_status temper_data_borrow_u8(const unsigned char *x, size_t rows, size_t columns, const int *labels,
                                               temper_data **data, temper_error *error);

/* Compressed sparse rows in the types of other programs, such as SciPy: each array states the size of its elements, 4
 * or 8 bytes. Starts and columns are non-negative integers, signed or not; values are floats or doubles. There are at
 * most 2^32 columns. */
typedef struct temper_csr_any {
    size_t rows, columns;
    const void *row_start; /* rows + 1 */
    const void *column;
    const void *value;
    size_t row_start_size, column_size, value_size;
} temper_csr_any;

TEMPER_API temper_status temper_data_borrow_csr_any(const temper_csr_any *x, const int *labels, temper_data **data,
                                                    temper_error *error);

/* How many columns of a kind a summary lists. */
#define TEMPER_SUMMARY_SHOWN 6

/* Columns without information: their number, and the first of them, counted from 1. */
typedef struct temper_column_list {
    size_t count;
    size_t column[TEMPER_SUMMARY_SHOWN];
    size_t same_as[TEMPER_SUMMARY_SHOWN]; /* duplicates: the first column equal to it */
} temper_column_list;

/* Statistics of data. */
typedef struct temper_data_summary {
    const char *storage;     /* "dense float32", "sparse float32" and the like */
    const char *compression; /* of the file: "gzip", "zstd", or NULL */
    size_t rows, features;
    size_t stored;                /* values: rows * features of dense data */
    size_t nonzeros;              /* values other than 0 */
    size_t bytes;                 /* of memory: features, labels, weights, line numbers */
    double low, high;             /* of all values; low > high if there are none */
    temper_column_list constant;  /* one value in all rows */
    temper_column_list duplicate; /* not constant, and equal to an earlier column */
    size_t missing_filled;        /* values */
    size_t missing_dropped;       /* rows */
    int weighted;                 /* 1: rows have weights, whose statistics are: */
    double weight_low, weight_high, weight_sum;
    size_t classes;     /* 0: no labels */
    size_t *class_rows; /* number of rows of each class */
} temper_data_summary;

/* One pass over all values; the result does not depend on the number of threads. */
TEMPER_API temper_status temper_data_summarise(const temper_data *data, size_t threads, temper_data_summary *summary,
                                               temper_error *error);
TEMPER_API void temper_data_summary_free(temper_data_summary *summary);

/* A scaled copy with parameters estimated from all rows: "none", "standard", "minmax", "maxabs", "log" or "pixels"
 * (divided by 255). With "none" it borrows the features of `data`, which must outlive it. */
TEMPER_API temper_status temper_data_scale(const temper_data *data, const char *scale, size_t threads,
                                           temper_data **scaled, temper_error *error);

/* A copy of some rows, counted from 0, in that order; a row may occur twice. The classes remain the same, also where
 * one has no row left. */
TEMPER_API temper_status temper_data_select_rows(const temper_data *data, const size_t *row, size_t count,
                                                 temper_data **selected, temper_error *error);

/* Two sets of the same features as one, the rows of `second` after those of `first`. Classes are matched by name;
 * missing weights are 1. */
TEMPER_API temper_status temper_data_concat(const temper_data *first, const temper_data *second, temper_data **joined,
                                            temper_error *error);

/* Begin with temper_split_defaults(). */
typedef struct temper_split_options {
    size_t struct_size; /* set by temper_split_defaults() */
    double share;       /* of rows for testing, above 0 and below 1: 0.25 */
    uint64_t seed;      /* 1; equal seeds give equal splits */
    int stratified;     /* 1: every class in the same shares; 0 */
} temper_split_options;

TEMPER_API temper_split_options temper_split_defaults(void);

/* Splits the rows at random into copies: round(share * rows) of them for testing, the others for training, each in
 * their original order. */
TEMPER_API temper_status temper_data_split(const temper_data *data, const temper_split_options *options,
                                           temper_data **train, temper_data **test, temper_error *error);

/* Noise added to labels or rows, as in section 7 of the paper. Begin with temper_noise_defaults(). */
typedef struct temper_noise_options {
    size_t struct_size;      /* set by temper_noise_defaults() */
    const char *kind;        /* "random" (NULL), "pair", "matrix", "small-margin", "large-margin" or "instance" */
    double rate;             /* share of all rows that change; unused by matrix */
    uint64_t seed;           /* equal seeds give equal changes; a higher rate adds to them */
    const char *map;         /* pair: "A=B,..."; NULL: each class becomes the next one */
    const char *matrix;      /* matrix: a CSV file of C lines of C probabilities */
    const temper_data *pool; /* instance: rows of classes that the data does not have; or NULL */
    double rank_l2;          /* margins: lambda of the logistic regression that ranks the rows */
    const char *rank_scale;  /* margins: its scaling; NULL: as in training */
    size_t threads;          /* margins: 0 for as many as the machine runs at once */
} temper_noise_options;

TEMPER_API temper_noise_options temper_noise_defaults(void);

/* A changed row, counted from 1. */
typedef struct temper_noise_change {
    size_t row;
    size_t was, is; /* its class before and after; equal for instance noise */
    size_t from;    /* instance: the row of the pool, or else of the data, that its features come from; 0 for others */
} temper_noise_change;

/* The noisy data, which may borrow the features of `data`: free it first. *changes, in the order of their rows, is
 * freed by temper_free. */
TEMPER_API temper_status temper_data_add_noise(const temper_data *data, const temper_noise_options *options,
                                               temper_data **noisy, temper_noise_change **changes, size_t *count,
                                               temper_error *error);

/* Calls `call` with every file that a path stands for: those of a list ("@list.txt"), of a folder or of a pattern, or
 * the path itself. Ends where it returns other than 0. */
typedef int temper_file_fn(void *context, const char *path);
TEMPER_API temper_status temper_data_each_file(const char *path, temper_file_fn *call, void *context,
                                               temper_error *error);

/* ---- Models and prediction, continued ---------------------------------------------------------------------------- */

/* The bytes of a model file, and a model from them. */
TEMPER_API temper_status temper_model_to_text(const temper_model *model, temper_text *text, temper_error *error);
TEMPER_API temper_status temper_model_from_text(const char *text, size_t length, temper_model **model,
                                                temper_error *error);
/* "c" or "onnx"; NULL: inferred from the extension. */
TEMPER_API temper_status temper_model_export(const temper_model *model, const char *path, const char *format,
                                             temper_error *error);

TEMPER_API const char *temper_model_feature_name(const temper_model *model, size_t column); /* or NULL */
TEMPER_API temper_loss_spec temper_model_loss(const temper_model *model);
TEMPER_API double temper_model_l2(const temper_model *model);

/* Replaces one vector of weights, in units of the unscaled features, and its intercept; both must be finite. The
 * model's calibration, and the record of its training, stay those of the trained weights. */
TEMPER_API temper_status temper_model_set_weights(temper_model *model, size_t vector, const double *weights,
                                                  double intercept, temper_error *error);
/* Within a temper_train_progress_fn: the model as it would be if training ended now, not calibrated. The record of its
 * training has no fingerprint of the data. To be freed by temper_model_free. */
TEMPER_API temper_status temper_train_progress_model(const temper_train_progress *progress, temper_model **model,
                                                     temper_error *error);

/* The record of a model's training. */
typedef struct temper_model_summary {
    const char *method, *scale, *solver, *stop, *init, *precision, *fingerprint;
    double t1, t2, smoothing, l2, tolerance;
    double objective, train_loss, gradient, accuracy;
    size_t rows, iterations, evaluations;
    uint64_t seed;
    size_t nonzeros; /* weights other than 0 */
    double weight_norm;
    int intercept;
    /* As in temper_train_report; order 0: not calibrated. */
    double calibration_order, calibration_floor;
    size_t calibration_rows, calibration_folds;
    double noise_rate; /* share of wrong labels by estimate_noise; NAN: not estimated */
} temper_model_summary;

TEMPER_API void temper_model_summarise(const temper_model *model, temper_model_summary *summary);

/* The importance factor p^(t2 - t1) of the given label of each row, p being its probability by the model. out[rows];
 * for the two-temperature losses (temper_loss_is_two_temperature), and labels that the model knows. */
TEMPER_API temper_status temper_predict_importance(const temper_model *model, const temper_data *data, size_t threads,
                                                   double *out, temper_error *error);

/* ---- Auditing, continued ----------------------------------------------------------------------------------------- */

/* The expected share of wrong labels among the first `count` suspects; NAN for none, or kind "row". */
TEMPER_API double temper_audit_precision(const temper_audit_report *report, size_t count);
/* Its 90 % interval; NAN with more than two classes, too. */
TEMPER_API void temper_audit_precision_range(const temper_audit_report *report, size_t count, double *low,
                                             double *high);

/* Reads out[rows * classes] for temper_audit_options.probabilities from CSV, TSV or NPY: a column for each class, by
 * its name in the first line; without names (*named, or NULL, becomes 0) in ascending order, as scikit-learn has them.
 */
TEMPER_API temper_status temper_audit_read_probabilities(const char *path, const temper_data *data, double *out,
                                                         int *named, temper_error *error);

/* The data without the first `count` suspects ("drop"), with their suggested labels ("relabel"), or with their weights
 * multiplied ("weight"): by their importance, or by 1 - score where that is not below 1, as for t1 = t2 = 1. May borrow
 * the features of `data`: free it first. */
TEMPER_API temper_status temper_audit_fix(const temper_data *data, const temper_audit_report *report, size_t count,
                                          const char *how, temper_data **fixed, temper_error *error);

/* The same as a file. */
typedef struct temper_audit_fix_file {
    const char *how;    /* "drop", "relabel" or "weight" */
    const char *path;   /* written completely or not at all */
    const char *format; /* NULL: by the extension */
    /* Results of temper_audit_fix_write: */
    int copied;       /* 1: the file has the bytes of the one that was read, except for the fixes */
    char weights[64]; /* "weight": the column to pass as temper_read_options.weights; else "" */
} temper_audit_fix_file;

/* Whether the path can be written, and its format can hold the fixes. */
TEMPER_API temper_status temper_audit_fix_check(const temper_audit_fix_file *file, temper_error *error);
/* A text file (CSV, TSV, libsvm) is copied line by line from the file that the data was read from, if that is one file
 * that contains its labels, can be read again, and has the format of the result: rows are left out ("drop"), or their
 * label ("relabel") or weight ("weight"; where there was none, a last column `weight` is added) is replaced. Anything
 * else is written by temper_data_write from the result of temper_audit_fix. */
TEMPER_API temper_status temper_audit_fix_write(const temper_data *data, const temper_audit_report *report,
                                                size_t count, temper_audit_fix_file *file, temper_error *error);

/* What a file of corrections decides. */
typedef struct temper_corrections {
    size_t rows;    /* decisions */
    size_t changed; /* labels that were replaced: wrong, or of another class */
    size_t right;   /* labels that were confirmed */
    size_t unsure;  /* rows that stay as they are */
} temper_corrections;

/* Writes the data with the labels that a person has decided on a review page (temper_audit_report_to_html), whose file
 * `corrections` is a CSV table with the columns row (from 1), line (may be empty), given, decision (right, wrong,
 * unsure or other) and label. As temper_audit_fix_write does it, of which `how` is not used. Every line is checked
 * against the data first: on any contradiction nothing is written. */
TEMPER_API temper_status temper_audit_apply(const temper_data *data, const char *corrections,
                                            temper_audit_fix_file *file, temper_corrections *summary,
                                            temper_error *error);

/* An HTML page on which a person reviews the first `count` suspects, at most 10,000: summary, margins and transition
 * table; for each row its values, the features that speak for and against its label, its nearest rows, and an image
 * where rows are images (bytes; IDX, CIFAR, or as many columns as a square has). Decisions are exported for
 * temper_audit_apply. Labels are explained by one model fitted to all rows with the loss and penalty of the report, and
 * `train` of the options of the audit; NULL: the defaults. */
TEMPER_API temper_status temper_audit_page(const temper_data *data, const temper_audit_report *report, size_t count,
                                           const temper_audit_options *options, temper_text *html, temper_error *error);
/* The same with the default options. */
TEMPER_API temper_status temper_audit_report_to_html(const temper_data *data, const temper_audit_report *report,
                                                     size_t count, temper_text *html, temper_error *error);
/* The same review of the rows that a tuning asks about (report->ask), by the model of the tuning, as a section of HTML
 * with its script. `output` is the name of the exported file: row, given, label. */
TEMPER_API temper_status temper_tune_ask_section(const temper_data *data, const temper_model *model,
                                                 const temper_tune_report *report, const char *output,
                                                 temper_text *section, temper_error *error);

/* The health of the data set as one line of JSON (docs/audit.md), for an audit with options.health. */
TEMPER_API temper_status temper_audit_health_to_json(const temper_data *data, const temper_audit_report *report,
                                                     temper_text *json, temper_error *error);

/* ---- Several annotators ------------------------------------------------------------------------------------------ */

/* Labels of several annotators for the same items: votes. Items and annotators have names, or numbers from 1. */
typedef struct temper_votes temper_votes;

/* Begin with temper_votes_defaults(). */
typedef struct temper_votes_options {
    size_t struct_size;  /* set by temper_votes_defaults() */
    const char *layout;  /* "long": a line has item, annotator and label; "wide": a line has an item, and each annotator
                          * a column, in which an empty cell is no vote; NULL or "auto": inferred */
    const char *columns; /* long: "ITEM,ANNOTATOR,LABEL"; wide: the column that names the items, or "none"; by name, or
                          * number from 1; NULL: inferred */
    const char *header;  /* "yes", "no"; NULL or "auto": inferred */
    const char *format;  /* "csv", "tsv"; NULL: inferred */
} temper_votes_options;

TEMPER_API temper_votes_options temper_votes_defaults(void);

/* Reads a table of votes, "-" being the standard input; gzip and zstd are decompressed. */
TEMPER_API temper_status temper_votes_read(const char *path, const temper_votes_options *options, temper_votes **votes,
                                           temper_error *error);

/* Vote i is label[i] by annotator[i] for item[i], each a number from 0. */
typedef struct temper_vote_arrays {
    size_t count;
    const uint32_t *item, *annotator, *label;
    size_t items, annotators, classes;
} temper_vote_arrays;

TEMPER_API temper_status temper_votes_from_arrays(const temper_vote_arrays *arrays, temper_votes **votes,
                                                  temper_error *error);
TEMPER_API void temper_votes_free(temper_votes *votes);

/* Makes item i row i of the data, for the calls below. Items are numbers of rows, from 1, or, with `id`, texts of that
 * column of the table that the data was read from. Rows may have no votes; an item that is no row is refused. On
 * failure the votes are unchanged. */
TEMPER_API temper_status temper_votes_match(temper_votes *votes, const temper_data *data, const char *id,
                                            temper_error *error);

TEMPER_API size_t temper_votes_count(const temper_votes *votes); /* without exact repetitions */
TEMPER_API size_t temper_votes_items(const temper_votes *votes);
TEMPER_API size_t temper_votes_annotators(const temper_votes *votes);
TEMPER_API size_t temper_votes_classes(const temper_votes *votes);
TEMPER_API const char *temper_votes_item_name(const temper_votes *votes, size_t item); /* NULL: a number */
TEMPER_API const char *temper_votes_annotator_name(const temper_votes *votes, size_t annotator);
TEMPER_API const char *temper_votes_class_name(const temper_votes *votes, size_t class_number);
TEMPER_API const char *temper_votes_notes(const temper_votes *votes); /* sentences, one a line */

/* Class probabilities of another model as temper_consensus takes them: from the columns of `table`, which has a row for
 * each item. Columns are matched with the classes by name, or by position if they have no names. */
TEMPER_API temper_status temper_votes_probabilities(const temper_votes *votes, const temper_data *table,
                                                    double *probabilities, temper_error *error);

/* 1 if the first line of a table has the names of all classes, as that of 'temper predict --proba' has: to be read with
 * a header, even if the names are numbers. */
TEMPER_API int temper_votes_names_columns(const temper_votes *votes, const char *path);

/* Begin with temper_consensus_defaults(). */
typedef struct temper_consensus_options {
    size_t struct_size; /* set by temper_consensus_defaults() */
    /* NULL or "dawid-skene": a confusion matrix for each annotator, as far as its labels suffice; "one-coin": an
     * ability for each; "majority": most votes, all annotators alike. */
    const char *method;
    /* Features of the items, row i being item i: models that are fitted to the consensus of other rows become one more
     * source of evidence, whose sharpness is estimated. NULL: votes alone. */
    const temper_data *data;
    /* The same from any other model: [item * classes + class], at best out of fold. NULL: none. */
    const double *probabilities;
    size_t folds;                         /* of the models: 5 */
    size_t rounds;                        /* of models and consensus: 3 */
    uint64_t seed;                        /* of the folds: 1 */
    size_t threads;                       /* 0: as many as the machine runs at once */
    temper_tune_progress_fn *on_progress; /* or NULL; a result other than 0 stops: TEMPER_INTERRUPTED */
    void *progress_context;
} temper_consensus_options;

TEMPER_API temper_consensus_options temper_consensus_defaults(void);

#define TEMPER_NO_LABEL UINT32_MAX

/* The consensus on an item. */
typedef struct temper_item_consensus {
    uint32_t label;     /* the most probable class; TEMPER_NO_LABEL: neither votes nor a model */
    size_t votes;       /* labels that it has got */
    double probability; /* of the label; majority: the share of the votes */
    double agreement;   /* share of its votes that are the label; NAN without votes */
    double entropy;     /* of the class probabilities, nats */
    double gain;        /* by how much one more vote, of an average annotator, is expected to raise the probability of
                         * the most probable class */
} temper_item_consensus;

/* Flags of an annotator with at least TEMPER_ANNOTATOR_FEWEST labels. */
enum {
    TEMPER_ANNOTATOR_FEWEST = 10,
    TEMPER_ANNOTATOR_RANDOM = 1,   /* its labels hardly depend on the class */
    TEMPER_ANNOTATOR_INVERTED = 2, /* it is wrong more often than by chance */
    TEMPER_ANNOTATOR_CONSTANT = 4  /* it nearly always gives the same label, and its items differ */
};

typedef struct temper_annotator_summary {
    size_t labels;
    double accuracy;                  /* estimated share of right labels, on the items that it has labelled */
    double low, high;                 /* its 90 % interval */
    double chance;                    /* the accuracy of such labels if they did not depend on the class */
    double agreement;                 /* share of its labels that are the consensus; NAN without labels */
    uint32_t confused, confused_with; /* the true class and the label of its most frequent kind of mistake, */
    double confused_labels;           /* and how many labels that are expected to be */
    unsigned flags;
} temper_annotator_summary;

typedef struct temper_consensus_report {
    size_t items, annotators, classes;
    temper_item_consensus *item;
    double *posterior; /* [item * classes + class] */
    temper_annotator_summary *annotator;
    /* [(annotator * classes + true class) * classes + label]: probabilities; NULL if that were more than 2^25. */
    double *confusion;
    double *shares;         /* of the classes, estimated */
    size_t *again;          /* all items, those to label again first: by gain, then by entropy */
    size_t suggested_again; /* how many of them: as many as the consensus has wrong labels, by expectation */
    double wrong;           /* that expectation; NAN for majority */
    double strength;        /* labels for each class by which the prior of a matrix counts; INFINITY: abilities alone */
    double likelihood;      /* log posterior of EM, nats; NAN for majority */
    size_t iterations;
    double sharpness;       /* exponent of the model's probabilities; NAN without a model */
    double model_agreement; /* share of the items with votes whose consensus is the model's class; NAN without */
    size_t rounds;          /* of models that were fitted */
    double seconds;
    char notes[1024]; /* assumptions, a sentence a line */
} temper_consensus_report;

TEMPER_API temper_status temper_consensus(const temper_votes *votes, const temper_consensus_options *options,
                                          temper_consensus_report *report, temper_error *error);
/* Frees the arrays of the report, not the report itself. */
TEMPER_API void temper_consensus_report_free(temper_consensus_report *report);

/* The rows of the data that have votes, with the consensus as their labels. */
TEMPER_API temper_status temper_consensus_label(const temper_data *data, const temper_votes *votes,
                                                const temper_consensus_report *report, temper_data **labelled,
                                                temper_error *error);

/* ---- Statistics -------------------------------------------------------------------------------------------------- */

/* Two methods on the same splits: is their difference significant? */
typedef struct temper_paired_test {
    size_t count;           /* pairs */
    double mean, deviation; /* of first - second; the deviation with count - 1, NAN for one pair */
    double t;               /* statistic of Student's paired test */
    double t_p;             /* its two-sided p; NAN with fewer than two pairs */
    double w;               /* Wilcoxon's statistic: the smaller of the two sums of signed ranks */
    double w_p;             /* its two-sided p: exact up to TEMPER_WILCOXON_EXACT_PAIRS pairs that differ */
} temper_paired_test;

#define TEMPER_WILCOXON_EXACT_PAIRS 50

/* Numbers must be finite. Wilcoxon's test ignores pairs that do not differ; ties share their ranks. If no pair differs,
 * both p are 1. */
TEMPER_API temper_status temper_paired_compare(const double *first, const double *second, size_t count,
                                               temper_paired_test *paired, temper_error *error);

/* Mean, and standard deviation with count - 1: NAN for no values, or one. */
TEMPER_API double temper_mean(const double *values, size_t count);
TEMPER_API double temper_standard_deviation(const double *values, size_t count);

/* ---- Remote workers ---------------------------------------------------------------------------------------------- */

/* Training on rows that the workers of an engine such as Dask or Spark hold, one shard each. The optimiser runs in the
 * caller and requests losses and gradients from the shards. Only bytes and arrays of doubles are exchanged, and the
 * engine transports them. In order (docs/scale.md has an example):
 *
 *   each worker     temper_shard_stats: statistics of its rows
 *   the caller      temper_shard_plan_new, from all statistics: common classes, scaling and penalty
 *   each worker     temper_shard_borrow, with the plan
 *   the caller      temper_train_shards, which repeatedly requests loss and gradient at W
 *     each worker   temper_shard_reply
 *     the caller    temper_shard_sum of the replies, returned to the optimiser
 *
 * The same shards in the same order give the same bits, in whatever order the replies arrive. Other partitions of the
 * rows give the same model except for rounding. */

/* Bytes that were produced by this version on a machine of the same kind, in this or another process. */
typedef struct temper_bytes {
    const char *bytes;
    size_t length;
} temper_bytes;

/* Statistics of labelled rows: counts, classes, moments of the columns. */
TEMPER_API temper_status temper_shard_stats(const temper_data *data, size_t threads, temper_text *stats,
                                            temper_error *error);

typedef struct temper_shard_plan temper_shard_plan;

/* From the statistics of all shards. Of the options it uses loss, l2, scale (but "log"), precision, no_intercept, and
 * the tolerance if the precision depends on it. Shards with different columns are refused. */
TEMPER_API temper_status temper_shard_plan_new(const temper_bytes *stats, size_t count,
                                               const temper_train_options *options, temper_shard_plan **plan,
                                               temper_error *error);
TEMPER_API void temper_shard_plan_free(temper_shard_plan *plan);
/* The plan as bytes, for transport to the workers, and back. */
TEMPER_API temper_status temper_shard_plan_to_text(const temper_shard_plan *plan, temper_text *text,
                                                   temper_error *error);
TEMPER_API temper_status temper_shard_plan_from_text(const char *text, size_t length, temper_shard_plan **plan,
                                                     temper_error *error);

/* How many numbers W has: w[feature * vectors + k] for scaled features, with 1 vector for two classes and one for each
 * class otherwise, followed by the intercepts, unless there are none. */
TEMPER_API size_t temper_shard_plan_weight_count(const temper_shard_plan *plan);
/* The penalty in use: that of the options, or the default lambda_0. */
TEMPER_API double temper_shard_plan_l2(const temper_shard_plan *plan);

/* Kinds of requests. Replies add up: each is the contribution of the shard to a weighted mean over the rows of all,
 * without the penalty. */
typedef enum temper_shard_request_kind {
    TEMPER_SHARD_GRADIENT, /* at w: the loss, the accuracy, and the gradient of the loss (as many numbers as w has) */
    TEMPER_SHARD_SQUARED_NORM, /* one number: the mean square of the activations at w */
} temper_shard_request_kind;

typedef struct temper_shard_request {
    temper_shard_request_kind kind;
    temper_loss_spec loss; /* resolved; the phases of a hinge training have different smoothing */
} temper_shard_request;

/* How many numbers the reply has. */
TEMPER_API size_t temper_shard_reply_length(const temper_shard_plan *plan, temper_shard_request_kind kind);

/* Rows that serve requests, one at a time. Borrows both data and plan. */
typedef struct temper_shard temper_shard;
TEMPER_API temper_status temper_shard_borrow(const temper_data *data, const temper_shard_plan *plan, size_t threads,
                                             temper_shard **shard, temper_error *error);
TEMPER_API void temper_shard_free(temper_shard *shard);
TEMPER_API temper_status temper_shard_reply(temper_shard *shard, const temper_shard_request *request, const double *w,
                                            double *reply, temper_error *error);

/* The sum of the replies in the order of the shards, as a binary tree: pairs, pairs of pairs and so on. `sum` must be
 * none of them. */
TEMPER_API void temper_shard_sum(const double *const *replies, size_t count, size_t length, double *sum);

/* Sends a request to all shards and adds their replies. */
typedef struct temper_shard_engine {
    void *context;
    /* Fills sum. Any result but TEMPER_OK ends the training, which fails with it and the error. */
    temper_status (*request)(void *context, const temper_shard_request *request, const double *w, double *sum,
                             temper_error *error);
} temper_shard_engine;

/* Fits a model to the rows of all shards by L-BFGS. Options that the plan has fixed are ignored; otherwise as
 * temper_train, without the warnings that need the rows. */
TEMPER_API temper_status temper_train_shards(const temper_shard_plan *plan, const temper_shard_engine *engine,
                                             const temper_train_options *options, temper_model **model,
                                             temper_train_report *report, temper_error *error);

/* ---- Plots ------------------------------------------------------------------------------------------------------- */

/* Figures are SVG texts without scripts, style sheets or references to other files. Numbers must be finite. A title
 * that is NULL gets a default. */

/* Figure 1 of the paper for any temperatures. */
typedef struct temper_loss_figure {
    const double *temperatures; /* the curves of panels a (log_t) and b (exp_t) */
    size_t temperature_count;
    const temper_loss_spec *losses; /* the curves of panel c */
    size_t loss_count;
    double margin_from, margin_to; /* the horizontal axis of panel c */
    const char *panels;            /* "abc", or some of them */
} temper_loss_figure;

TEMPER_API temper_status temper_plot_losses(const temper_loss_figure *figure, temper_text *svg, temper_error *error);

/* The decision boundary of a model of two features: weights . (x, y) + intercept = 0. */
typedef struct temper_boundary {
    const char *name;
    double weights[2], intercept;
} temper_boundary;

/* Rows of two features by their given class, and the boundaries of up to 6 models. */
typedef struct temper_boundary_figure {
    const char *title, *x_title, *y_title;
    const double *points;         /* count pairs x, y */
    const uint32_t *labels;       /* the given class of each: 0 or 1 */
    const unsigned char *flipped; /* not 0: the given class is wrong; NULL: unknown */
    size_t count;
    const char *class_names[2];
    const temper_boundary *boundaries;
    size_t boundary_count;
} temper_boundary_figure;

TEMPER_API temper_status temper_plot_boundary(const temper_boundary_figure *figure, temper_text *svg,
                                              temper_error *error);

/* Histogram of the margins of the given labels, above 0 where the model agrees, and the loss over the margin. */
typedef struct temper_margin_figure {
    const char *title;
    const double *margins;
    const unsigned char *marked; /* not 0: rows of a second series; or NULL */
    size_t count;
    const char *names[2]; /* of the rows that are not marked, and of those that are */
    temper_loss_spec loss;
} temper_margin_figure;

TEMPER_API temper_status temper_plot_margins(const temper_margin_figure *figure, temper_text *svg, temper_error *error);

/* Weights along a falling penalty; the largest at the end are named. */
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

TEMPER_API temper_status temper_plot_path(const temper_path_figure *figure, temper_text *svg, temper_error *error);

/* Grouped bars: values[group][series]. At most 64 groups of 6 series. */
typedef struct temper_bar_figure {
    const char *title;
    const char *const *groups;
    size_t group_count;
    const char *const *series;
    size_t series_count;
    const double *values;
    int shares; /* 1: values are shares from 0 to 1, shown as percentages */
} temper_bar_figure;

TEMPER_API temper_status temper_plot_bars(const temper_bar_figure *figure, temper_text *svg, temper_error *error);

/* A heat map: values[row][column], darker for larger ones; NAN leaves a cell empty. At most 128 rows and columns. */
typedef struct temper_heatmap_figure {
    const char *title, *x_title, *y_title;
    const char *const *rows;
    size_t row_count;
    const char *const *columns;
    size_t column_count;
    const double *values;
    size_t marked; /* the number of a cell to mark; beyond the last: none */
    int shares;    /* 1: values are shares from 0 to 1, shown as percentages */
} temper_heatmap_figure;

TEMPER_API temper_status temper_plot_heatmap(const temper_heatmap_figure *figure, temper_text *svg,
                                             temper_error *error);

/* Lines through points, with error bars: values[series][point]. At most 8 series. */
typedef struct temper_line_figure {
    const char *title, *x_title, *y_title;
    const double *x; /* ascending */
    size_t points;   /* at least 2 */
    const char *const *series;
    size_t series_count;
    const double *values; /* NAN: no point there */
    const double *errors; /* [series][point], >= 0: half of the bar; or NULL */
} temper_line_figure;

TEMPER_API temper_status temper_plot_lines(const temper_line_figure *figure, temper_text *svg, temper_error *error);

/* ---- HTML pages -------------------------------------------------------------------------------------------------- */

typedef enum temper_page_block_kind {
    TEMPER_PAGE_HEADING,   /* text */
    TEMPER_PAGE_PARAGRAPH, /* text */
    TEMPER_PAGE_COMMAND,   /* text as typed, line by line */
    TEMPER_PAGE_PICTURE,   /* text is SVG from one of the calls above, inserted unchanged */
    TEMPER_PAGE_TABLE      /* cells[rows][columns], the first row being its head */
} temper_page_block_kind;

/* Prefix of the text of a cell that is shown in bold. */
#define TEMPER_PAGE_BOLD "\001"

typedef struct temper_page_block {
    temper_page_block_kind kind;
    const char *text; /* of a table: its caption, or NULL */
    const char *const *cells;
    size_t rows, columns;
} temper_page_block;

/* A self-contained HTML page, for light and dark screens. All texts are escaped except pictures; two consecutive
 * pictures are shown beside each other where the window is wide enough. */
TEMPER_API temper_status temper_page_to_html(const char *title, const temper_page_block *blocks, size_t count,
                                             temper_text *html, temper_error *error);

/* A report on a model, from labelled rows in any number of batches: new, add..., finish. */
typedef struct temper_model_report temper_model_report;
TEMPER_API temper_status temper_model_report_new(const temper_model *model, temper_model_report **report,
                                                 temper_error *error);
TEMPER_API temper_status temper_model_report_add(temper_model_report *report, const temper_data *data, size_t threads,
                                                 temper_error *error);
/* File names to show, as the user gave them, or NULL, and the number of rows left out because of missing values. The
 * names must remain valid until temper_model_report_finish. */
TEMPER_API void temper_model_report_set_source(temper_model_report *report, const char *model, const char *data,
                                               size_t dropped);
/* Summary, margins with the loss, calibration, confusion and the largest weights: an HTML page, or the figures alone as
 * one SVG. Frees the report, also on failure; `text` NULL: only frees it. */
TEMPER_API temper_status temper_model_report_finish(temper_model_report *report, int as_svg, temper_text *text,
                                                    temper_error *error);

/* ---- Files and numbers ------------------------------------------------------------------------------------------- */

/* Saves bytes as a file, completely or not at all: a temporary file beside it, synced, then renamed. */
TEMPER_API temper_status temper_file_save(const char *path, const char *bytes, size_t length, temper_error *error);

/* The same in several writes. temper_file_open refuses paths that cannot be written, as far as can be determined then.
 * After a failure the file can only be discarded. */
typedef struct temper_file temper_file;
TEMPER_API temper_status temper_file_open(const char *path, temper_file **file, temper_error *error);
TEMPER_API temper_status temper_file_write(temper_file *file, const char *bytes, size_t length, temper_error *error);
/* Both free it: the new file replaces the old one, or the old one remains. */
TEMPER_API temper_status temper_file_commit(temper_file *file, temper_error *error);
TEMPER_API void temper_file_discard(temper_file *file);

/* The shortest decimal that reads back as the same number, in every locale; returns its length. */
#define TEMPER_NUMBER_LENGTH 32
TEMPER_API size_t temper_format_number(double number, char text[TEMPER_NUMBER_LENGTH]);

/* The field of a loss that holds a parameter of temper_method_parameter. */
TEMPER_API double *temper_loss_parameter_field(temper_loss_spec *loss, const temper_loss_parameter *parameter);

#ifdef __cplusplus
}
#endif

#endif
