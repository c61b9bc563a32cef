/* experiment: the paper's protocol as a table of named experiments.
 *
 * A plan is an experiment with what the command line has changed of it. It stands for a list of
 * cells, one for each data set, split, noise, rate and method; each cell becomes a record, which
 * holds all that is measured. Tables, the page and its claims are made of records alone, so that a
 * run that was interrupted goes on from them and ends in the same tables. */
#ifndef CLI_EXPERIMENT_H
#define CLI_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "options/options.h"
#include "temper.h"

/* ---- Data sets ------------------------------------------------------------------------------- */

/* A data set where it lies, in its official files, and what the paper says of it. */
struct source {
    const char *name, *title;
    const char *folder;   /* below --data */
    const char *files[4]; /* names with blanks between them; of several such lists, the first that
                           * is there. Each may end in .gz or .zst too */
    const char *classes;  /* the two; NULL: the two largest; "": all there are */
    const char *scale;    /* of the features; NULL: as in training */
    double t1, t2;        /* the paper's temperatures */
    temper_read_options read;
    bool one_class; /* a file holds one class: so it is read before it is chosen */
};

enum { SOURCES = 8, FILES_MOST = 256 };
extern const struct source source_table[SOURCES];

/* How to read one: from the command line. */
struct source_options {
    const char *folder;  /* --data */
    const char *classes; /* instead of those of the source; or NULL */
    bool pool;           /* the rows of other classes too */
    size_t threads;
};

/* A data set in memory. */
struct loaded {
    temper_data *data;
    temper_data *pool; /* rows of classes that the data does not have; or NULL */
};

/* Whether its files are there. */
bool source_is_there(const struct source *source, const char *folder);
/* Reads it; what is wrong has been complained about, with nothing to free. The pool is NULL if the
 * files hold no other classes. */
temper_status experiment_read(const struct source *source, const struct source_options *options, struct loaded *loaded);
void loaded_free(struct loaded *loaded);

/* ---- Plans ----------------------------------------------------------------------------------- */

/* What a cell is measured for. */
enum measure {
    MEASURE_NOTHING,   /* a picture of functions */
    MEASURE_ACCURACY,  /* tune, then train on all training rows */
    MEASURE_TIME,      /* train with fixed parameters */
    MEASURE_STARTS,    /* the same from random weights of some deviation */
    MEASURE_SELECTION, /* tune; then train every candidate, to see which would have been best */
};

/* How much of everything; NULL or 0: not set here. */
struct extent {
    const char *sets, *methods, *noise, *rates, *deviations, *grid;
    size_t splits, folds, rows;
};

struct experiment {
    const char *name, *title;
    const char *about; /* for the page: a sentence or two */
    enum measure measure;
    double test_share;
    struct extent full, quick; /* quick: what it has instead */
};

enum { EXPERIMENTS = 6 };
extern const struct experiment experiment_table[EXPERIMENTS];
extern const char grid_paper[], grid_default[]; /* as lists */

/* A loss, with temperatures of its own or to be tuned. */
struct method {
    char label[WORD_LENGTH]; /* as it was given */
    temper_method method;
    bool fixed; /* its temperatures: */
    double t1, t2;
    double smoothing; /* of hinge */
};

/* The kink of the hinge is rounded over so much, unless one says hinge:WIDTH: an exact one takes
 * several times as long. */
#define HINGE_WIDTH 0.5

enum { METHODS_MOST = 8, NOISES_MOST = 8, SPLITS_MOST = 100, GRID_LENGTH = 512 };

struct plan {
    const struct experiment *experiment;
    const struct source *sets[SOURCES];
    size_t set_count;
    struct method methods[METHODS_MOST];
    size_t method_count;
    char noises[NOISES_MOST][WORD_LENGTH];
    size_t noise_count;
    struct numbers rates, deviations;
    size_t splits, folds, rows;
    const char *grid, *criterion, *classes, *scale, *folder;
    bool paper_temperatures, quick, sets_named;
    unsigned long long seed;
    size_t threads;
};

/* From the command line; what is wrong has been complained about. */
temper_status plan_make(const struct arguments *arguments, struct plan *plan);

/* One thing to measure. */
struct cell {
    const struct source *set;
    size_t split;
    const char *noise; /* "none" at rate 0 */
    double rate;
    const struct method *method; /* NULL for selection */
    double deviation;            /* of the start; else 0 */
};

