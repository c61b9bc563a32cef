/* demo: two small sets of made-up rows, two models on each, and a page about them. */
#ifndef CLI_DEMO_H
#define CLI_DEMO_H

#include <stdint.h>

#include "options/options.h"
#include "temper.h"

/* ---- Data ------------------------------------------------------------------------------------ */

/* Rows of two classes, -1 and 1. */
struct rows {
    double *x; /* [count][features] */
    int *label;
    size_t count, features;
};

/* How a set is made: a pure function of seed and row, so that every machine makes the same. */
typedef void row_maker(uint64_t seed, uint64_t row, double *x, int *label);

/* The 21 features of Long and Servedio (2010), after Ding and Vishwanathan (2010): a quarter of the
 * rows lies far on the right side, a quarter pulls, half are hard; sign(sum x) is never wrong. */
row_maker make_long_servedio;
/* The same in two features, to be seen: sign(x) is right but for a few rows. */
row_maker make_two_features;

/* Allocates and fills them, from row `first` on; nothing to free on failure. */
temper_status make_rows(row_maker *make, uint64_t seed, uint64_t first, struct rows *rows);
void free_rows(struct rows *rows);

/* ---- Models ---------------------------------------------------------------------------------- */

enum { LOGISTIC, TEMPERED, METHODS };

struct fit {
    temper_model *model;
    double accuracy; /* on clean rows that it has not seen */
};

/* One set: its rows, a spoilt copy, and what two methods make of both. */
struct story {
    const char *name;
    struct rows train, test;
    temper_data *clean, *noisy, *clean_test;
    temper_noise_change *changes;
    size_t flipped;
    struct fit on_clean[METHODS], on_noisy[METHODS];
    size_t found[METHODS]; /* wrong labels among the `flipped` rows least likely as given */
};

extern const char *const method_names[METHODS];
extern const double demo_noise;
temper_loss_spec demo_loss(size_t method);

/* Makes the rows, flips labels, trains and compares. What went wrong has been complained about;
 * free it in any case. */
temper_status story_tell(struct story *story, row_maker *make, uint64_t seed, size_t threads);
void story_free(struct story *story);

/* ---- Page ------------------------------------------------------------------------------------ */

/* The page about both stories; the second is of two features. */
temper_status demo_page(struct story stories[2], size_t threads, const char *path);

#endif
