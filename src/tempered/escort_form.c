/* escort_form: sum of h_c (e_c - q)(e_c - q)'. */
#include "tempered/escort_form.h"

/* A class: its escort q and weight h, and what all the others have of both. */
struct share {
    double q, h, others_q, others_h;
};

static double off_diagonal(struct share j, struct share k)
{
    return j.q * k.q * (j.others_h - k.h) - j.h * k.q * j.others_q - k.h * j.q * k.others_q;
}

static double on_diagonal(struct share j)
{
    return j.h * j.others_q * j.others_q + j.q * j.q * j.others_h;
}

/* The class with the largest q. Near certainty 1 - q would cancel all that the others have, so for
 * this class it is summed. */
static struct share top_share(const double *q, size_t n, const double *matrix, size_t *top)
{
    *top = 0;
    for (size_t c = 1; c < n; c++)
        if (q[c] > q[*top])
            *top = c;
    struct share share = {.q = q[*top], .h = matrix[*top * n + *top]};
    for (size_t c = 0; c < n; c++)
        if (c != *top) {
            share.others_q += q[c];
            share.others_h += matrix[c * n + c];
        }
    return share;
}

void escort_form(const double *q, size_t n, double *matrix)
{
    size_t top;
    const struct share likeliest = top_share(q, n, matrix, &top);
    double sum = likeliest.h + likeliest.others_h;
    for (size_t j = 0; j < n; j++) {
        if (j == top)
            continue;
        double h_j = matrix[j * n + j];
        const struct share share = {q[j], h_j, 1 - q[j], sum - h_j};
        for (size_t k = 0; k < j; k++) {
            double h_k = matrix[k * n + k];
            const struct share other = {q[k], h_k, 1 - q[k], sum - h_k};
            if (k != top)
                matrix[j * n + k] = matrix[k * n + j] = off_diagonal(share, other);
        }
        matrix[j * n + top] = matrix[top * n + j] = off_diagonal(likeliest, share);
    }
    for (size_t j = 0; j < n; j++) {
        double h = matrix[j * n + j];
        matrix[j * n + j] = on_diagonal(j == top ? likeliest : (struct share){q[j], h, 1 - q[j], sum - h});
    }
}