/* All of them, in the order of running: index from 0; false at the end. */
bool plan_cell(const struct plan *plan, size_t index, struct cell *cell);
size_t plan_cells(const struct plan *plan);
/* The lines of a table: split and method are the first ones. Those of a set follow each other. */
bool plan_line(const struct plan *plan, size_t index, struct cell *cell);
size_t plan_lines(const struct plan *plan);
/* "random, 10 %", "deviation 0.01": what tells a line from others of its set. */
enum { LINE_TEXT = 64 };
const char *plan_line_text(const struct plan *plan, const struct cell *cell, char text[LINE_TEXT]);
/* Random seed of a split, for its rows and its noise. */
unsigned long long plan_seed(const struct plan *plan, size_t split);
/* The grid that a method is tuned over, for temper_tune. Returns `grid`. */
const char *plan_grid(const struct plan *plan, const struct cell *cell, char grid[GRID_LENGTH]);
/* The loss of a cell whose temperatures are not tuned. */
temper_loss_spec cell_loss(const struct cell *cell);
const char *plan_scale(const struct plan *plan, const struct source *set);
const char *plan_classes(const struct plan *plan, const struct source *set);
/* "Covertype, 2 and 3", or with the classes of the command line. Returns `title`. */
enum { TITLE_TEXT = 160 };
const char *plan_title(const struct plan *plan, const struct source *set, char title[TITLE_TEXT]);

/* All that a result depends on, as one text: the same text, the same result. Returns `key`. */
enum { KEY_LENGTH = 1024 };
const char *plan_key(const struct plan *plan, const struct cell *cell, char key[KEY_LENGTH]);

/* ---- Records --------------------------------------------------------------------------------- */

/* What is measured of a cell. NAN: not known, and null in the file. One list: name in the file and
 * in the struct. */
#define RECORD_NUMBERS(X)                                                                                              \
    X(accuracy)    /* on clean test rows */                                                                            \
    X(cv_accuracy) /* on noisy rows left out, of the choice */                                                         \
    X(t1)          /* of the choice */                                                                                 \
    X(t2)                                                                                                              \
    X(l2)                                                                                                              \
    X(objective) /* of the final fit */                                                                                \
    X(iterations)                                                                                                      \
    X(passes)                                                                                                          \
    X(seconds_tune)  /* all of the tuning */                                                                           \
    X(seconds_train) /* the final fit */                                                                               \
    X(best)          /* selection: of the best candidate, on the same rows */                                          \
    X(best_t1)                                                                                                         \
    X(best_t2)                                                                                                         \
    X(best_l2)                                                                                                         \
    X(by_accuracy) /* of the one with the best noisy cross-validated accuracy */                                       \
    X(logistic)    /* of logistic regression with the best such penalty */                                             \
    X(reference)   /* of (0.4, 1.12), the same way */                                                                  \
    X(standard)    /* of temper's default: (0.3, 1), lambda_0 */                                                       \
    X(warned)      /* 1: the tuning said that labels look systematically wrong */                                      \
    X(rows)        /* of training */                                                                                   \
    X(test_rows)                                                                                                       \
    X(features)                                                                                                        \
    X(changed) /* rows that the noise has changed */

struct record {
    char *key;
    char stop[32];    /* of the final fit: "converged"; "failed" if there was none */
    char decided[32]; /* what decided the choice */
#define RECORD_MEMBER(name) double name;
    RECORD_NUMBERS(RECORD_MEMBER)
#undef RECORD_MEMBER
};

struct record record_unknown(void);

/* A file of records, a line of JSON each. Those of other plans stay in it. */
struct records {
    const char *path;
    struct record *record;
    char **line; /* of each, as it is in the file */
    size_t count, capacity;
};

/* Reads what is there; none if there is no file. A last line that was cut off is dropped. */
temper_status records_open(struct records *records, const char *path);
void records_close(struct records *records);
const struct record *records_find(const struct records *records, const char *key);
/* Adds one and saves the file, whole or not at all. The key is copied. */
temper_status records_add(struct records *records, const struct plan *plan, const struct cell *cell,
                          const struct record *record);

/* A line of JSON without nesting: calls for each member. False if it is none. */
struct json_member {
    char name[64];
    char text[KEY_LENGTH]; /* of a string */
    bool is_text, is_null;
    double number;
};
typedef void json_member_fn(void *context, const struct json_member *member);
bool json_line_read(const char *line, json_member_fn *found, void *context);

/* ---- Running --------------------------------------------------------------------------------- */

/* Rows to measure on. */
struct rows_at_hand {
    const temper_data *train; /* with noise */
    const temper_data *test;  /* without */
    size_t changed;
};

/* Measures every cell that has no record yet. TEMPER_INTERRUPTED if a signal has ended it; what is
 * wrong has been complained about, but for that. */
temper_status plan_run(const struct plan *plan, struct records *records, bool quiet);

