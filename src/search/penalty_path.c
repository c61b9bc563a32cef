/* penalty_path: runs of penalties of one convex loss, divided into segments. */
#include "search/penalty_path.h"

#include "tempered/loss_family.h"

/* Whether the second penalty is the weaker one of a path: of l1 where the path is of that, else of l2. */
static bool is_weaker(const temper_tune_candidate *a, const temper_tune_candidate *b)
{
    return a->l1 > 0 ? b->l1 < a->l1 && b->l2 == a->l2 : b->l2 < a->l2 && b->l1 == 0;
}

/* Whether entry `next` continues the run of entry `first`: the same convex loss with a weaker penalty. The hinge is not
 * among these losses: its phases begin with a rounded loss, for which its own solution is no good start. */
static bool continues(const temper_tune_candidate *table, const size_t *which, size_t first, size_t next)
{
    const temper_tune_candidate *a = &table[which[first]], *b = &table[which[next]];
    return loss_has_convex_settings(a->loss) && loss_same_spec(a->loss, b->loss) &&
           is_weaker(&table[which[next - 1]], b);
}

/* Fits of different segments and parts run at the same time. So a run is divided into as many segments as are needed to
 * have `at_once` of them, and no more. */
void penalty_segments(const temper_tune_candidate *table, const size_t *which, size_t count, size_t parts,
                      size_t at_once, size_t *segment)
{
    size_t segments = (at_once + parts - 1) / parts;
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && continues(table, which, first, end);)
            end++;
        size_t length = (end - first + segments - 1) / segments;
        for (size_t i = first; i < end; i++)
            segment[i] = i - (i - first) % length;
    }
}
