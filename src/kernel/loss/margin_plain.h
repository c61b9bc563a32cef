/* margin_plain: one margin at a time, for building tables and for what lies outside of them. */
#ifndef KERNEL_MARGIN_PLAIN_H
#define KERNEL_MARGIN_PLAIN_H

#include "kernel/loss/margin.h"
#include "tempered/losses.h"

/* Horner's scheme; |margin| below the polynomials' limit. */
struct margin_loss margin_polynomial(const struct margin_polynomials *polynomials, double margin);
/* t2 = 1, by the formula. */
struct margin_loss margin_sigmoid(double margin, double t1);

#endif
