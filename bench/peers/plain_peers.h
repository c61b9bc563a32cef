/* peers: what the kernels are compared with. */
#ifndef PEERS_H
#define PEERS_H

#include <stddef.h>

void libmvec_logistic(const double *restrict margin, size_t n, double *restrict value, double *restrict slope);
void libm_logistic(const double *margin, size_t n, double *value, double *slope);

/* The paper's algorithms, as plainly as it prints them. */
void paper_margins(const double *margin, size_t n, double t1, double t2, double *value, double *slope);
/* One row at a time: Algorithm 1 until it changes by at most 1e-7 (the accuracy of a float), then
 * the loss and its gradient. */
double paper_row(const double *a, size_t n, size_t label, double t1, double t2, double *gradient);

/* A row times weights, and `to` plus a multiple of a row; compiled for the machine at hand. */
float plain_times(const float *restrict x, const float *restrict w, size_t n);
void plain_add(float *restrict to, float factor, const float *restrict x, size_t n);

/* Reads a libsvm file into arrays of (int, double) as LIBLINEAR does: line by line, once to count
 * and once to read, with strtok_r, strtol and strtod, and the same checks. On one file both took
 * the same time within two percent: liblinear-train 2.3.0 from opening to closing it, and this.
 * Returns the number of entries. */
size_t line_by_line(const char *path);

/* Undoes a gzip file in memory with zlib, and counts the bytes. */
size_t only_inflate(const char *path);

#endif
