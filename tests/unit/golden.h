/* golden: rows of 60-digit reference values, as tools/make-golden writes them. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* t1, t2, C, label, activations, G, loss, p, escort, gradient, and in our own files lambda; tab
 * between, space within. */
struct golden {
    double t1, t2;
    size_t n, label;
    double partition, loss;
    double excess;                     /* lambda = G - max a; NaN where the file has none */
    double *a, *p, *escort, *gradient; /* n each */
    size_t line;
};

/* The next row; false at the end. Stops the test program on a malformed file. Free the row. */
bool golden_next(FILE *file, struct golden *row);
void golden_free(struct golden *row);

#endif
