/* shortlist: the selections of several criteria, from the table of a search. */
#include "search/shortlist.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Several criteria often select the same candidate, which then is fitted once; a criterion that selects none passes
 * NO_CANDIDATE. */
static void add_to_shortlist(struct shortlist *list, size_t candidate)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->candidate[i] == candidate)
            return;
    if (candidate != NO_CANDIDATE && list->count < SHORTLIST)
        list->candidate[list->count++] = candidate;
}

/* The candidate with from <= t1 <= to that is most accurate on the halves; NO_CANDIDATE if none has been fitted. The
 * halves, since every fitted candidate has been through them. */
static size_t best_between(const struct crossval_table *table, double from, double to)
{
    size_t best = NO_CANDIDATE;
    for (size_t i = 0; i < table->count; i++) {
        const temper_tune_candidate *candidate = &table->candidate[i];
        if (candidate->stage && candidate->loss.t1 >= from && candidate->loss.t1 <= to &&
            (best == NO_CANDIDATE || candidate->half_accuracy > table->candidate[best].half_accuracy))
            best = i;
    }
    return best;
}

/* The fitted candidate with the least value of the double at `offset` in temper_tune_candidate. Candidates that
 * hardly predict some class are excluded: a constant prediction leaves no row undecided. A measure that is NAN is
 * never the least. */
static size_t least_of(const struct crossval_table *table, size_t offset)
{
    size_t best = NO_CANDIDATE;
    double least = INFINITY;
    for (size_t i = 0; i < table->count; i++) {
        const temper_tune_candidate *candidate = &table->candidate[i];
        double value;
        memcpy(&value, (const char *)candidate + offset, sizeof value);
        if (candidate->stage && candidate->balance > 0.5 && value < least) {
            best = i;
            least = value;
        }
    }
    return best;
}

void shortlist_fill(const struct crossval_table *table, const struct selection *selection, struct shortlist *out)
{
    out->count = 0;
    add_to_shortlist(out, selection->best);
    add_to_shortlist(out, selection->by_accuracy);
    add_to_shortlist(out, selection->reference);
    add_to_shortlist(out, least_of(table, offsetof(temper_tune_candidate, code_length)));
    add_to_shortlist(out, least_of(table, offsetof(temper_tune_candidate, undecided)));
    add_to_shortlist(out, best_between(table, 1, INFINITY));
    add_to_shortlist(out, best_between(table, 0.4, 0.99));
    add_to_shortlist(out, best_between(table, 0, 0.4));
}
