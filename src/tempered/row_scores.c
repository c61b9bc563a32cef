/* row_scores: class, confidence and loss from the scores of one row. */
#include "tempered/row_scores.h"

#include <math.h>

#include "tempered/loss_family.h"

/* The class with the largest score. Two classes have one score, that of class 1 against class 0; a score of 0 and equal
 * scores go to the class with the smaller number. */
uint32_t class_of_scores(const double *a, size_t vectors)
{
    uint32_t best = 0;
    if (vectors == 1)
        return a[0] > 0;
    for (uint32_t k = 1; k < vectors; k++)
        best = a[k] > a[best] ? k : best;
    return best;
}

/* The confidence is the distance to the second best class. It is in units of the scores, so that it orders the rows of
 * one model and does not compare two models. */
uint32_t predicted_with_confidence(const double *a, size_t vectors, double *confidence)
{
    uint32_t best = class_of_scores(a, vectors);
    double second = -INFINITY;
    for (uint32_t k = 0; k < vectors; k++)
        second = k != best ? fmax(second, a[k]) : second;
    *confidence = vectors == 1 ? fabs(a[0]) : a[best] - second;
    return best;
}

/* The loss of one row by its scores. The score of two classes is the margin of class 1; that of class 0 has the other
 * sign. `column` is that of the label in the matrix of label noise, for forward correction; else NULL. `p` is workspace
 * for it. */
double loss_of_scores(temper_loss_spec loss, const double *column, const double *a, size_t vectors, uint32_t label,
                      double *p)
{
    double margin = label == 1 ? a[0] : -a[0];
    if (column && vectors == 1)
        return forward_margin_loss(margin, column[label], column[1 - label]).value;
    if (column)
        return forward_loss(column, a, vectors, p, NULL);
    return vectors == 1 ? any_margin_loss(loss, margin).value : any_loss(loss, a, vectors, label, NULL, NULL);
}
