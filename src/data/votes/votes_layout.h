/* votes_layout: where a table of votes has its items, annotators and labels.
 *
 * Long: a line has one vote, in three columns. Wide: a line has an item, and each annotator has a column; an empty cell
 * is no vote. Not given by an option, the layout is long if the header has words for all three columns, or if there are
 * exactly three columns, of which the first has repetitions, the first two together have none, and the first has texts
 * that are no labels; otherwise it is wide. The first line is a header if it has such a word or a name that an option
 * gives, or if none of its cells occurs again in its column. */
#ifndef DATA_VOTES_LAYOUT_H
#define DATA_VOTES_LAYOUT_H

#include "data/csv/csv_text_rows.h"
#include "temper_extra.h"

struct votes_layout {
    bool wide;
    size_t item;             /* the column; CSV_NO_COLUMN: items are numbered by row (wide only) */
    size_t annotator, label; /* long */
};

/* Decides on the header too, which the table has from then on. */
temper_status votes_layout_find(struct csv_text_table *table, const temper_votes_options *options,
                                struct votes_layout *out, temper_error *error);

#endif
