/* format: the list of formats, and how each is recognised. */
#include "data/read/format.h"

#include <stdbool.h>
#include <string.h>

#include "data/read/unsupported_formats.h"

static const struct format formats[] = {
    {"libsvm", read_libsvm, write_libsvm, " .libsvm .svm .svmlight .t .scale "},
    {"csv", read_csv, write_csv, " .csv .data "},
    {"tsv", read_csv, write_tsv, " .tsv .tab "},
    {"npy", read_npy, write_npy, " .npy "},
    {"idx", read_idx, write_idx, " .idx .idx1-ubyte .idx3-ubyte "},
    {"cifar", read_cifar, write_cifar, " .bin "},
    {"tmpr", read_tmpr, write_tmpr, " .tmpr "},
};
enum { FORMATS = sizeof formats / sizeof *formats };

const char format_names[] = "libsvm, csv, tsv, npy, idx, cifar, tmpr";

const struct format *format_named(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

/* ---- By name
 * --------------------------------------------------------------------------------------- */

/* The extension [*from, *to) of a path, compression aside; empty if there is none. */
static void extension_of(const char *path, const char **from, const char **to)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    *to = name + strlen(name);
    for (int twice = 0; twice < 2; twice++) {
        const char *dot = *to > name ? *to - 1 : name;
        while (dot > name && *dot != '.')
            dot--;
        *from = *dot == '.' ? dot : *to;
        size_t length = (size_t)(*to - *from);
        bool packed = (length == 3 && memcmp(*from, ".gz", 3) == 0) || (length == 4 && memcmp(*from, ".zst", 4) == 0);
        if (!packed)
            return;
        *to = *from;
    }
}

/* MNIST's files have no extension: train-images-idx3-ubyte. */
static bool ends_in_idx(const char *from, const char *to)
{
    return to - from >= 11 && memcmp(to - 10, "idx", 3) == 0 && memcmp(to - 6, "-ubyte", 6) == 0;
}

const struct format *format_of_path(const char *path)
{
    const char *from, *to;
    char wanted[24] = " ";
    extension_of(path, &from, &to);
    if (ends_in_idx(path, to))
        return format_named("idx");
    size_t length = (size_t)(to - from);
    if (length < 2 || length + 3 > sizeof wanted)
        return NULL;
    memcpy(wanted + 1, from, length);
    memcpy(wanted + 1 + length, " ", 2);
    for (size_t i = 0; i < FORMATS; i++)
        if (strstr(formats[i].extensions, wanted))
            return &formats[i];
    return NULL;
}

/* ---- By content
 * ------------------------------------------------------------------------------------- */

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* 0 0 type dimensions: numbers of a known type, one to four dimensions. */
static bool looks_like_idx(const unsigned char *b, size_t n)
{
    bool known = n >= 8 && (b[2] == 0x08 || b[2] == 0x09 || (b[2] >= 0x0b && b[2] <= 0x0e));
    return known && b[0] == 0 && b[1] == 0 && b[3] >= 1 && b[3] <= 4;
}

/* A blank and then digits and a colon, somewhere in the line: " 12:". A comma before it makes it
 * CSV. */
static bool line_is_libsvm(const unsigned char *p, const unsigned char *end)
{
    for (; p < end && *p != ','; p++) {
        const unsigned char *q = p + 1;
        if (!is_blank(*p))
            continue;
        while (q < end && is_digit(*q))
            q++;
        if (q > p + 1 && q < end && *q == ':')
            return true;
    }
    return false;
}

static const struct format *line_format(const unsigned char *line, const unsigned char *end)
{
    while (line < end && is_blank(*line))
        line++;
    size_t length = (size_t)(end - line);
    if (line_is_libsvm(line, end))
        return format_named("libsvm");
    if (memchr(line, ',', length) || memchr(line, ';', length))
        return format_named("csv");
    return memchr(line, '\t', length) ? format_named("tsv") : NULL;
}

/* The first line that says anything: not blank, not a comment. */
static const struct format *text_format(const unsigned char *p, const unsigned char *end)
{
    while (p < end) {
        const unsigned char *newline = memchr(p, '\n', (size_t)(end - p));
        const unsigned char *line_end = newline ? newline : end;
        const struct format *format = *p == '#' ? NULL : line_format(p, line_end);
        if (format)
            return format;
        p = line_end + 1;
    }
    return NULL;
}

const struct format *format_of_content(const unsigned char *bytes, size_t length)
{
    if (length >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0)
        return format_named("npy");
    if (length >= 4 && memcmp(bytes, "TMPR", 4) == 0)
        return format_named("tmpr");
    if (looks_like_idx(bytes, length))
        return format_named("idx");
    if (bytes_are_binary(bytes, length))
        return NULL; /* binary: only its name can tell, and the reader checks */
    return text_format(bytes, bytes + length);
}
