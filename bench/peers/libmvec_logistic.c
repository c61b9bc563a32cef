/* A peer: logistic loss and slope as a compiler vectorises it with glibc's libmvec. Compiled with
 * -O3 -ffast-math for the widest vectors: what a numerical programmer gets for free. */
#include <math.h>
#include <stddef.h>

#include "peers/plain_peers.h"

void libmvec_logistic(const double *restrict margin, size_t n, double *restrict value, double *restrict slope)
{
    for (size_t i = 0; i < n; i++) {
        double e = exp(-fabs(margin[i]));
        double r = 1 / (1 + e);
        value[i] = log1p(e) + (margin[i] < 0 ? -margin[i] : 0);
        slope[i] = margin[i] < 0 ? -r : -e * r;
    }
}
