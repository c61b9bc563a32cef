/* dense_array: reads a rectangle of numbers from a stream, the common part of NPY and IDX.
 *
 * Numbers that have the type of the matrix are read to their final place, and checked there; others pass through a
 * buffer, a chunk at a time. Integers are stored as floats until one of them is not exact as a float; then the matrix
 * is converted to doubles, once, in place. Fortran order is transposed at the end, in tiles that fit into the
 * first-level cache. */
#include "data/read/dense_array.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/path.h"
#include "base/thread.h"

enum {
    CHUNK = 1 << 16,       /* elements read at a time */
    SHARE = 1 << 22,       /* bytes that are worth a thread */
    FIRST_ROOM = 1 << 20,  /* elements, if the length of the stream is not known */
    DRAIN_LIMIT = 1 << 26, /* bytes that are counted after the end, for a message */
    SPAN = 1 << 21,        /* bytes of the matrix that a thread fills one after the other: a huge page */
    PIECE = 1 << 10,       /* integers that a thread converts at a time */
    TILE = 32              /* rows and columns transposed at a time: two tiles fit in the first-level cache */
};

/* A matrix that is being filled from the stream, in the order of the file. */
struct dense_fill {
    const struct data_reader *reader;
    const struct rectangle *plan;
    uint64_t total, done; /* elements */
    enum matrix_kind kind;
    unsigned char *out;
    size_t capacity;    /* elements that fit in `out` */
    unsigned char *raw; /* CHUNK elements as they are in the file, if they must be converted */
};

/* ---- Messages -------------------------------------------------------------------------------- */

/* Reports both lengths: the bytes of numbers that there are, `held` (or more than that, if `more`), and those that the
 * header specifies. */
static temper_status wrong_length(const struct dense_fill *f, uint64_t held, bool more)
{
    const struct rectangle *plan = f->plan;
    uint64_t wanted = f->total * plan->element.size;
    char place[PATH_SHOWN];
    return error_set(f->reader->error, TEMPER_BAD_DATA,
                     "%s: there are %s%llu bytes of numbers, but the header specifies %llu x %llu of "
                     "%zu bytes each, %llu in all; %s",
                     path_shown(f->reader->path, place), more ? "more than " : "", (unsigned long long)held,
                     (unsigned long long)plan->rows, (unsigned long long)plan->columns, plan->element.size,
                     (unsigned long long)wanted,
                     held < wanted ? "it was cut off: copy it or save it again"
                                   : "something was appended to it: save it again");
}

/* The row and column of element `index` of the stream, counted from 1. In Fortran order consecutive elements are in one
 * column. */
static void position_of(const struct rectangle *plan, uint64_t index, size_t *row, size_t *column)
{
    uint64_t r = plan->by_columns ? index % plan->rows : index / plan->columns;
    uint64_t c = plan->by_columns ? index / plan->rows : index % plan->columns;
    *row = (size_t)r + 1;
    *column = (size_t)c + 1;
}

/* Reports an element that cannot be used, with its row and column instead of a line. */
static temper_status bad_value(const struct dense_fill *f, uint64_t index, const char *what, const char *remedy)
{
    size_t row, column;
    char place[PATH_SHOWN];
    position_of(f->plan, index, &row, &column);
    return error_at(f->reader->error, TEMPER_BAD_DATA, row, column,
                    "%s:%zu:%zu: the value in row %zu, column %zu %s; %s", path_shown(f->reader->path, place), row,
                    column, row, column, what, remedy);
}

/* Reports NaN or an infinity. Missing values can be filled only in CSV, where --missing applies; the message says so if
 * that option was given. */
static temper_status not_finite(const struct dense_fill *f, uint64_t index, double value)
{
    const char *what = isnan(value) ? "is nan" : value > 0 ? "is inf" : "is -inf";
    return bad_value(f, index, what,
                     f->reader->options->missing ? "--missing is for CSV: replace it, or drop the row, and save again"
                                                 : "replace it, or drop the row, and save again");
}

/* ---- Filling --------------------------------------------------------------------------------- */

/* Bytes of an element of the matrix. */
static size_t kind_size(enum matrix_kind kind)
{
    return kind == MATRIX_U8 ? 1 : kind == MATRIX_F64 ? sizeof(double) : sizeof(float);
}

