/* npy: reads and writes arrays of one or two dimensions as numpy.save writes them. Labels come from another file.
 *
 * The header is a Python dictionary, {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }; it is parsed
 * strictly, and nothing is evaluated. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/path.h"
#include "data/quote_text.h"
#include "data/read/dense_array.h"
#include "data/read/read.h"
#include "data/write/write.h"

/* Limits of the header; a real one has about 100 bytes. */
enum {
    MAGIC_LENGTH = 6,
    LONGEST_HEADER = 1 << 16, /* numpy itself stops at 10,000 */
    MOST_DIMENSIONS = 2,
    NPY_ALIGNMENT = 64 /* of the first number, as numpy has it */
};

/* The dictionary of the header while it is parsed, and the rectangle that it describes. */
struct npy_dictionary {
    const struct data_reader *reader;
    const char *text, *at, *end;
    size_t start; /* of the text, in the file */
    bool has_type, has_order, has_shape;
    struct rectangle *out;
};

/* ---- Messages -------------------------------------------------------------------------------- */

/* Reports a header that no version of numpy writes. Positions are bytes of the file, from 1; a header that ends too
 * early has none. */
static temper_status bad_header(const struct npy_dictionary *d, const char *what)
{
    char place[PATH_SHOWN], at[32] = "";
    if (d->at < d->end)
        snprintf(at, sizeof at, " at byte %zu", d->start + (size_t)(d->at - d->text) + 1);
    return error_set(d->reader->error, TEMPER_BAD_DATA,
                     "%s: its header is damaged: %s%s; save it again with numpy.save",
                     path_shown(d->reader->path, place), what, at);
}

/* Reports an array that does not consist of plain numbers, with the conversion that the user can make in numpy. */
static temper_status wrong_type(const struct npy_dictionary *d, struct token_text type, const char *what,
                                const char *remedy)
{
    char place[PATH_SHOWN];
    return error_set(d->reader->error, TEMPER_BAD_DATA, "%s: it holds %s (dtype '%s'); %s",
                     path_shown(d->reader->path, place), what, type.text, remedy);
}

/* ---- Words ----------------------------------------------------------------------------------- */

static void skip_blanks(struct npy_dictionary *d)
{
    while (d->at < d->end && (*d->at == ' ' || *d->at == '\n' || *d->at == '\t'))
        d->at++;
}

/* Consumes the character `wanted`, after blanks; false, without moving, if something else follows. */
static bool take(struct npy_dictionary *d, char wanted)
{
    skip_blanks(d);
    if (d->at == d->end || *d->at != wanted)
        return false;
    d->at++;
    return true;
}

/* The same for a word. */
static bool take_word(struct npy_dictionary *d, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(d);
    if ((size_t)(d->end - d->at) < length || memcmp(d->at, word, length) != 0)
        return false;
    d->at += length;
    return true;
}

/* Consumes a string in either kind of quotes and returns its content [*from, *to). numpy writes no escapes in it. */
static bool take_string(struct npy_dictionary *d, const char **from, const char **to)
{
    skip_blanks(d);
    if (d->at == d->end || (*d->at != '\'' && *d->at != '"'))
        return false;
    /* The closing quote must be of the same kind as the opening one. */
    const char *close = memchr(d->at + 1, *d->at, (size_t)(d->end - d->at - 1));
    if (!close)
        return false;
    *from = d->at + 1;
    *to = close;
    d->at = close + 1;
    return true;
}

/* Consumes a non-negative integer; false if there is none or it exceeds 64 bits. */
static bool take_integer(struct npy_dictionary *d, uint64_t *out)
{
    unsigned long long value;
    skip_blanks(d);
    const char *from = d->at;
    while (d->at < d->end && *d->at >= '0' && *d->at <= '9')
        d->at++;
    if (!number_u64(from, d->at, &value)) {
        d->at = from; /* for the message */
        return false;
    }
    *out = value;
    if (d->at < d->end && *d->at == 'L') /* as Python 2 wrote long integers */
        d->at++;
    return true;
}

/* ---- The type -------------------------------------------------------------------------------- */

