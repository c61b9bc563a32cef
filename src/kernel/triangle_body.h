/* triangle_body: included by the file of each instruction set, and by the reference. */
#include "kernel/triangle.h"

/* Some vectors' numbers of the same place; compilers make registers of it, whatever their width. */
typedef double lanes __attribute__((vector_size(64)));
struct both {
    lanes a, b; /* two, so that neither waits for itself */
};

static inline void triangle_run(const double *l, size_t n, double *numbers)
{
    struct both *x = (struct both *)numbers;
    for (size_t i = 0; i < n; i++) {
        const double *row = l + i * n;
        lanes a = x[i].a, b = x[i].b;
        for (size_t j = 0; j < i; j++) {
            a -= row[j] * x[j].a;
            b -= row[j] * x[j].b;
        }
        x[i] = (struct both){a / row[i], b / row[i]};
    }
    for (size_t i = n; i-- > 0;) {
        const double *row = l + i * n;
        const lanes a = x[i].a / row[i], b = x[i].b / row[i];
        x[i] = (struct both){a, b};
        for (size_t j = 0; j < i; j++) {
            x[j].a -= row[j] * a;
            x[j].b -= row[j] * b;
        }
    }
}
