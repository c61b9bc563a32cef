/* tmpr_layout: computes the layout of a .tmpr file from a few numbers, and encodes and decodes its header.
 *
 * Numbers of rows, columns, entries and names determine the length of every section, and the order of the sections
 * their offsets. Writer and reader compute the same layout by the same function; the reader encodes the header again
 * from the numbers that it has decoded, and compares the bytes. So a file cannot make the reader use an offset that the
 * numbers do not imply. Every multiplication and addition is checked for overflow. */
#include "data/tmpr/tmpr_layout.h"

#include <string.h>

#include "base/memory.h"
#include "base/path.h"

/* Offsets and alignments in bytes. */
enum {
    SECTION_ALIGNMENT = 64,
    BULK_ALIGNMENT = 4096, /* a page: a block can be dropped from memory when it is done with */
    TABLE_OFFSET = 64
};

/* ---- The layout ------------------------------------------------------------------------------ */

/* Bytes of an element of TMPR_VALUES: a feature value of a dense matrix, or a stored value of a sparse one. */
static uint64_t value_size(enum matrix_kind kind)
{
    static const uint64_t sizes[] = {
        [MATRIX_F32] = sizeof(float), [MATRIX_F64] = sizeof(double), [MATRIX_U8] = 1, [MATRIX_CSR] = sizeof(float)};
    return sizes[kind];
}

/* Sizes in a file are 64-bit; a size that this machine cannot address is refused. The inputs come from a file and may
 * be anything. */
static bool multiply(uint64_t a, uint64_t b, uint64_t *out)
{
    size_t product;
    if (a > SIZE_MAX || b > SIZE_MAX || !mul_size((size_t)a, (size_t)b, &product))
        return false;
    *out = product;
    return true;
}

/* Rounds an offset up to a multiple of `alignment`; false if that would overflow. */
static bool align_up(uint64_t *at, uint64_t alignment)
{
    if (*at > UINT64_MAX - (alignment - 1))
        return false;
    *at = (*at + alignment - 1) / alignment * alignment;
    return true;
}

/* Moves an offset past a section of `length` bytes, to where the next one may begin; false on overflow. */
static bool step_over(uint64_t *at, uint64_t length)
{
    if (*at > UINT64_MAX - length)
        return false;
    *at += length;
    return align_up(at, SECTION_ALIGNMENT);
}

/* Computes the length in bytes of every array. On input the length of labels, weights and lines is 0 or 1, whether the
 * array is present, and so multiplying it by rows and element size gives 0 for absent ones. */
static bool plan_lengths(struct tmpr_layout *l)
{
    /* The two arrays that only sparse matrices have are present exactly for these. */
    bool sparse = l->kind == MATRIX_CSR;
    uint64_t *length = l->length;
    length[TMPR_ROW_START] = sparse ? 1 : 0;
    length[TMPR_COLUMNS] = sparse ? 1 : 0;
    return multiply(length[TMPR_LABELS], l->rows, &length[TMPR_LABELS]) &&
           multiply(length[TMPR_LABELS], sizeof(uint32_t), &length[TMPR_LABELS]) &&
           multiply(length[TMPR_WEIGHTS], l->rows, &length[TMPR_WEIGHTS]) &&
           multiply(length[TMPR_WEIGHTS], sizeof(double), &length[TMPR_WEIGHTS]) &&
           multiply(length[TMPR_LINES], l->rows, &length[TMPR_LINES]) &&
           multiply(length[TMPR_LINES], sizeof(uint64_t), &length[TMPR_LINES]) &&
           multiply(length[TMPR_ROW_START], l->rows + 1, &length[TMPR_ROW_START]) &&
           multiply(length[TMPR_ROW_START], sizeof(uint64_t), &length[TMPR_ROW_START]) &&
           multiply(length[TMPR_COLUMNS], l->nonzeros, &length[TMPR_COLUMNS]) &&
           multiply(length[TMPR_COLUMNS], sizeof(uint32_t), &length[TMPR_COLUMNS]) &&
           multiply(l->nonzeros, value_size(l->kind), &length[TMPR_VALUES]);
}