/* Makes `out` large enough for `count` elements. The capacity doubles up to the total: memory is allocated as bytes
 * arrive, so that a header with false sizes costs nothing. */
static temper_status reserve(struct dense_fill *f, uint64_t count)
{
    size_t capacity = f->capacity ? f->capacity : FIRST_ROOM;
    while (capacity < count)
        capacity *= 2; /* does not overflow: `count` is at most the total, which was checked */
    if (capacity > f->total)
        capacity = (size_t)f->total;
    if (capacity <= f->capacity)
        return TEMPER_OK;
    /* The first allocation may be of the whole matrix, whose page faults would take as long as reading it. */
    bool first = !f->reader->spill && !f->out;
    unsigned char *out = first ? mem_aligned(capacity, kind_size(f->kind))
                               : array_resize(f->reader->spill, f->out, capacity, kind_size(f->kind));
    if (!out)
        return error_no_memory(f->reader->error);
    f->out = out;
    f->capacity = capacity;
    return TEMPER_OK;
}

/* Converts the floats so far to doubles, from the last to the first, so that one array is enough. Every float is a
 * double, and so no value changes. */
static temper_status widen(struct dense_fill *f)
{
    unsigned char *out = array_resize(f->reader->spill, f->out, f->capacity, sizeof(double));
    if (!out)
        return error_no_memory(f->reader->error);
    f->out = out;
    f->kind = MATRIX_F64;
    for (size_t i = (size_t)f->done; i-- > 0;) {
        float narrow;
        memcpy(&narrow, out + i * sizeof narrow, sizeof narrow);
        double wide = (double)narrow;
        memcpy(out + i * sizeof wide, &wide, sizeof wide);
        disk_array_used(f->reader->spill, sizeof wide);
    }
    return TEMPER_OK;
}

/* Appends an integer as a float or a double. The caller has checked that the conversion is exact. */
static void store_integer(struct dense_fill *f, struct integer integer)
{
    double wide = (double)integer.magnitude;
    wide = integer.negative ? -wide : wide;
    float narrow = (float)wide;
    if (f->kind == MATRIX_F64)
        memcpy(f->out + f->done * sizeof wide, &wide, sizeof wide);
    else
        memcpy(f->out + f->done * sizeof narrow, &narrow, sizeof narrow);
    f->done++;
}

/* Converts `count` integers from `raw`. Integers up to 2^24 are exact as floats, which take half the memory; the first
 * larger one changes the whole matrix to doubles. An integer that even a double does not represent is refused, not
 * rounded. */
static temper_status convert_integers(struct dense_fill *f, size_t count)
{
    struct element element = f->plan->element;
    temper_status status = TEMPER_OK;
    size_t done = 0;
    void *floats = f->out;
    if (f->kind == MATRIX_F32)
        done = integers_to_floats(f->raw, element, count, (float *)floats + f->done);
    f->done += done;
    for (size_t i = done; i < count && status == TEMPER_OK; i++) {
        struct integer integer = integer_load(f->raw + i * element.size, element);
        bool narrow = integer.magnitude <= EXACT_IN_FLOAT;
        if (!narrow && !integer_fits_double(integer))
            return bad_value(f, f->done, "is an integer that no double holds", "divide or round it, and save again");
        if (!narrow && f->kind == MATRIX_F32)
            status = widen(f);
        if (status == TEMPER_OK)
            store_integer(f, integer);
    }
    return status;
}

/* Checks `count` elements that were read directly to their final place, from element `from` on: floats must be finite,
 * truth values 0 or 1. The kernels rely on finite features. */
static temper_status check_chunk(const struct dense_fill *f, uint64_t from, size_t count)
{
    assert(f->out);
    const void *at = f->out + from * kind_size(f->kind);
    const unsigned char *bytes = at;
    size_t bad = count;
    if (f->kind == MATRIX_F32 && (bad = first_not_finite_f32(at, count)) < count)
        return not_finite(f, from + bad, (double)((const float *)at)[bad]);
    if (f->kind == MATRIX_F64 && (bad = first_not_finite_f64(at, count)) < count)
        return not_finite(f, from + bad, ((const double *)at)[bad]);
    for (size_t i = 0; f->plan->element.kind == 'b' && i < count; i++)
        if (bytes[i] > 1)
            return bad_value(f, from + i, "is neither true nor false", "save it again");
    return TEMPER_OK;
}

