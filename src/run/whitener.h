/* whitener: the metric of whitened steps for many vectors at once.
 *
 * M = L L' is held as the inverse of L in floats, so that M^-1 v = L'^-1 (L^-1 v) is two products
 * with the kernels of training, 32 vectors at a time; and it stays positive however they round. */
#ifndef RUN_WHITENER_H
#define RUN_WHITENER_H

#include <stdbool.h>
#include <stddef.h>

struct whitener {
    float *inverse; /* n * n, of the lower triangle; above it zeros. NULL: M has no factor */
    size_t n;
};

enum { WHITENER_WIDTH = 32 }; /* vectors at once */

/* M = gram + l2 on the diagonal but for that of an intercept, which is last. False: no memory; the
 * `inverse` of a matrix that is not positive definite is NULL. */
bool whitener_new(const double *gram, size_t n, double l2, bool intercept, struct whitener *out);
void whitener_free(struct whitener *whitener);

/* Space for one thread. */
struct whitener_space {
    float *packed, *turned, *scratch;
    double *sums;
};

bool whitener_space_new(size_t n, struct whitener_space *out);
void whitener_space_free(struct whitener_space *space);

/* Each vector v becomes M^-1 v / bend. At most WHITENER_WIDTH of them; the bits of one do not
 * depend on the others. */
struct whitener_vector {
    double *v;
    double bend;
};

struct kernel;
void whitener_apply(const struct whitener *whitener, const struct kernel *kernel,
                    const struct whitener_vector *vectors, size_t count,
                    struct whitener_space *space);

#endif
