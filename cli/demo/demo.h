/* demo: two small synthetic data sets, two models on each, and a page about them. */
#ifndef CLI_DEMO_H
#define CLI_DEMO_H

#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "html_draft.h"
#include "temper_extra.h"

/* ---- Data ------------------------------------------------------------------------------------ */

/* Rows of two classes, -1 and 1. */
struct demo_rows {
    double *x; /* [count][features] */
    int *label;
    size_t count, features;
};

/* Makes one row: a pure function of seed and row number, so that every machine makes the same. */
typedef void row_maker(uint64_t seed, uint64_t row, double *x, int *label);

/* The 21 features of Long and Servedio (2010), after Ding and Vishwanathan (2010): a quarter of the rows has large
 * margins, a quarter are pullers, half are penalisers; sign(sum x) classifies all of them correctly. */
row_maker make_long_servedio;
/* The same idea in two features, for a picture: sign(x) is correct but for a few rows. */
row_maker make_two_features;

/* Allocates and fills `count` rows, beginning with row `first`; nothing to free on failure. */
temper_status make_rows(row_maker *make, uint64_t seed, uint64_t first, struct demo_rows *rows);
void free_rows(struct demo_rows *rows);
/* A random number in [0, 1) for each index. */
double demo_uniform(uint64_t seed, uint64_t index);

/* ---- Models ---------------------------------------------------------------------------------- */

enum { LOGISTIC, TEMPERED, METHODS };

struct demo_fit {
    temper_model *model;
    double accuracy; /* on clean test rows */
};

/* One data set, a noisy copy of it, and the models of two methods on both. */
struct demo_set {
    const char *name;
    struct demo_rows train, test;
    temper_data *clean, *noisy, *clean_test;
    temper_noise_change *changes;
    size_t flipped;
    struct demo_fit on_clean[METHODS], on_noisy[METHODS];
    size_t found[METHODS]; /* flipped labels among the `flipped` rows whose given label is least likely */
};

extern const char *const demo_methods[METHODS];
temper_loss_spec demo_loss(size_t method);
/* Trains one method on `data` and tests it on `test`. */
temper_status demo_train(const temper_data *data, const temper_data *test, size_t method, size_t threads,
                         struct demo_fit *fit);

/* ---- Results --------------------------------------------------------------------------------- */

enum { DEMO_NAME_WIDTH = 34, DEMO_FIGURE_WIDTH = 18 }; /* columns of characters */
/* The title of a table, with the methods as columns. */
void demo_print_head(FILE *out, const char *title, const char *const *methods, size_t count);

/* What the pages show, and the playground that they link to. */
struct demo_page_options {
    const char *path, *playground; /* the address of the playground, or NULL: no link */
    uint64_t seed;
    size_t threads;
};

/* Adds a link to the playground with these settings, unless its address is NULL. */
void demo_link(struct html_draft *draft, const char *playground, const char *kind, double rate, uint64_t seed);

/* Writes the page about both sets; the second one has two features. */
temper_status demo_page(const struct demo_set sets[2], const struct demo_page_options *options);

#endif