/* Kinds of numpy's dtype letters that are not plain numbers, with the remedy for each. */
static const struct {
    char kind;
    const char *what, *remedy;
} refused_types[] = {
    {'O', "Python objects", "convert it with .astype(float), and save again"},
    {'U', "text", "convert it with .astype(float), or pass it as --labels, one a line"},
    {'S', "text", "convert it with .astype(float), or pass it as --labels, one a line"},
    {'a', "text", "convert it with .astype(float), or pass it as --labels, one a line"},
    {'c', "complex numbers", "save .real and .imag as columns"},
    {'M', "dates", "convert them to numbers with .astype('i8'), and save again"},
    {'m', "time differences", "convert them to numbers with .astype('i8'), and save again"},
    {'V', "raw bytes", "save it as numbers"},
};

/* Whether elements of this kind and size can be read. Half and long double floats are not supported. */
static bool is_known(char kind, size_t size)
{
    if (kind == 'f')
        return size == 4 || size == 8;
    if (kind == 'b')
        return size == 1;
    return (kind == 'i' || kind == 'u') && (size == 1 || size == 2 || size == 4 || size == 8);
}

/* The byte orders of numpy: little, big, native, not applicable. */
static bool is_order(char letter)
{
    return letter == '<' || letter == '>' || letter == '=' || letter == '|';
}

/* Parses a dtype such as "<f4": byte order, kind, bytes. '=' is the order of the machine that wrote the file, taken to
 * be this one's; '|' is allowed for single bytes only, which have no order. */
static bool read_type(const char *from, const char *to, struct element *out)
{
    unsigned long long size;
    if (to - from < 3 || !is_order(*from) || !number_u64(from + 2, to, &size))
        return false;
    /* The conversion to size_t may truncate where that has 32 bits; the comparison with 8 covers it. */
    if (!is_known(from[1], (size_t)size) || size > 8 || (*from == '|' && size > 1))
        return false;
    *out = (struct element){
        .kind = from[1], .size = (size_t)size, .big_endian = *from == '>' || (*from == '=' && host_is_big_endian())};
    return true;
}

/* Reports a type that is not supported, with a remedy by its kind. */
static temper_status refuse_type(const struct npy_dictionary *d, const char *from, const char *to)
{
    struct token_text shown = token_text(from, to);
    /* The kind is the letter after the byte order. */
    char kind = to - from > 1 ? from[1] : '\0';
    for (size_t i = 0; i < sizeof refused_types / sizeof *refused_types; i++)
        if (refused_types[i].kind == kind)
            return wrong_type(d, shown, refused_types[i].what, refused_types[i].remedy);
    return wrong_type(d, shown, "numbers of a type that temper does not read",
                      "convert it with .astype('f4') or .astype('f8'), and save again");
}

/* The end of a structured type, [('x', '<f4'), ...], for the message: after its first ']', or at the end of the text.
 * */
static const char *structured_end(const struct npy_dictionary *d)
{
    const char *bracket = memchr(d->at, ']', (size_t)(d->end - d->at));
    return bracket ? bracket + 1 : d->end;
}

/* Parses the value of 'descr'. It is a string for plain arrays, and a list for structured ones, which are refused. */
static temper_status take_type(struct npy_dictionary *d)
{
    const char *from, *to;
    skip_blanks(d);
    /* A structured array: each element is a record of named fields. */
    if (d->at < d->end && *d->at == '[')
        return wrong_type(d, token_text(d->at, structured_end(d)), "records (a structured array)",
                          "save numpy.lib.recfunctions.structured_to_unstructured of it");
    if (!take_string(d, &from, &to))
        return bad_header(d, "there is no type");
    d->has_type = true;
    return read_type(from, to, &d->out->element) ? TEMPER_OK : refuse_type(d, from, to);
}

/* ---- Order and shape ------------------------------------------------------------------------- */

/* Parses the value of 'fortran_order', a Python truth value. */
static temper_status take_order(struct npy_dictionary *d)
{
    d->has_order = true;
    d->out->by_columns = take_word(d, "True");
    if (!d->out->by_columns && !take_word(d, "False"))
        return bad_header(d, "the order is neither True nor False");
    return TEMPER_OK;
}

/* Reports scalars and arrays of more than two dimensions. They are not flattened silently: which axis has the rows is
 * the user's decision. */
static temper_status wrong_dimensions(const struct npy_dictionary *d, size_t dimensions)
{
    char place[PATH_SHOWN];
    return error_set(d->reader->error, TEMPER_BAD_DATA,
                     "%s: an array of %zu dimensions is not a table of rows and features; save "
                     "a.reshape(len(a), -1)%s",
                     path_shown(d->reader->path, place), dimensions,
                     dimensions == 0 ? " of an array that has rows" : "");
}

