/* experiment: the paper's protocol as a table of named experiments.
 *
 * A plan is an experiment with the changes of the command line. It expands to a list of cells, one for each data set,
 * split, noise, rate and method; measuring a cell gives a result. Tables, the page and its claims are made from results
 * alone, so that an interrupted run continues from those in its file and ends in the same tables. */
#ifndef CLI_EXPERIMENT_H
#define CLI_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "options/command_line.h"
#include "progress.h"
#include "temper_extra.h"

/* ---- Data sets ------------------------------------------------------------------------------- */

/* A data set in its official files, and what the paper reports about it. */
struct paper_data {
    const char *name, *title;
    const char *folder;   /* below --data */
    const char *files[4]; /* alternative lists of names separated by blanks: the first that exists is read. Each file
                           * may end in .gz or .zst too */
    const char *classes;  /* the two; NULL: the two largest; "": all there are */
    const char *scale;    /* of the features; NULL: as in training */
    double t1, t2;        /* the paper's temperatures */
    temper_read_options read;
    bool one_class; /* each file holds one class */
};

enum { DATA_SETS = 8, FILES_MOST = 256 };
extern const struct paper_data data_table[DATA_SETS];

/* Options of the command line for reading one. */
struct data_request {
    const char *folder;  /* --data */
    const char *classes; /* instead of those of the table; or NULL */
    bool pool;           /* the rows of other classes too */
    size_t threads;
};

/* A data set in memory. */
struct loaded_data {
    temper_data *data;
    temper_data *pool; /* rows of classes that the data does not have; or NULL */
};

/* Whether its files exist. */
bool data_is_there(const struct paper_data *source, const char *folder);
/* Reads it; errors have been reported, with nothing to free. The pool is NULL if the files hold no other classes. */
temper_status data_read(const struct paper_data *source, const struct data_request *options,
                        struct loaded_data *loaded);
void loaded_free(struct loaded_data *loaded);

/* ---- Plans ----------------------------------------------------------------------------------- */

/* What is measured in a cell. */
enum experiment_measure {
    MEASURE_NOTHING,   /* a figure of functions */
    MEASURE_ACCURACY,  /* tune, then train on all training rows */
    MEASURE_TIME,      /* train with fixed parameters */
    MEASURE_STARTS,    /* the same from random weights of some standard deviation */
    MEASURE_SELECTION, /* tune; then train every candidate, to find which would have been best */
};

/* The size of an experiment; NULL or 0: not set here. */
struct experiment_extent {
    const char *sets, *methods, *noise, *rates, *deviations, *grid;
    size_t splits, folds, rows;
};

struct experiment {
    const char *name, *title;
    const char *about; /* for the page: a sentence or two */
    enum experiment_measure measure;
    double test_share;
    struct experiment_extent full, quick; /* quick: what differs with --quick */
};

enum { EXPERIMENTS = 6 };
extern const struct experiment experiment_table[EXPERIMENTS];

/* A loss, with its own temperatures or with tuned ones. */
struct compared_method {
    char label[WORD_LENGTH]; /* as it was given */
    temper_loss_spec loss;
    bool fixed; /* its temperatures; parameters that only this method has always are */
};

/* The hinge is smoothed over this width, unless one gives hinge:WIDTH: an exact hinge takes several times as long. */
#define HINGE_WIDTH 0.5

enum { METHODS_MOST = 8, NOISES_MOST = 8, SPLITS_MOST = 100, GRID_LENGTH = 640 };

struct experiment_plan {
    const struct experiment *experiment;
    const struct paper_data *sets[DATA_SETS];
    size_t set_count;
    struct compared_method methods[METHODS_MOST];
    size_t method_count;
    char noises[NOISES_MOST][WORD_LENGTH];
    size_t noise_count;
    struct number_list rates, deviations;
    size_t splits, folds, rows;
    const char *grid, *criterion, *classes, *scale, *folder;
    const char *rank_scale; /* of the regression that ranks rows for margin noise; NULL: as in training */
    double rank_l2;
    bool paper_temperatures, quick, sets_named;
    unsigned long long seed;
    size_t threads;
};

/* From the command line; errors have been reported. */
temper_status plan_make(const struct arguments *arguments, struct experiment_plan *plan);

/* One measurement. */
struct experiment_cell {
    const struct paper_data *set;
    size_t split;
    const char *noise; /* "none" at rate 0 */
    double rate;
    const struct compared_method *method; /* NULL for selection */
    double deviation;                     /* of the initial weights; else 0 */
};

