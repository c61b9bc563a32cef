/* table: datasets made by hand. */
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    if (copy)
        memcpy(copy, text, strlen(text) + 1);
    return copy;
}

static void fill_dense(struct matrix *x, const double *values)
{
    size_t entries = (size_t)(x->rows * x->columns);
    void *block = calloc(entries + 1, sizeof(double)); /* room for any of the kinds */
    double *f64 = block;
    float *f32 = block;
    uint8_t *u8 = block;
    for (size_t i = 0; block && i < entries; i++) {
        if (x->kind == MATRIX_F64)
            f64[i] = values[i];
        else if (x->kind == MATRIX_F32)
            f32[i] = (float)values[i];
        else
            u8[i] = (uint8_t)values[i];
    }
    x->dense = x->owned[0] = block;
    x->nonzeros = entries;
}

static void fill_sparse(struct matrix *x, const double *values)
{
    size_t entries = (size_t)(x->rows * x->columns);
    uint64_t *row_start = calloc((size_t)x->rows + 1, sizeof *row_start);
    uint32_t *column = calloc(entries + 1, sizeof *column);
    float *value = calloc(entries + 1, sizeof *value);
    for (size_t i = 0; row_start && column && value && i < x->rows; i++) {
        for (size_t j = 0; j < x->columns; j++) {
            if (values[i * x->columns + j] != 0) {
                column[x->nonzeros] = (uint32_t)j;
                value[x->nonzeros++] = (float)values[i * x->columns + j];
            }
        }
        row_start[i + 1] = x->nonzeros;
    }
    x->row_start = x->owned[0] = row_start;
    x->column = x->owned[1] = column;
    x->value = x->owned[2] = value;
}

static void fill_labels(struct dataset *data, const char *const *labels)
{
    uint32_t new_number[256];
    size_t rows = (size_t)data->x.rows;
    data->label = calloc(rows + 1, sizeof *data->label);
    for (size_t i = 0; data->label && i < rows; i++)
        data->label[i] = classes_add(&data->classes, labels[i], strlen(labels[i]));
    classes_sort(&data->classes, new_number, NULL);
    for (size_t i = 0; data->label && i < rows; i++)
        data->label[i] = new_number[data->label[i]];
}

struct dataset *table_make(enum matrix_kind kind, size_t rows, size_t columns, const double *values,
                           const char *const *labels)
{
    struct dataset *data = calloc(1, sizeof *data);
    if (!data)
        return NULL;
    data->x = (struct matrix){.kind = kind, .rows = rows, .columns = columns};
    if (kind == MATRIX_CSR)
        fill_sparse(&data->x, values);
    else
        fill_dense(&data->x, values);
    if (labels)
        fill_labels(data, labels);
    data->line = calloc(rows + 1, sizeof *data->line);
    for (size_t i = 0; data->line && i < rows; i++)
        data->line[i] = 10 * (i + 1);
    data->source = copy_text("table.csv");
    data->format = "csv";
    return data;
}

struct dataset *table_pattern(enum matrix_kind kind, size_t rows, size_t columns, size_t classes)
{
    static const char *const names[] = {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"};
    double *values = calloc(rows * columns + 1, sizeof *values);
    const char **labels = (const char **)calloc(rows + 1, sizeof *labels);
    struct dataset *data = NULL;
    if (values && labels) {
        for (size_t i = 0; i < rows; i++) {
            labels[i] = names[i % classes];
            for (size_t j = 0; j < columns; j++)
                values[i * columns + j] = (double)((7 * i + 3 * j) % 5);
        }
        data = table_make(kind, rows, columns, values, labels);
    }
    free(values);
    free((void *)labels);
    return data;
}

bool table_same_bits(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t left, right;
        memcpy(&left, &a[i], sizeof left);
        memcpy(&right, &b[i], sizeof right);
        if (left != right)
            return false;
    }
    return true;
}

bool table_same_row(const struct matrix *a, size_t r, const struct matrix *b, size_t s)
{
    double *left = calloc((size_t)a->columns + 1, sizeof *left);
    double *right = calloc((size_t)b->columns + 1, sizeof *right);
    bool same = left && right && a->columns == b->columns && a->kind == b->kind;
    if (same) {
        matrix_row_f64(a, r, left);
        matrix_row_f64(b, s, right);
        same = table_same_bits(left, right, (size_t)a->columns);
    }
    free(left);
    free(right);
    return same;
}

void table_weigh(struct dataset *data, const double *weights)
{
    data->weight = calloc((size_t)data->x.rows + 1, sizeof *data->weight);
    if (data->weight)
        memcpy(data->weight, weights, (size_t)data->x.rows * sizeof *data->weight);
}

void table_name_columns(struct dataset *data)
{
    char name[32];
    data->features.count = (size_t)data->x.columns;
    data->features.name = (char **)calloc(data->features.count + 1, sizeof *data->features.name);
    for (size_t j = 0; data->features.name && j < data->features.count; j++) {
        snprintf(name, sizeof name, "x%zu", j + 1);
        data->features.name[j] = copy_text(name);
    }
}

struct dataset *table_random(enum matrix_kind kind, size_t rows, size_t columns)
{
    double *values = calloc(rows * columns, sizeof *values);
    struct dataset *data = NULL;
    for (size_t i = 0; values && i < rows * columns; i++) {
        double u = random_uniform((struct random){5, 1}, i);
        values[i] = u < 0.7 ? 0 : floor(u * 200);
        if (kind != MATRIX_U8 && values[i] > 0)
            values[i] += u;
    }
    if (values)
        data = table_make(kind, rows, columns, values, NULL);
    free(values);
    return data;
}
