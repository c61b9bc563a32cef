/* peers: what the kernels are compared with. */
#ifndef PEERS_H
#define PEERS_H

#include <stddef.h>

void libmvec_logistic(const double *restrict margin, size_t n, double *restrict value,
                      double *restrict slope);
void libm_logistic(const double *margin, size_t n, double *value, double *slope);

/* The paper's algorithms, as plainly as it prints them. */
void paper_margins(const double *margin, size_t n, double t1, double t2, double *value,
                   double *slope);
/* One row at a time: Algorithm 1 until it changes by at most 1e-7 (the accuracy of a float), then
 * the loss and its gradient. */
double paper_row(const double *a, size_t n, size_t label, double t1, double t2, double *gradient);

#endif
