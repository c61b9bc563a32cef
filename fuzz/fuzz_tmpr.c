/* Any bytes as a .tmpr file, and any content behind right checksums: what is accepted can be used
 * without looking again, and rows that were verified can be used though others were not.
 *
 * The first byte chooses: the bytes as they are; the bytes with checksums put right; or a header
 * made from some of them, with the others as all that follows. */
#define _GNU_SOURCE
#include <xxhash.h>

#include "data/tmpr/tmpr_layout.h"
#include "read_fixture.h"

/* Small files are enough: the layout does not depend on the size, except for the number of blocks. */
enum { LARGEST = 1 << 16 };

/* The file under construction. */
static uint8_t file[LARGEST];

/* Recomputes all checksums of the file, so that its content reaches the checks behind them. */
static void seal(const struct tmpr_layout *layout)
{
    size_t head = (size_t)tmpr_bulk_offset(layout);
    for (size_t i = 0; i < layout->blocks; i++) {
        uint64_t from, to;
        tmpr_block_range(layout, i, &from, &to);
        uint64_t sum = XXH3_64bits(file + from, (size_t)(to - from));
        memcpy(file + layout->offset[TMPR_CHECKSUMS] + i * sizeof sum, &sum, sizeof sum);
    }
    /* The head is hashed without the checksum itself, as the writer does. */
    XXH3_state_t *state = XXH3_createState();
    XXH3_64bits_reset(state);
    XXH3_64bits_update(state, file, TMPR_CHECKSUM_OFFSET);
    XXH3_64bits_update(state, file + TMPR_CHECKSUM_OFFSET + 8, head - TMPR_CHECKSUM_OFFSET - 8);
    uint64_t sum = XXH3_64bits_digest(state);
    memcpy(file + TMPR_CHECKSUM_OFFSET, &sum, sizeof sum);
    XXH3_freeState(state);
}

/* Takes the bytes as a file; if `sealed` and the header is valid, with correct checksums. Returns its length. */
static size_t take_file(struct bytes bytes, bool sealed)
{
    /* A header that does not fit the length would be refused before any checksum. */
    struct tmpr_layout layout;
    size_t size = bytes.left < LARGEST ? bytes.left : LARGEST;
    memcpy(file, bytes.at, size);
    if (sealed && size >= TMPR_HEADER && tmpr_header_decode(file, "", &layout, NULL) == TEMPER_OK &&
        layout.file_length == size)
        seal(&layout);
    return size;
}

/* Makes a file with a valid header from a few bytes, and content from the others, correctly sealed. Returns 0 if there
 * is no such layout or it is too large. */
static size_t make_file(struct bytes bytes)
{
    /* Two bits for the kind of matrix, then one for each optional array. */
    uint8_t parts = take_byte(&bytes);
    struct tmpr_layout layout = {.kind = (enum matrix_kind)(parts % 4),
                                 .rows = take_byte(&bytes) % 64 + 1,
                                 .columns = take_byte(&bytes) % 16,
                                 .nonzeros = take_byte(&bytes)};
    if (layout.kind != MATRIX_CSR)
        layout.nonzeros = layout.rows * layout.columns;
    layout.length[TMPR_LABELS] = parts >> 2 & 1;
    layout.classes = layout.length[TMPR_LABELS] ? take_byte(&bytes) % 8 + 1 : 0;
    layout.length[TMPR_CLASS_NAMES] = layout.classes ? layout.classes + take_byte(&bytes) % 32 : 0;
    layout.length[TMPR_FEATURE_NAMES] = parts >> 3 & 1 ? layout.columns + take_byte(&bytes) % 32 : 0;
    layout.length[TMPR_WEIGHTS] = parts >> 4 & 1;
    layout.length[TMPR_LINES] = parts >> 5 & 1;
    if (!tmpr_layout_plan(&layout) || layout.file_length > LARGEST)
        return 0;
    tmpr_header_encode(&layout, file);
    for (int i = 0; i < TMPR_SECTIONS; i++)
        for (uint64_t j = 0; j < layout.length[i]; j++)
            file[layout.offset[i] + j] = take_byte(&bytes);
    seal(&layout);
    return (size_t)layout.file_length;
}

/* Opens the file without verifying it, verifies some rows, and uses only these: blocks of other rows may be damaged. */
static void check_some_rows(size_t size, uint8_t choice)
{
    struct dataset *data = NULL;
    temper_error error = {0};
    temper_status status = tmpr_open(fuzz_file(file, size), &data, &error);
    if (status != TEMPER_OK) {
        fuzz_check_refusal(status, &error);
        return;
    }
    /* At least one row. */
    uint64_t from = choice % data->x.rows, to = from + (data->x.rows - from) / 2 + 1;
    to = to > data->x.rows ? data->x.rows : to;
    status = tmpr_verify_rows(data, from, to, &error);
    if (status != TEMPER_OK)
        fuzz_check_refusal(status, &error);
    for (uint64_t i = from; status == TEMPER_OK && i < to; i++)
        fuzz_check_row(data, i);
    dataset_free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    uint8_t way = take_byte(&bytes);
    memset(file, 0, sizeof file);
    /* Unused bytes of the buffer are zeros in every run, so that an input is reproducible. */
    size_t length = way % 3 == 2 ? make_file(bytes) : take_file(bytes, way % 3 == 1);
    dataset_free(fuzz_read(read_tmpr, file, length, (temper_read_options){.threads = 1}));
    if (length > 0)
        check_some_rows(length, way);
    return 0;
}