/* Where a run is, for the line on a terminal. */
struct run_progress {
    bool line;
    size_t done, all, measured; /* cells; those of this run */
    size_t shown;
    double start, drawn;
    char what[160];
};

/* Measures one cell. TEMPER_INTERRUPTED: a signal has ended it, and nothing was measured. */
temper_status cell_measure(const struct plan *plan, const struct cell *cell, const struct rows_at_hand *rows,
                           struct run_progress *progress, struct record *record);
temper_status cell_select(const struct plan *plan, const struct cell *cell, const struct rows_at_hand *rows,
                          struct run_progress *progress, struct record *record);
temper_tune_options cell_tuning(const struct plan *plan, const struct cell *cell, struct run_progress *progress);
temper_train_options cell_training(const struct plan *plan, const struct cell *cell, struct run_progress *progress);
/* For training: a temper_train_progress_fn. */
int run_follow_training(void *context, const temper_train_progress *now);
void run_progress_draw(struct run_progress *progress);

/* Parts the rows of a split, puts the noise of a cell into the training rows. */
struct split_rows {
    temper_data *train, *test, *noisy;
    size_t changed;
};
temper_status split_part(const struct plan *plan, const struct loaded *loaded, size_t split, struct split_rows *rows);
temper_status split_spoil(const struct plan *plan, const struct cell *cell, const struct loaded *loaded,
                          struct split_rows *rows, temper_noise_change **changes);
void experiment_split_free(struct split_rows *rows);
/* Reads a set of the plan, and takes as many of its rows as the plan says. */
temper_status plan_load(const struct plan *plan, const struct source *set, struct loaded *loaded);

/* ---- Results --------------------------------------------------------------------------------- */

/* The splits of a cell, whatever its own is. */
struct group {
    size_t count;
    double value[SPLITS_MOST];
    double mean, deviation; /* NAN for none, or one */
};

/* A member of the records of all splits; those that are NAN are left out. */
typedef double record_member(const struct record *record);
double accuracy_of(const struct record *record);
double seconds_of(const struct record *record);
struct group group_of(const struct plan *plan, const struct records *records, struct cell cell, record_member *member);
/* Both on the splits that both have. */
temper_paired_test group_compare(const struct plan *plan, const struct records *records, struct cell first,
                                 struct cell second);
/* "99.12 ± 0.30" in percent, "-" for none. */
enum { GROUP_TEXT = 48 };
const char *group_percent(const struct group *group, char text[GROUP_TEXT]);
const char *group_seconds(const struct group *group, char text[GROUP_TEXT]);
/* What the tables of a plan are made of. */
struct group plan_group(const struct plan *plan, const struct records *records, struct cell line, size_t method);
const char *plan_group_text(const struct plan *plan, const struct group *group, char text[GROUP_TEXT]);
/* Among the methods of a line: the one with the best mean, `but` apart; or METHODS_MOST. */
size_t best_method(const struct plan *plan, const struct records *records, struct cell line, size_t but);
/* The number of a method by its name; METHODS_MOST if the plan has none. */
size_t find_method(const struct plan *plan, const char *name);

/* What the paper reports. */
struct reported {
    double mean, deviation; /* NAN: nothing */
};
struct reported paper_accuracy(const char *set, const char *noise, const char *method);
struct reported paper_seconds(const char *set, const char *method);
/* Of a line of the plan; nothing if its classes or rates are others. */
struct reported paper_value(const struct plan *plan, const struct cell *line, size_t method);
bool paper_has_line(const struct plan *plan, const struct cell *line);

/* Tables on the standard output; or one JSON object. */
void results_text(FILE *out, const struct plan *plan, const struct records *records);
void results_json(FILE *out, const struct plan *plan, const struct records *records);

/* Regrets of a line of the selection, in points: mean over splits, and the worst. */
struct regret {
    double mean, worst;
    size_t count;
};
enum rule { RULE_LOGISTIC, RULE_STANDARD, RULE_REFERENCE, RULE_ACCURACY, RULE_CVC, RULES };
extern const char *const rule_names[RULES];
/* Over the splits of a line; `line` NULL: over all lines. */
struct regret regret_of(const struct plan *plan, const struct records *records, const struct cell *line,
                        enum rule rule);

/* The claims of the paper that the experiment is about, with a verdict each. */
struct draft;
void results_claims(struct draft *draft, const struct plan *plan, const struct records *records);
/* Margins of rows with right and with flipped labels, for logistic and tempered. */
temper_status results_margins(struct draft *draft, const struct plan *plan, const struct records *records);

/* The page. */
temper_status results_page(const struct plan *plan, const struct records *records, const char *command,
                           const char *path);

#endif