/* All cells in the order in which they are measured: index from 0; false at the end. */
bool plan_cell(const struct experiment_plan *plan, size_t index, struct experiment_cell *cell);
size_t plan_cells(const struct experiment_plan *plan);
/* The lines of a table, as cells of the first split and method. Those of a data set are consecutive. */
bool plan_line(const struct experiment_plan *plan, size_t index, struct experiment_cell *cell);
/* "random, 10 %", "deviation 0.01": what distinguishes a line from others of its data set. */
enum { LINE_TEXT = 64 };
const char *plan_line_text(const struct experiment_plan *plan, const struct experiment_cell *cell,
                           char text[LINE_TEXT]);
/* Random seed of a split, for its rows and its noise. */
unsigned long long plan_seed(const struct experiment_plan *plan, size_t split);
/* The grid that a method is tuned over, for temper_tune. Returns `grid`. */
const char *plan_grid(const struct experiment_plan *plan, const struct experiment_cell *cell, char grid[GRID_LENGTH]);
/* The loss of a cell whose temperatures are not tuned. */
temper_loss_spec cell_loss(const struct experiment_cell *cell);
const char *plan_scale(const struct experiment_plan *plan, const struct paper_data *set);
const char *plan_classes(const struct experiment_plan *plan, const struct paper_data *set);
/* "Covertype, 2 and 3", or with the classes of the command line. Returns `title`. */
enum { TITLE_TEXT = 160 };
const char *plan_title(const struct experiment_plan *plan, const struct paper_data *set, char title[TITLE_TEXT]);

/* Everything that a result depends on, as one text: equal texts, equal results. Returns `key`. */
enum { KEY_LENGTH = 1024 };
const char *plan_key(const struct experiment_plan *plan, const struct experiment_cell *cell, char key[KEY_LENGTH]);

/* ---- Results --------------------------------------------------------------------------------- */

/* The numbers of a result: names in the file and in the struct. NAN: unknown, and null in the file. */
#define RESULT_NUMBERS(X)                                                                                              \
    X(accuracy)    /* on clean test rows */                                                                            \
    X(cv_accuracy) /* of the choice, on held-out noisy rows */                                                         \
    X(t1)          /* of the choice */                                                                                 \
    X(t2)                                                                                                              \
    X(l2)                                                                                                              \
    X(objective) /* of the final fit */                                                                                \
    X(iterations)                                                                                                      \
    X(passes)                                                                                                          \
    X(seconds_tune)  /* the whole tuning */                                                                            \
    X(seconds_train) /* the final fit */                                                                               \
    X(best)          /* selection: accuracy of the best candidate on the same rows */                                  \
    X(best_t1)                                                                                                         \
    X(best_t2)                                                                                                         \
    X(best_l2)                                                                                                         \
    X(by_accuracy) /* accuracy of the candidate with the best noisy cross-validated accuracy */                        \
    X(logistic)    /* of logistic regression with the penalty chosen by that */                                        \
    X(reference)   /* of (0.4, 1.12) at the default penalty */                                                         \
    X(standard)    /* of temper's default: (0.3, 1), lambda_0 */                                                       \
    X(warned)      /* 1: the tuning warned that labels look systematically wrong */                                    \
    X(rows)        /* of training */                                                                                   \
    X(test_rows)                                                                                                       \
    X(features)                                                                                                        \
    X(changed) /* rows that the noise has changed */

struct cell_result {
    char *key;
    char stop[32];    /* of the final fit: "converged"; "failed" if there was none */
    char decided[32]; /* what decided the choice */
#define RESULT_FIELD(name) double name;
    RESULT_NUMBERS(RESULT_FIELD)
#undef RESULT_FIELD
};

struct cell_result result_unknown(void);

/* A file of results, a line of JSON each. Those of other plans stay in it. */
struct result_file {
    const char *path;
    struct cell_result *result;
    char **line; /* of each, as it is in the file */
    size_t count, capacity;
    off_t bytes; /* read so far: the end of the last complete line */
};

/* Reads the file; no results if there is none. An incomplete last line is dropped. */
temper_status results_open(struct result_file *results, const char *path);
/* Reads what other processes have appended since. */
temper_status results_refresh(struct result_file *results);
void results_close(struct result_file *results);
const struct cell_result *results_find(const struct result_file *results, const char *key);
/* The result of a cell, or NULL. */
const struct cell_result *result_of(const struct experiment_plan *plan, const struct result_file *results,
                                    const struct experiment_cell *cell);
