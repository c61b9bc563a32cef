/* test_data_csv: what the tests of CSV have in common: a text in, a dataset or an error out. */
#ifndef TEST_DATA_CSV_H
#define TEST_DATA_CSV_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/read/read.h"
#include "scratch.h"
#include "test.h"

/* The text as the file t.csv, read as CSV unless the options say otherwise; NULL on failure. */
static inline struct dataset *csv_bytes(const char *text, size_t length,
                                        temper_read_options options, temper_error *error)
{
    struct dataset *data = NULL;
    const char *path = options.format && strcmp(options.format, "tsv") == 0 ? "t.tsv" : "t.csv";
    if (!options.format)
        options.format = "csv";
    scratch_write(path, text, length);
    *error = (temper_error){.status = TEMPER_OK};
    temper_status status = dataset_read(path, &options, &data, error);
    CHECKF((status == TEMPER_OK) == (data != NULL), "%s", error->message);
    CHECKF(status == error->status, "%s", error->message);
    return data;
}

/* The same for a text that should be read. */
static inline struct dataset *csv_good(const char *text, temper_read_options options)
{
    temper_error error;
    struct dataset *data = csv_bytes(text, strlen(text), options, &error);
    CHECKF(data != NULL, "%s", error.message);
    if (!data)
        exit(1); /* nothing further could be said */
    return data;
}

/* Bit for bit: 0 is not -0. */
static inline bool csv_same_bits(const void *a, const void *b, size_t length)
{
    return memcmp(a, b, length) == 0;
}

static inline float csv_value(const struct dataset *data, size_t row, size_t column)
{
    return ((const float *)data->x.dense)[row * data->x.columns + column];
}

/* The names of the features or the classes, with blanks between. */
static inline const char *csv_joined(char **name, size_t count)
{
    static char joined[512];
    size_t used = 0;
    joined[0] = '\0';
    for (size_t i = 0; i < count && used + strlen(name[i]) + 2 < sizeof joined; i++) {
        if (i > 0)
            joined[used++] = ' ';
        memcpy(joined + used, name[i], strlen(name[i]) + 1);
        used += strlen(name[i]);
    }
    return joined;
}

/* The first rows of the matrix as text: "1 2|3 4". */
static inline const char *csv_rows(const struct dataset *data)
{
    static char rows[512];
    size_t used = 0;
    rows[0] = '\0';
    for (size_t r = 0; r < data->x.rows; r++)
        for (size_t c = 0; c < data->x.columns && used + 40 < sizeof rows; c++)
            used += (size_t)snprintf(rows + used, sizeof rows - used, "%s%g",
                                     c > 0   ? " "
                                     : r > 0 ? "|"
                                             : "",
                                     (double)csv_value(data, r, c));
    return rows;
}

#endif
