/* votes: the labels that several annotators have given to items; an item may have none, one or many.
 *
 * A vote is a label by an annotator for an item. Votes are kept twice, by item and by annotator, in an order that does
 * not depend on that of the input: by item, annotator and label. An exact repetition counts once; two different
 * labels by one annotator for one item both count. */
#ifndef DATA_VOTES_H
#define DATA_VOTES_H

#include "data/dataset.h"
#include "data/string_table.h"
#include "temper_extra.h"

struct vote {
    uint32_t item, annotator, label;
};

/* Half of a vote: the annotator, where votes are sorted by item, or the item, where they are sorted by annotator. */
struct half_vote {
    uint32_t other, label;
};

/* Distinct texts, numbered in the order of their first appearance. Initialise with {0}. */
struct text_numbers {
    struct string_table table;
    char **name;
    size_t count, capacity;
};

#define TEXT_NUMBERS_FULL UINT32_MAX /* no memory, or 2^32 - 2 texts */
uint32_t text_numbers_add(struct text_numbers *texts, const char *text, size_t length);
void text_numbers_free(struct text_numbers *texts);

struct votes {
    size_t items, annotators, count;
    struct half_vote *of_item;      /* votes of item i: item_start[i] .. item_start[i + 1] */
    size_t *item_start;             /* items + 1 */
    struct half_vote *of_annotator; /* the same by annotator */
    size_t *annotator_start;
    size_t repeated;         /* votes that occurred before, and were left out */
    size_t contradicting;    /* votes on an item by an annotator that has given it another label */
    struct classes classes;  /* of the labels, sorted */
    struct names item_names; /* none: items are numbers, from 1 */
    struct names annotator_names;
    uint64_t *item_line; /* of a file: where each item occurs first; else NULL. 0: it has no votes */
    char *path;          /* of that file, or NULL */
    char notes[1024];    /* sentences for the user, one a line */
};

/* Fills counts and votes, whose memory is new, from a list in any order; the other fields stay as they are. Numbers
 * must be below `items` and `annotators`. */
temper_status votes_sort(struct votes *votes, const struct vote *list, size_t count, temper_error *error);
/* Votes from arrays: classes are named 0, 1, 2... Numbers are checked. */
temper_status votes_from_arrays(const temper_vote_arrays *arrays, struct votes **out, temper_error *error);
temper_status votes_read(const char *path, const temper_votes_options *options, struct votes **out,
                         temper_error *error);
/* Makes item i row i of the data: temper_votes_match. */
temper_status votes_match(struct votes *votes, const struct dataset *data, const char *id, temper_error *error);
/* Whether the first line of a table has a cell for each class: temper_votes_names_columns. */
bool votes_name_columns(const struct votes *votes, const char *path);
void votes_free(struct votes *votes);

#endif