/* Parses the value of 'shape': (3, 4), or (3,) for one number per row. Further dimensions are counted for the message.
 * */
static temper_status take_shape(struct npy_dictionary *d)
{
    uint64_t size[MOST_DIMENSIONS] = {0, 1}, more;
    size_t count = 0;
    d->has_shape = true;
    if (!take(d, '('))
        return bad_header(d, "there is no shape");
    /* A tuple of one element needs its comma; a comma after the last element is allowed. */
    while (!take(d, ')')) {
        if (!take_integer(d, count < MOST_DIMENSIONS ? &size[count] : &more))
            return bad_header(d, "the shape has something that is not a size");
        count++;
        if (!take(d, ',')) {
            if (count == 1 || !take(d, ')')) /* (3) is no tuple */
                return bad_header(d, "the shape does not end");
            break;
        }
    }
    if (count == 0 || count > MOST_DIMENSIONS)
        return wrong_dimensions(d, count);
    d->out->rows = size[0];
    d->out->columns = size[1];
    return TEMPER_OK;
}

/* ---- The dictionary -------------------------------------------------------------------------- */

/* Whether [from, to) is this key. */
static bool is_key(const char *from, const char *to, const char *key)
{
    return (size_t)(to - from) == strlen(key) && memcmp(from, key, strlen(key)) == 0;
}

/* Parses one key and its value. Each of the three keys may occur once, in any order; numpy writes no others. */
static temper_status take_entry(struct npy_dictionary *d)
{
    const char *from, *to;
    if (!take_string(d, &from, &to) || !take(d, ':'))
        return bad_header(d, "there is no key");
    if (is_key(from, to, "descr") && !d->has_type)
        return take_type(d);
    if (is_key(from, to, "fortran_order") && !d->has_order)
        return take_order(d);
    if (is_key(from, to, "shape") && !d->has_shape)
        return take_shape(d);
    d->at = from - 1; /* its quote */
    return bad_header(d, "a key is unknown, or there twice,");
}

/* Parses the whole dictionary. All three keys must be present, and only blanks (padding) may follow. A comma after the
 * last entry is optional, as in Python. */
static temper_status take_dictionary(struct npy_dictionary *d)
{
    if (!take(d, '{'))
        return bad_header(d, "there is no dictionary");
    while (!take(d, '}')) {
        TRY(take_entry(d));
        if (!take(d, ',')) {
            if (!take(d, '}'))
                return bad_header(d, "the dictionary does not end");
            break;
        }
    }
    /* Messages about missing keys point at the closing brace. */
    const char *close = d->at - 1;
    skip_blanks(d);
    if (d->at != d->end)
        return bad_header(d, "there is something after the dictionary");
    d->at = close; /* where what is missing should be */
    if (!d->has_type)
        return bad_header(d, "'descr' is missing in the dictionary that ends");
    if (!d->has_order)
        return bad_header(d, "'fortran_order' is missing in the dictionary that ends");
    if (!d->has_shape)
        return bad_header(d, "'shape' is missing in the dictionary that ends");
    return TEMPER_OK;
}

/* ---- The bytes ------------------------------------------------------------------------------- */

/* Reads exactly `length` bytes of the header; fewer mean that the file was truncated. */
static temper_status read_all(const struct data_reader *reader, void *bytes, size_t length)
{
    size_t got;
    char place[PATH_SHOWN];
    temper_status status = source_read(reader->source, bytes, length, &got, reader->error);
    if (status != TEMPER_OK || got == length)
        return status;
    return error_set(reader->error, TEMPER_BAD_DATA,
                     "%s: cut off in its header, of which %zu bytes are there and %zu should be; "
                     "copy it or save it again",
                     path_shown(reader->path, place), got, length);
}

/* Reads magic number, version and the length of the dictionary: two bytes in version 1, four in versions 2 and 3,
 * little-endian. *start is the offset of the dictionary. The length is limited before memory is allocated for it. */