/* Reads `count` elements: directly to their final place if the file's type is that of the matrix, else to `raw`, from
 * which they are converted. Bytes are swapped first if the file has the other byte order. */
static temper_status read_chunk(struct dense_fill *f, size_t count)
{
    struct element element = f->plan->element;
    size_t got, length = count * element.size;
    TRY(reserve(f, f->done + count));
    assert(f->out); /* there is at least one element */
    unsigned char *into = f->raw ? f->raw : f->out + f->done * element.size;
    TRY(source_read(f->reader->source, into, length, &got, f->reader->error));
    if (got < length)
        return wrong_length(f, f->done * element.size + got, false);
    if (element.big_endian != host_is_big_endian())
        swap_elements(into, count, element.size);
    if (f->raw)
        return convert_integers(f, count);
    TRY(check_chunk(f, f->done, count));
    f->done += count;
    return TEMPER_OK;
}

/* ---- Several threads ------------------------------------------------------------------------- */

/* A file that is read by several threads. */
struct parallel_fill {
    const struct dense_fill *fill;
    size_t chunks, each;     /* each: chunks of a block of parallel_blocks */
    atomic_size_t first_bad; /* the first chunk that failed */
};

/* Reads `count` elements in the byte order of this machine. */
static temper_status read_elements(const struct dense_fill *f, uint64_t from, size_t count, unsigned char *into)
{
    struct element element = f->plan->element;
    TRY(source_read_at(f->reader->source, f->plan->header_size + from * element.size, into, count * element.size,
                       f->reader->error));
    if (element.big_endian != host_is_big_endian())
        swap_elements(into, count, element.size);
    return TEMPER_OK;
}

/* Converts integers that are floats; others fail, without a message. */
static temper_status read_integers(const struct dense_fill *f, uint64_t from, size_t count)
{
    unsigned char raw[PIECE * sizeof(uint64_t)];
    void *floats = f->out;
    float *out = floats;
    for (uint64_t at = from, end = from + count; at < end; at += PIECE) {
        size_t piece = end - at < PIECE ? (size_t)(end - at) : PIECE;
        TRY(read_elements(f, at, piece, raw));
        if (integers_to_floats(raw, f->plan->element, piece, out + at) < piece)
            return TEMPER_BAD_DATA;
    }
    return TEMPER_OK;
}

/* Reads and checks one chunk of CHUNK elements, wherever the others are. */
static temper_status read_place(const struct dense_fill *f, size_t chunk)
{
    uint64_t from = (uint64_t)chunk * CHUNK, left = f->total - from;
    size_t count = left < CHUNK ? (size_t)left : CHUNK;
    if (f->raw)
        return read_integers(f, from, count);
    TRY(read_elements(f, from, count, f->out + from * kind_size(f->kind)));
    return check_chunk(f, from, count);
}

/* Threads cannot share an error: the message is made afterwards. */
static temper_status read_place_quietly(struct parallel_fill *all, size_t chunk)
{
    struct data_reader reader = *all->fill->reader;
    struct dense_fill f = *all->fill;
    reader.error = NULL;
    f.reader = &reader;
    temper_status status = read_place(&f, chunk);
    for (size_t first = atomic_load(&all->first_bad); status != TEMPER_OK && chunk < first;)
        if (atomic_compare_exchange_weak(&all->first_bad, &first, chunk))
            break;
    return status;
}

/* Callback of parallel_blocks: consecutive chunks. Two threads that reach a new huge page at the same time would both
 * clear one. */
static temper_status read_span(void *context, size_t block, size_t worker)
{
    struct parallel_fill *all = context;
    size_t end = (block + 1) * all->each < all->chunks ? (block + 1) * all->each : all->chunks;
    (void)worker;
    for (size_t chunk = block * all->each; chunk < end; chunk++)
        TRY(read_place_quietly(all, chunk));
    return TEMPER_OK;
}