/* Appends one to the file, completely or not at all, unless another process has measured the cell meanwhile. */
temper_status results_add(struct result_file *results, const struct experiment_plan *plan,
                          const struct experiment_cell *cell, const struct cell_result *result);

/* ---- Running --------------------------------------------------------------------------------- */

/* Measures every cell that has no result yet. TEMPER_INTERRUPTED after a signal, which is not reported; other errors
 * have been. */
temper_status plan_run(const struct experiment_plan *plan, struct result_file *results, bool quiet);

/* The rows of a split; `noisy` has the noise of a cell, or is NULL. */
struct split_rows {
    temper_data *train, *test, *noisy;
    size_t changed;
};
temper_status split_make(const struct experiment_plan *plan, const struct loaded_data *loaded, size_t split,
                         struct split_rows *rows);
/* Replaces rows->noisy; `changes` may be NULL. */
temper_status split_add_noise(const struct experiment_plan *plan, const struct experiment_cell *cell,
                              const struct loaded_data *loaded, struct split_rows *rows, temper_noise_change **changes);
void split_rows_free(struct split_rows *rows);
/* Reads a data set of the plan, limited to the number of rows of the plan. */
temper_status plan_load(const struct experiment_plan *plan, const struct paper_data *set, struct loaded_data *loaded);
/* Options of one fit, without a callback. */
temper_train_options cell_train_options(const struct experiment_plan *plan, const struct experiment_cell *cell);

/* ---- Reports --------------------------------------------------------------------------------- */

/* The results of a cell on all splits. */
struct split_values {
    size_t count;
    double value[SPLITS_MOST];
    double mean, deviation; /* NAN for none, or one */
};

/* The accuracies, or seconds where time is measured, of a method on a line; unknown ones are left out. */
struct split_values plan_values(const struct experiment_plan *plan, const struct result_file *results,
                                struct experiment_cell line, size_t method);
/* A paired test of two cells on the splits that both have. */
temper_paired_test compare_cells(const struct experiment_plan *plan, const struct result_file *results,
                                 struct experiment_cell first, struct experiment_cell second);
/* "99.12 ± 0.30" in percent or seconds, a dash for none. Returns `text`. */
enum { VALUES_TEXT = 48 };
const char *plan_values_text(const struct experiment_plan *plan, const struct split_values *values,
                             char text[VALUES_TEXT]);
/* The method of a line with the best mean, except `but`; or METHODS_MOST. */
size_t best_method(const struct experiment_plan *plan, const struct result_file *results, struct experiment_cell line,
                   size_t but);
/* The number of a method by its name; METHODS_MOST if the plan has none. */
size_t find_method(const struct experiment_plan *plan, const char *name);

/* What the paper reports. */
struct paper_value {
    double mean, deviation; /* NAN: nothing */
};
struct paper_value paper_seconds(const char *set, const char *method);
/* For a line of the plan; nothing if its classes or rates are others. */
struct paper_value reported_value(const struct experiment_plan *plan, const struct experiment_cell *line,
                                  size_t method);
bool paper_has_line(const struct experiment_plan *plan, const struct experiment_cell *line);

/* Tables on the standard output; or one JSON object. */
void results_text(FILE *out, const struct experiment_plan *plan, const struct result_file *results);
void results_json(FILE *out, const struct experiment_plan *plan, const struct result_file *results);

/* Regrets of a rule on a line of the selection, in points: mean over splits, and the worst. */
struct rule_regret {
    double mean, worst;
    size_t count;
};
enum selection_rule { RULE_LOGISTIC, RULE_STANDARD, RULE_REFERENCE, RULE_ACCURACY, RULE_CVC, RULES };
extern const char *const rule_names[RULES];
/* Over the splits of a line; `line` NULL: over all lines. */
struct rule_regret regret_of(const struct experiment_plan *plan, const struct result_file *results,
                             const struct experiment_cell *line, enum selection_rule rule);

/* Adds the claims of the paper that the experiment is about, with a verdict for each, to a page. */
struct html_draft;
void results_claims(struct html_draft *draft, const struct experiment_plan *plan, const struct result_file *results);

/* Writes the page. */
temper_status results_page(const struct experiment_plan *plan, const struct result_file *results, const char *command,
                           const char *path);

#endif