static temper_status read_start(const struct data_reader *reader, size_t *length, size_t *start)
{
    unsigned char bytes[12];
    char place[PATH_SHOWN];
    temper_status status = read_all(reader, bytes, 10);
    if (status != TEMPER_OK)
        return status;
    path_shown(reader->path, place);
    if (memcmp(bytes, "\x93NUMPY", MAGIC_LENGTH) != 0)
        return error_set(reader->error, TEMPER_BAD_DATA,
                         "%s: does not begin like an NPY file; name its format with --format", place);
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return error_set(reader->error, TEMPER_BAD_DATA,
                         "%s: version %d.%d of NPY is unknown; save it again with numpy.save", place, bytes[6],
                         bytes[7]);
    /* The ten bytes read so far contain the low half of a four-byte length, too. */
    *start = bytes[6] == 1 ? 10 : 12;
    *length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] > 1 && (status = read_all(reader, bytes + 10, 2)) == TEMPER_OK)
        *length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (status == TEMPER_OK && *length > LONGEST_HEADER)
        return error_set(reader->error, TEMPER_BAD_DATA,
                         "%s: a header of %zu bytes cannot be right: it is damaged; copy it or save it again", place,
                         *length);
    return status;
}

/* Parses the header and leaves the source at the first number. *out is set only on success. */
static temper_status read_header(const struct data_reader *reader, struct rectangle *out)
{
    size_t length = 0, start = 0;
    TRY(read_start(reader, &length, &start));
    /* Not terminated: the parser stops at d.end. */
    char *text = mem_alloc(length, 1);
    if (!text)
        return error_no_memory(reader->error);
    struct rectangle found = {.header_size = start + length};
    struct npy_dictionary d = {
        .reader = reader, .text = text, .at = text, .end = text + length, .start = start, .out = &found};
    temper_status status = read_all(reader, text, length);
    if (status == TEMPER_OK)
        status = take_dictionary(&d);
    mem_free(text);
    if (status == TEMPER_OK)
        *out = found;
    return status;
}

/* ---- Reading and writing --------------------------------------------------------------------- */

/* The reader_fn of NPY. An array in Fortran order is transposed, which is noted, since it takes twice the memory for a
 * while. */
temper_status read_npy(struct data_reader *reader, struct dataset *data)
{
    struct rectangle rectangle;
    temper_status status = read_header(reader, &rectangle);
    if (status == TEMPER_OK)
        status = dense_read(reader, &rectangle, &data->x);
    data_reader_close_source(reader);
    if (status != TEMPER_OK)
        return status;
    data->file.format = "npy";
    if (rectangle.by_columns && rectangle.columns > 1)
        dataset_note(data, "Fortran order: transposed; numpy.ascontiguousarray before saving halves the "
                           "memory that reading takes");
    return TEMPER_OK;
}

/* Writes a header of version 1 to `header` and returns its length. It is padded with blanks so that the numbers begin
 * at a multiple of 64, as numpy does for memory mapping. */
static size_t make_header(const struct matrix *x, char header[2 * NPY_ALIGNMENT])
{
    /* Sparse matrices are written with their zeros, in the type of their values. */
    const char *type = x->kind == MATRIX_U8 ? "u1" : matrix_has_doubles(x) ? "f8" : "f4";
    const char *order = x->kind == MATRIX_U8 ? "|" : host_is_big_endian() ? ">" : "<";
    char text[2 * NPY_ALIGNMENT];
    int written = snprintf(text, sizeof text, "{'descr': '%s%s', 'fortran_order': False, 'shape': (%llu, %llu), }",
                           order, type, (unsigned long long)x->rows, (unsigned long long)x->columns);
    size_t length = (size_t)written, total = 10 + length + 1;
    total = (total + NPY_ALIGNMENT - 1) / NPY_ALIGNMENT * NPY_ALIGNMENT;
    memset(header, ' ', total);
    memcpy(header, "\x93NUMPY\x01", 8); /* and the 0 of version 1.0 */
    header[8] = (char)((total - 10) & 0xff);
    header[9] = (char)((total - 10) >> 8);
    memcpy(header + 10, text, length);
    header[total - 1] = '\n';
    return total;
}

/* The writer_fn of NPY: the matrix alone, in the byte order of this machine. The format has no place for labels,
 * weights or names. */
temper_status write_npy(const struct dataset *data, struct atomic_file *sink, temper_error *error)
{
    char header[2 * NPY_ALIGNMENT];
    size_t length = make_header(&data->x, header);
    TRY(atomic_file_write(sink, header, length, error));
    return dense_write(&data->x, host_is_big_endian(), sink, error);
}