/* Threads for this file, 1 where it has to be read in order: a pipe, an archive, or memory that is limited. */
static size_t fill_threads(const struct dense_fill *f)
{
    size_t asked = f->reader->options->threads, worth = (size_t)(f->total * f->plan->element.size / SHARE) + 1;
    if (f->reader->spill || f->capacity < f->total || worth < 2 || !source_has_places(f->reader->source))
        return 1;
    asked = asked ? asked : thread_count_default();
    return asked < worth ? asked : worth;
}

/* Every thread reads chunks to their final place and checks them there. Integers of which one is no float are left to a
 * single thread, which reads all of them again. */
static temper_status fill_in_parallel(struct dense_fill *f, size_t threads)
{
    size_t chunks = (size_t)((f->total + CHUNK - 1) / CHUNK), span = SPAN / (CHUNK * kind_size(f->kind));
    struct parallel_fill all = {.fill = f, .chunks = chunks, .each = span > 0 ? span : 1};
    atomic_init(&all.first_bad, chunks);
    temper_status status = parallel_blocks((chunks + all.each - 1) / all.each, threads, read_span, &all);
    if (f->raw && status != TEMPER_OK)
        return TEMPER_OK;
    if (atomic_load(&all.first_bad) < chunks)
        return read_place(f, atomic_load(&all.first_bad)); /* for the message */
    f->done = f->total;
    return status == TEMPER_OK ? TEMPER_OK : error_no_memory(f->reader->error);
}

/* Nothing may follow the numbers; extra bytes are counted, up to a limit. Without the limit an endless pipe would be
 * drained. */
static temper_status expect_end(struct dense_fill *f)
{
    unsigned char rest[4096];
    size_t got = 1;
    uint64_t held = f->total * f->plan->element.size, limit = held + DRAIN_LIMIT;
    while (got > 0 && held < limit) {
        TRY(source_read(f->reader->source, rest, sizeof rest, &got, f->reader->error));
        held += got;
    }
    if (held > f->total * f->plan->element.size)
        return wrong_length(f, held, held >= limit);
    return TEMPER_OK;
}

/* If the length of the file is known, a wrong one is reported before anything is read, and otherwise the whole matrix
 * is allocated at once. Pipes and archives have no known length. */
static temper_status check_length(struct dense_fill *f)
{
    const struct rectangle *plan = f->plan;
    uint64_t size = source_file_size(f->reader->source);
    if (size == 0 || source_compression(f->reader->source))
        return TEMPER_OK;
    uint64_t held = size > plan->header_size ? size - plan->header_size : 0;
    if (held != f->total * plan->element.size)
        return wrong_length(f, held, false);
    return reserve(f, f->total);
}

/* ---- Turning --------------------------------------------------------------------------------- */

/* Transposes a rows x columns array: out[j][i] = in[i][j]. It works in tiles of TILE x TILE elements, so that both the
 * reads and the writes of a tile stay in the first-level cache. `size` is a constant in every call, so that memcpy is
 * one instruction. */
static inline void transpose(unsigned char *out, const unsigned char *in, size_t rows, size_t columns, size_t size)
{
    for (size_t top = 0; top < rows; top += TILE)
        for (size_t left = 0; left < columns; left += TILE)
            for (size_t i = top; i < rows && i < top + TILE; i++)
                for (size_t j = left; j < columns && j < left + TILE; j++)
                    memcpy(out + (j * rows + i) * size, in + (i * columns + j) * size, size);
}

/* Brings a file in Fortran order into row order, in a second array of the same size. A single row or column is the same
 * in both orders. */
