/* shortlist: the candidates of a search between which true labels are to decide. */
#ifndef SEARCH_SHORTLIST_H
#define SEARCH_SHORTLIST_H

#include "search/crossval.h"
#include "search/selection_rule.h"

enum { SHORTLIST = 8 }; /* criteria of shortlist_fill */

/* The candidates to compare, without repetition. */
struct shortlist {
    size_t candidate[SHORTLIST], count;
};

/* The selections of all criteria of the rule, and the best of three ranges of t1: convex, moderate and strongly
 * bounded losses. They differ most in how they treat wrong labels. */
void shortlist_fill(const struct crossval_table *table, const struct selection *selection, struct shortlist *out);

#endif
