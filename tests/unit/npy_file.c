/* npy_file: headers and numbers, byte by byte. */
#include "npy_file.h"

#include <stdio.h>
#include <string.h>

struct blob npy_header(int version, const char *dictionary)
{
    struct blob blob = {0};
    size_t length = strlen(dictionary);
    unsigned char start[] = {0x93,
                             'N',
                             'U',
                             'M',
                             'P',
                             'Y',
                             (unsigned char)version,
                             0,
                             (unsigned char)length,
                             (unsigned char)(length >> 8),
                             0,
                             0};
    blob_add(&blob, start, version == 1 ? 10 : 12);
    blob_add_text(&blob, dictionary);
    return blob;
}

struct blob npy_file(const char *type, const char *order, const char *shape)
{
    char text[256];
    snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }  \n", type,
             order, shape);
    return npy_header(1, text);
}

void add_numbers(struct blob *blob, const uint64_t *bits, size_t count, size_t size, bool big)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < size; j++) {
            size_t shift = 8 * (big ? size - 1 - j : j);
            unsigned char byte = (unsigned char)(bits[i] >> shift);
            blob_add(blob, &byte, 1);
        }
}

uint64_t bits_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint64_t bits_f64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void npy_refused(struct blob blob, const char *words)
{
    binary_refused(read_npy, "x.npy", blob, words);
    blob_free(&blob);
}