/* Computes the number of blocks from the length of the bulk, and from it the length of the list of checksums. The head
 * must be known before the bulk is placed, and so this precedes plan_offsets. */
static bool plan_blocks(struct tmpr_layout *l)
{
    uint64_t bulk = 0;
    /* Each section is padded to the alignment, and the padding belongs to the blocks. */
    for (int i = TMPR_LABELS; i < TMPR_SECTIONS; i++)
        if (!step_over(&bulk, l->length[i]))
            return false;
    uint64_t blocks = bulk / TMPR_BLOCK + (bulk % TMPR_BLOCK != 0);
    l->blocks = (size_t)blocks;
    return multiply(blocks, sizeof(uint64_t), &l->length[TMPR_CHECKSUMS]);
}

/* Places the sections one after another, aligned to 64 bytes; the bulk begins at a page boundary, so that pages of it
 * can be mapped and dropped separately. */
static bool plan_offsets(struct tmpr_layout *l)
{
    /* Sections of length 0 get an offset too, which makes the table of sections unique for a layout. */
    uint64_t at = TMPR_HEADER;
    for (int i = 0; i < TMPR_SECTIONS; i++) {
        if (i == TMPR_LABELS && !align_up(&at, BULK_ALIGNMENT))
            return false;
        l->offset[i] = at;
        if (!step_over(&at, l->length[i]))
            return false;
    }
    l->file_length = at;
    return at <= PTRDIFF_MAX; /* so that pointers into it can be subtracted */
}

/* Whether the numbers of the header are consistent: class names exist exactly if there are labels, feature names for
 * all features or none (each takes at least its '\0'), and a dense matrix has rows * columns values. Without these
 * checks a later step could divide or index by nonsense. */
static bool numbers_fit(const struct tmpr_layout *l)
{
    uint64_t cells;
    bool labelled = l->length[TMPR_LABELS] != 0;
    /* rows + 1 row starts must not overflow. */
    if (l->rows == 0 || l->rows == UINT64_MAX || labelled != (l->classes > 0))
        return false;
    if (l->classes > MOST_CLASSES || l->length[TMPR_CLASS_NAMES] < l->classes ||
        labelled != (l->length[TMPR_CLASS_NAMES] > 0))
        return false;
    if (l->length[TMPR_FEATURE_NAMES] > 0 && l->length[TMPR_FEATURE_NAMES] < l->columns)
        return false;
    /* Column indices are 32-bit numbers. */
    if (l->kind == MATRIX_CSR)
        return l->columns <= (uint64_t)UINT32_MAX + 1;
    return multiply(l->rows, l->columns, &cells) && cells == l->nonzeros;
}

/* The steps in this order, since each uses the results of those before. */
bool tmpr_layout_plan(struct tmpr_layout *layout)
{
    return numbers_fit(layout) && plan_lengths(layout) && plan_blocks(layout) && plan_offsets(layout);
}

/* The bytes [*from, *to) of the file that a block covers. The last block may be shorter. */
void tmpr_block_range(const struct tmpr_layout *layout, size_t block, uint64_t *from, uint64_t *to)
{
    *from = tmpr_bulk_offset(layout) + (uint64_t)block * TMPR_BLOCK;
    *to = layout->file_length - *from > TMPR_BLOCK ? *from + TMPR_BLOCK : layout->file_length;
}

/* ---- The header ------------------------------------------------------------------------------ */