static temper_status transpose_columns(struct dense_fill *f)
{
    char place[PATH_SHOWN];
    size_t rows = (size_t)f->plan->rows, columns = (size_t)f->plan->columns;
    if (rows == 1 || columns == 1)
        return TEMPER_OK;
    assert(f->out);
    if (f->reader->spill) /* it would visit every page of the output for every page of the input */
        return error_set(f->reader->error, TEMPER_USAGE,
                         "%s: its numbers are column by column, which --memory cannot transpose; save it "
                         "row by row (order C), or drop --memory",
                         path_shown(f->reader->path, place));
    unsigned char *out = mem_alloc((size_t)f->total, kind_size(f->kind));
    if (!out)
        return error_no_memory(f->reader->error);
    /* The stored array is columns x rows. */
    if (f->kind == MATRIX_U8)
        transpose(out, f->out, columns, rows, 1);
    else if (f->kind == MATRIX_F32)
        transpose(out, f->out, columns, rows, sizeof(float));
    else
        transpose(out, f->out, columns, rows, sizeof(double));
    mem_free(f->out);
    f->out = out;
    return TEMPER_OK;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Reads all elements, checks that the stream ends after them, and transposes the matrix if necessary. */
static temper_status fill(struct dense_fill *f)
{
    temper_status status = check_length(f);
    size_t threads = status == TEMPER_OK ? fill_threads(f) : 1;
    if (threads > 1)
        status = fill_in_parallel(f, threads);
    bool in_order = f->done < f->total;
    while (status == TEMPER_OK && f->done < f->total) {
        uint64_t left = f->total - f->done;
        status = read_chunk(f, left < CHUNK ? (size_t)left : CHUNK);
        disk_array_used(f->reader->spill, CHUNK * kind_size(f->kind));
    }
    /* What was read in parallel has the right length, so that nothing follows. */
    if (status == TEMPER_OK && (in_order || threads == 1))
        status = expect_end(f);
    if (status == TEMPER_OK && f->plan->by_columns)
        status = transpose_columns(f);
    return status;
}

/* The type of the matrix, as far as the file's type determines it: integers begin as floats and may become doubles.
 * Bytes stay bytes; signed ones become floats. */
static enum matrix_kind first_kind(struct element element)
{
    if (element.kind == 'f')
        return element.size == sizeof(double) ? MATRIX_F64 : MATRIX_F32;
    return element.size == 1 && element.kind != 'i' ? MATRIX_U8 : MATRIX_F32;
}

/* Computes the number of elements, and refuses an empty array and one that no machine can address: twice its size as
 * doubles must not overflow, since widening and transposing need as much. */
static temper_status count_elements(struct dense_fill *f)
{
    const struct rectangle *plan = f->plan;
    char place[PATH_SHOWN];
    size_t total, bytes;
    path_shown(f->reader->path, place);
    if ((plan->rows == 0 && !f->reader->options->allow_empty) || plan->columns == 0)
        return error_set(f->reader->error, TEMPER_BAD_DATA,
                         "%s: there are no numbers in it: %llu x %llu; give data with at least one "
                         "row and one column",
                         place, (unsigned long long)plan->rows, (unsigned long long)plan->columns);
    if (plan->rows > SIZE_MAX || plan->columns > SIZE_MAX ||
        !mul_size((size_t)plan->rows, (size_t)plan->columns, &total) || !mul_size(total, 2 * sizeof(double), &bytes))
        return error_set(f->reader->error, TEMPER_BAD_DATA,
                         "%s: its header specifies %llu x %llu numbers, more than a machine can "
                         "address; it is damaged: copy it or save it again",
                         place, (unsigned long long)plan->rows, (unsigned long long)plan->columns);
    f->total = total;
    return TEMPER_OK;
}

/* Reads the rectangle into *out, which owns its array unless it is in a temporary file. Integers other than unsigned
 * bytes go through a conversion buffer; all other types are read in place. */
temper_status dense_read(const struct data_reader *reader, const struct rectangle *rectangle, struct matrix *out)
{
    struct dense_fill f = {.reader = reader, .plan = rectangle};
    bool integers = strchr("iu", rectangle->element.kind) != NULL;
    f.kind = first_kind(rectangle->element);
    TRY(count_elements(&f));
    if (integers && f.kind != MATRIX_U8 && !(f.raw = mem_alloc(CHUNK, rectangle->element.size)))
        return error_no_memory(reader->error);
    temper_status status = fill(&f);
    mem_free(f.raw);
    if (status != TEMPER_OK) {
        array_free(reader->spill, f.out);
        return status;
    }
    *out = (struct matrix){.kind = f.kind,
                           .rows = rectangle->rows,
                           .columns = rectangle->columns,
                           .nonzeros = f.total,
                           .dense = f.out,
                           .owned = {reader->spill ? NULL : f.out}};
    return TEMPER_OK;
}
