/* table: small datasets for tests, the same numbers in each of the four kinds. */
#ifndef TEST_TABLE_H
#define TEST_TABLE_H

#include "data/dataset.h"

/* Owns copies of `values` (rows x columns, small whole numbers, so that every kind holds them) and
 * of the labels (one for each row, sorted into classes; NULL for none). Lines are 10, 20, 30... */
struct dataset *table_make(enum matrix_kind kind, size_t rows, size_t columns, const double *values,
                           const char *const *labels);
/* values[i][j] = (7 i + 3 j) mod 5, with `classes` classes c0, c1... of which row i has i mod
 * classes. */
struct dataset *table_pattern(enum matrix_kind kind, size_t rows, size_t columns, size_t classes);
/* Bit for bit. */
bool table_same_bits(const double *a, const double *b, size_t count);
/* Whether row r of `a` is row s of `b`, entry by entry. */
bool table_same_row(const struct matrix *a, size_t r, const struct matrix *b, size_t s);
/* Gives it weights, copied. */
void table_weigh(struct dataset *data, const double *weights);
/* Names its columns x1, x2... */
void table_name_columns(struct dataset *data);

/* Seven tenths zeros, the rest between 140 and 201; whole numbers for bytes. No labels. */
struct dataset *table_random(enum matrix_kind kind, size_t rows, size_t columns);

#endif