/* Encodes an integer little-endian, byte by byte, so that the header is right on any machine. */
static void put(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

/* The inverse of put. */
static uint64_t get(const unsigned char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

/* The entry of a section in the header's table: offset and length, 8 bytes each. */
static unsigned char *table_row(unsigned char *header, int section)
{
    return header + TABLE_OFFSET + (size_t)16 * (size_t)section;
}

/* Encodes the header. All bytes that are not set here are zero, the checksum too; the writer fills that in at the end.
 * */
void tmpr_header_encode(const struct tmpr_layout *layout, unsigned char header[TMPR_HEADER])
{
    memset(header, 0, TMPR_HEADER);
    /* Fixed positions, as docs/tmpr.md has them. */
    memcpy(header, TMPR_MAGIC, TMPR_MAGIC_LENGTH);
    put(header + 8, TMPR_VERSION, 4);
    put(header + 12, (uint64_t)layout->kind, 4);
    put(header + 16, layout->rows, 8);
    put(header + 24, layout->columns, 8);
    put(header + 32, layout->nonzeros, 8);
    put(header + 40, layout->file_length, 8);
    put(header + 48, layout->classes, 8);
    /* The table of sections is redundant; it is there for readers that are not temper. */
    for (int i = 0; i < TMPR_SECTIONS; i++) {
        put(table_row(header, i), layout->offset[i], 8);
        put(table_row(header, i) + 8, layout->length[i], 8);
    }
}

/* Decodes the numbers that cannot be computed from others. The lengths of optional arrays are reduced to 0 or 1: their
 * true lengths follow from the number of rows, and what the file claims is not used. */
static bool read_numbers(const unsigned char *header, struct tmpr_layout *layout)
{
    /* MATRIX_CSR is the last kind; an unknown one would index the table of sizes out of range. */
    uint64_t kind = get(header + 12, 4);
    if (kind > MATRIX_CSR)
        return false;
    *layout = (struct tmpr_layout){.kind = (enum matrix_kind)kind,
                                   .rows = get(header + 16, 8),
                                   .columns = get(header + 24, 8),
                                   .nonzeros = get(header + 32, 8),
                                   .classes = get(header + 48, 8)};
    /* Only the lengths of names are taken as they are; numbers_fit bounds them from below, and the file length from
     * above. */
    for (int i = 0; i < TMPR_SECTIONS; i++) {
        uint64_t length = get(header + TABLE_OFFSET + (size_t)16 * (size_t)i + 8, 8);
        layout->length[i] = i < TMPR_CHECKSUMS ? length : length != 0;
    }
    return true;
}

/* Decodes and checks the header: computes the layout from its numbers, encodes that again and compares all bytes. So
 * every wrong byte is noticed, and no offset of a damaged or hostile file is ever used. */
temper_status tmpr_header_decode(const unsigned char header[TMPR_HEADER], const char *path, struct tmpr_layout *layout,
                                 temper_error *error)
{
    char place[PATH_SHOWN];
    unsigned char expected[TMPR_HEADER];
    uint64_t version = get(header + 8, 4);
    path_shown(path, place);
    if (memcmp(header, TMPR_MAGIC, TMPR_MAGIC_LENGTH) != 0)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: does not begin like a .tmpr file; name its format with --format, or "
                         "copy it again (as binary)",
                         place);
    if (version > TMPR_VERSION)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: made by a newer temper: version %llu of the format, this one reads up "
                         "to %d; update temper",
                         place, (unsigned long long)version, TMPR_VERSION);
    /* The checksum is copied, since it is verified separately, over the whole head. */
    bool right = version == TMPR_VERSION && read_numbers(header, layout) && tmpr_layout_plan(layout);
    if (right) {
        tmpr_header_encode(layout, expected);
        memcpy(expected + TMPR_CHECKSUM_OFFSET, header + TMPR_CHECKSUM_OFFSET, 8);
    }
    if (!right || memcmp(header, expected, TMPR_HEADER) != 0)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: damaged: the numbers in its header contradict each other; copy it "
                         "again, or convert its source again",
                         place);
    return TEMPER_OK;
}

/* Refuses big-endian machines: the arrays are mapped as they are, and so memory must have the byte order of the file.
 * */
temper_status tmpr_check_host(const char *path, temper_error *error)
{
    static const uint16_t one = 1;
    unsigned char first;
    char place[PATH_SHOWN];
    memcpy(&first, &one, 1);
    if (first == 1)
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE,
                     "%s: .tmpr files are for little-endian machines, and this one is big-endian; "
                     "use another format, npy for one",
                     path_shown(path, place));
}
