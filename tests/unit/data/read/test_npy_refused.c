/* NPY: a refusal with the remedy for all that is no table of numbers. */
#include <math.h>

#include "fixtures/data/npy_fixture.h"

SCRATCH_TEST(types_that_are_no_numbers)
{
    static const struct {
        const char *type, *words;
    } cases[] = {
        {"|O", "holds Python objects (dtype '|O'); convert it with .astype(float)"},
        {"<U5", "holds text (dtype '<U5')"},
        {"|S3", "holds text"},
        {"<c8", "holds complex numbers"},
        {"<M8[ns]", "holds dates"},
        {"<m8[s]", "holds time differences"},
        {"|V12", "holds raw bytes"},
        {"<f2", "(dtype '<f2'); convert it with .astype('f4')"},
        {"<f16", "a type that temper does not read"},
        {"|f4", "a type that temper does not read"},
        {"<i3", "a type that temper does not read"},
        {"<i16", "a type that temper does not read"},
        {"<i18446744073709551617", "a type that temper does not read"},
        {"f4", "a type that temper does not read"},
        {"", "a type that temper does not read"},
        {"<f", "a type that temper does not read"},
        {"<\\x01\n", "a type that temper does not read"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        npy_refused(npy_file(cases[i].type, "False", "(1, 1)"), cases[i].words);
    npy_refused(npy_header(1, "{'descr': [('a', '<f4'), ('b', '<i4')], 'fortran_order': False, 'shape': "
                              "(3,), }\n"),
                "holds records (a structured array)");
}

SCRATCH_TEST(shapes_that_are_no_tables)
{
    static const struct {
        const char *shape, *words;
    } cases[] = {
        {"()", "an array of 0 dimensions"},
        {"(2, 2, 2)", "an array of 3 dimensions is not a table of rows and features; save a.reshape"},
        {"(0, 3)", "there are no numbers in it: 0 x 3"},
        {"(3, 0)", "there are no numbers in it: 3 x 0"},
        {"(3)", "the shape does not end"},
        {"(3, 3", "not a size"},
        {"(-3, 3)", "not a size"},
        {"(3, x)", "not a size"},
        {"(3,,)", "not a size"},
        {"3", "there is no shape"},
        {"(99999999999999999999, 1)", "not a size"},
        {"(18446744073709551615, 18446744073709551615)", "more than a machine can address"},
        {"(4294967296, 4294967296)", "more than a machine can address"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        npy_refused(npy_file("<f4", "False", cases[i].shape), cases[i].words);
}

SCRATCH_TEST(damaged_headers)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "there is no dictionary;"},
        {"{}", "'descr' is missing in the dictionary that ends at byte 12;"},
        {"{'descr': '<f4', 'fortran_order': False}   \n", "'shape' is missing in the dictionary that ends at byte 50;"},
        {"{'descr': '<f4', 'shape': (1,)", "the dictionary does not end;"},
        {"{'descr': '<f4', 'descr': '<f4', 'shape': (1,)}", "there twice, at byte 28;"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "neither True nor False"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", "unknown"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} 1", "after the dictionary"},
        {"{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}", "does not end"},
        {"{'descr: <f4, fortran_order: False, shape: (1,)}", "there is no key"},
        {"{'descr': __import__('os'), 'fortran_order': False, 'shape': (1,)}", "there is no type"},
        {"{descr: '<f4'}", "there is no key"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        npy_refused(npy_header(1, cases[i].text), cases[i].words);
    npy_refused(npy_header(4, "{}"), "version 4.0 of NPY is unknown");
    struct blob blob = {0};
    npy_refused(blob, "cut off in its header");
    blob_add_text(&blob, "NUMPY, or so they say");
    npy_refused(blob, "does not begin like an NPY file");
    blob = npy_header(2, "{'descr': '<f4'");
    blob.bytes[11] = 1; /* 16 MiB of header */
    npy_refused(blob, "cannot be right");
    blob = npy_header(1, "{'descr': '<f4'");
    blob.bytes[8] = 200;
    npy_refused(blob, "cut off in its header, of which 15 bytes are there and 200 should be");
}

SCRATCH_TEST(wrong_lengths)
{
    struct blob blob = npy_file("<f4", "False", "(5, 5)");
    uint64_t zeros[26] = {0};
    add_numbers(&blob, zeros, 24, 4, false);
    npy_refused(blob, "there are 96 bytes of numbers, but the header specifies 5 x 5 of 4 bytes each, 100 "
                      "in all; it was cut off");
    blob = npy_file("<f4", "False", "(5, 5)");
    add_numbers(&blob, zeros, 26, 4, false);
    npy_refused(blob, "there are 104 bytes of numbers, but the header specifies 5 x 5 of 4 bytes each, 100 "
                      "in all; something was appended to it");
    npy_refused(npy_file("<f8", "False", "(1000000, 1000000)"), "there are 0 bytes of numbers");
    struct blob packed = {0};
    blob = npy_file("<i8", "True", "(1000000, 1000000)");
    blob_add_gzip(&packed, blob.bytes, blob.length);
    npy_refused(packed, "there are 0 bytes of numbers");
    blob_free(&blob);
}

SCRATCH_TEST(values_that_are_not_finite)
{
    uint64_t f32[6] = {0}, f64[6] = {0}, truth[] = {0, 1, 2};
    struct blob blob = npy_file("<f4", "False", "(2, 3)");
    f32[1] = bits_f32(NAN);
    add_numbers(&blob, f32, 6, 4, false);
    npy_refused(blob, ":1:2: the value in row 1, column 2 is nan; replace it");
    blob = npy_file(">f8", "True", "(2, 3)");
    f64[4] = bits_f64((double)-INFINITY);
    add_numbers(&blob, f64, 6, 8, true);
    npy_refused(blob, ":1:3: the value in row 1, column 3 is -inf");
    blob = npy_file("<f8", "False", "(2, 3)");
    f64[4] = 0;
    f64[3] = bits_f64((double)INFINITY);
    add_numbers(&blob, f64, 6, 8, false);
    npy_refused(blob, ":2:1: the value in row 2, column 1 is inf");
    blob = npy_file("|b1", "False", "(3,)");
    add_numbers(&blob, truth, 3, 1, false);
    npy_refused(blob, ":3:1: the value in row 3, column 1 is neither true nor false");
}

TEST_LIST(LISTED(types_that_are_no_numbers), LISTED(shapes_that_are_no_tables), LISTED(damaged_headers),
          LISTED(wrong_lengths), LISTED(values_that_are_not_finite))
