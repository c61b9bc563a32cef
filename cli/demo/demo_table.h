/* demo_table: the demonstration on a table of the user. */
#ifndef CLI_DEMO_TABLE_H
#define CLI_DEMO_TABLE_H

#include "demo/demo.h"
#include "options/command_line.h"

/* The methods that are compared: those of the synthetic data, and temperatures chosen by tuning. */
enum { TUNED = METHODS, TABLE_METHODS };

/* A table, its rows divided into training and held-out ones, a copy of the former with flipped labels, and what was
 * made of it. */
struct demo_table {
    const char *path; /* as typed */
    double rate;
    const char *kind;
    bool quiet;
    temper_data *data, *train, *test, *noisy;
    size_t *row; /* [rows of train]: their numbers in the data, from 0 */
    size_t rows; /* of the file */
    temper_noise_change *changes;
    size_t flipped;
    unsigned char *was_flipped; /* [rows of train] */
    struct demo_fit on_given[TABLE_METHODS], on_noisy[TABLE_METHODS];
    temper_loss_spec tuned;    /* the loss that tuning has chosen on the flipped labels */
    size_t listed_before;      /* rows that an audit of the labels as given lists */
    temper_audit_report audit; /* of the flipped labels */
    size_t listed_flipped;     /* of the rows that the audit lists, those that were flipped */
    size_t first_flipped;      /* of as many first rows of the ranking as were flipped */
};

extern const char *const demo_table_methods[TABLE_METHODS];

/* The suspects that the audit lists and that were not flipped, in its order: calls `show` with at most `most` of them.
 */
typedef void demo_suspect_fn(void *context, const struct demo_table *table, const temper_audit_suspect *suspect);
void demo_each_other_suspect(const struct demo_table *table, size_t most, demo_suspect_fn *show, void *context);
/* How many there are. */
size_t demo_other_suspects(const struct demo_table *table);
/* FILE:LINE, or the number of the row in formats without lines. */
enum { DEMO_PLACE_LENGTH = 4200 };
void demo_place(const struct demo_table *table, const temper_audit_suspect *suspect, char place[DEMO_PLACE_LENGTH]);

/* One standard error of an accuracy on the held-out rows, in points. */
double demo_standard_error(const struct demo_table *table);

/* temper demo --data FILE */
temper_status demo_table_run(const struct arguments *arguments);
/* Writes the page; `playground` is the address of the playground, or NULL. */
temper_status demo_table_page(const struct demo_table *table, const char *playground, const char *path);

#endif
