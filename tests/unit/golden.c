/* golden: reads reference values. */
#include "golden.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *read_vector(char **cursor, size_t n, size_t line)
{
    double *values = malloc((n ? n : 1) * sizeof *values);
    for (size_t i = 0; values && i < n; i++) {
        char *end;
        values[i] = strtod(*cursor, &end);
        if (end == *cursor) {
            fprintf(stderr, "golden line %zu: number %zu of %zu is missing\n", line, i + 1, n);
            exit(2);
        }
        *cursor = end;
    }
    return values;
}

static double read_number(char **cursor, size_t line)
{
    double *one = read_vector(cursor, 1, line), value = one[0];
    free(one);
    return value;
}

static void parse(char *text, struct golden *row)
{
    row->t1 = read_number(&text, row->line);
    row->t2 = read_number(&text, row->line);
    row->n = (size_t)read_number(&text, row->line);
    row->label = (size_t)read_number(&text, row->line);
    row->a = read_vector(&text, row->n, row->line);
    row->partition = read_number(&text, row->line);
    row->loss = read_number(&text, row->line);
    row->p = read_vector(&text, row->n, row->line);
    row->escort = read_vector(&text, row->n, row->line);
    row->gradient = read_vector(&text, row->n, row->line);
    row->excess = strspn(text, " \t\r\n") == strlen(text) ? NAN : read_number(&text, row->line);
}

bool golden_next(FILE *file, struct golden *row)
{
    char *text = NULL;
    size_t capacity = 0, line = row->line;
    do {
        line++;
        if (getline(&text, &capacity, file) < 0) {
            free(text);
            return false;
        }
    } while (text[0] == '#');
    *row = (struct golden){.line = line};
    parse(text, row);
    free(text);
    return true;
}

void golden_free(struct golden *row)
{
    free(row->a);
    free(row->p);
    free(row->escort);
    free(row->gradient);
    row->a = row->p = row->escort = row->gradient = NULL;
}
