/* range: what an axis should span. */
#include "report/range.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct domain range_of(const double *values, size_t count, size_t stride)
{
    struct domain range = {values[0], values[0]};
    for (size_t i = 1; i < count; i++) {
        range.from = fmin(range.from, values[i * stride]);
        range.to = fmax(range.to, values[i * stride]);
    }
    return range;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

bool range_of_most(const double *values, size_t count, double share, struct domain *range)
{
    double *sorted = mem_alloc(count, sizeof *sorted);
    if (!sorted)
        return false;
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    size_t left_out = (size_t)(share * (double)count);
    *range = (struct domain){sorted[left_out], sorted[count - 1 - left_out]};
    mem_free(sorted);
    return true;
}

struct domain range_padded(struct domain range, double share)
{
    const double narrowest = 1e-4; /* of the larger end */
    double middle = range.from / 2 + range.to / 2, half = range.to / 2 - range.from / 2;
    double least = narrowest * fmax(fabs(range.from), fabs(range.to));
    if (half <= least) /* one value: as far as 0, or 1 around it */
        half = middle == 0 ? 1 : fmax(fabs(middle) / 2, least);
    half *= 1 + 2 * share;
    return (struct domain){middle - half, middle + half};
}
