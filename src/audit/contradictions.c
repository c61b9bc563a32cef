/* contradictions: a rank test (Mann and Whitney 1947) of the margins of contradicted rows against those of the others,
 * and the error rate of the surest rows. */
#include "audit/contradictions.h"

#include <math.h>

#include "audit/radix_sort.h"
#include "base/memory.h"

/* The surest rows are those with margins from this quantile on. Noise is taken to follow a rule if labels contradict
 * them at least RULE_RATIO times as often as all rows, and the difference is at least RULE_ERRORS standard errors. */
static const double SUREST_FROM = 0.8, RULE_RATIO = 1.25, RULE_ERRORS = 3;
/* Contradictions are independent of the margins if there are at least LEAST_ROWS of them, but no more than MOST_SHARE
 * of all rows, and their mean rank is at most RANK_ERRORS standard errors below that of the others. */
static const double LEAST_ROWS = 5, MOST_SHARE = 0.25, RANK_ERRORS = 1.5;

double signed_margin(const double *score, size_t classes, uint32_t given)
{
    size_t top = 0;
    double second = -INFINITY;
    for (size_t c = 1; c < classes; c++)
        top = score[c] > score[top] ? c : top;
    for (size_t c = 0; c < classes; c++)
        second = c != top ? fmax(second, score[c]) : second;
    return top == given ? score[top] - second : second - score[top];
}

/* Sorts margins by size, whatever the sign. order[2 * rows] is space. */
static void sort_by_size(double *margin, size_t rows, struct keyed_row *order)
{
    for (size_t i = 0; i < rows; i++)
        order[i] = (struct keyed_row){radix_key(fabs(margin[i])), margin[i] < 0};
    radix_sort(order, rows, order + rows);
    for (size_t i = 0; i < rows; i++) {
        double size = radix_number(order[i].key);
        margin[i] = order[i].row ? -size : size;
    }
}

/* The sum of the ranks of contradicted rows by the size of their margins; equal sizes share their mean rank. */
static double rank_sum(const double *margin, size_t rows)
{
    double sum = 0;
    for (size_t from = 0, to; from < rows; from = to) {
        double contradicted = 0;
        for (to = from; to < rows && fabs(margin[to]) == fabs(margin[from]); to++)
            contradicted += margin[to] < 0;
        sum += contradicted * ((double)from + (double)to + 1) / 2;
    }
    return sum;
}

temper_status contradictions_of(double *margin, size_t rows, struct contradictions *found)
{
    double wrong = 0, surest = 0, all = (double)rows;
    size_t from = (size_t)(SUREST_FROM * all);
    struct keyed_row *order = mem_alloc(rows, 2 * sizeof *order);
    if (!order)
        return TEMPER_NO_MEMORY;
    sort_by_size(margin, rows, order);
    mem_free(order);
    for (size_t i = 0; i < rows; i++) {
        wrong += margin[i] < 0;
        surest += i >= from && margin[i] < 0;
    }
    struct contradictions out = {.share = wrong / all};
    double count = (double)(rows - from), spread = sqrt(out.share * (1 - out.share) / count);
    surest /= count;
    out.by_rule = wrong > 0 && surest >= RULE_RATIO * out.share && surest - out.share >= RULE_ERRORS * spread;
    double expected = wrong * (all + 1) / 2, error = sqrt(wrong * (all - wrong) * (all + 1) / 12);
    out.independent =
        wrong >= LEAST_ROWS && out.share <= MOST_SHARE && rank_sum(margin, rows) - expected >= -RANK_ERRORS * error;
    *found = out;
    return TEMPER_OK;
}
