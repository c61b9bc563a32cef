/* bench_read_files: random numbers as text, the same in every run. */
#include "kernels/bench_read_files.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/random.h"
#include "base/text.h"
#include "data/write/write.h"
#include "temper.h"

struct file file_in(const char *folder, const char *name, size_t threads)
{
    struct file file = {.threads = threads};
    snprintf(file.path, sizeof file.path, "%s/%s", folder, name);
    return file;
}

/* Writes a text as often as it takes. */
static void write_again(struct file *file, struct text *text, int times)
{
    FILE *out = fopen(file->path, "w");
    for (int i = 0; out && !text->failed && i < times; i++)
        fwrite(text->bytes, 1, text->length, out);
    if (out)
        fclose(out);
    file->megabytes = (double)text->length * times / 1e6;
    text_free(text);
}

/* As programs write them; text_format knows no floating-point conversions. */
static void append_number(struct text *text, double value)
{
    char number[64];
    snprintf(number, sizeof number, "%.6g", value);
    text_append(text, number);
}

void make_libsvm(struct file *file, int rows, int different)
{
    const struct random random = {.seed = 1};
    struct text text = {0};
    uint64_t draw = 0;
    for (int row = 0; row < different; row++) {
        text_format(&text, "%d", row % 20);
        for (uint64_t entry = 0, index = 0; entry < 150; entry++) {
            index += 1 + random_below(random, draw++, 600);
            text_format(&text, " %llu:", (unsigned long long)index);
            append_number(&text, random_uniform(random, draw++));
        }
        text_append(&text, "\n");
    }
    write_again(file, &text, rows / different);
}

void make_csv(struct file *file, int rows, int different)
{
    const struct random random = {.seed = 2};
    struct text text = {0};
    uint64_t draw = 0;
    for (int row = 0; row < different; row++) {
        for (int column = 0; column < 50; column++) {
            append_number(&text, random_normal(random, draw++));
            text_append(&text, ",");
        }
        text_format(&text, "%d\n", row % 7);
    }
    write_again(file, &text, rows / different);
}

void make_gzip(const struct file *plain, struct file *packed)
{
    FILE *in = fopen(plain->path, "r");
    gzFile out = gzopen(packed->path, "w6");
    char piece[65536];
    size_t got;
    while (in && out && (got = fread(piece, 1, sizeof piece, in)) > 0)
        gzwrite(out, piece, (unsigned)got);
    if (in)
        fclose(in);
    gzclose(out);
    packed->megabytes = plain->megabytes;
}

void make_tmpr(struct file *file)
{
    enum { ROWS = 1000000, COLUMNS = 1000 };
    uint8_t *pixels = malloc((size_t)ROWS * COLUMNS);
    temper_error error;
    if (!pixels)
        return;
    memset(pixels, 7, (size_t)ROWS * COLUMNS);
    struct dataset data = {.x = {.kind = MATRIX_U8,
                                 .rows = ROWS,
                                 .columns = COLUMNS,
                                 .nonzeros = (uint64_t)ROWS * COLUMNS,
                                 .dense = pixels}};
    if (dataset_write(&data, file->path, "tmpr", &error) != TEMPER_OK)
        fprintf(stderr, "bench: %s\n", error.message);
    free(pixels);
    file->megabytes = 1e3;
}
