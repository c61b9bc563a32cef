/* .tmpr files with right checksums that no temper wrote: none is accepted, none does harm. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "data/tmpr/tmpr_layout.h"
#include "fixtures/data/binary_format_fixture.h"

static const char path[] = "x.tmpr";

/* Computes the checksum of the head again after a change, since a wrong one would be found first. */
static void seal_head(struct blob blob, uint64_t head)
{
    XXH3_state_t *hash = XXH3_createState();
    XXH3_64bits_reset(hash);
    XXH3_64bits_update(hash, blob.bytes, 56);
    XXH3_64bits_update(hash, blob.bytes + 64, (size_t)head - 64);
    uint64_t checksum = XXH3_64bits_digest(hash);
    memcpy(blob.bytes + 56, &checksum, sizeof checksum);
    XXH3_freeState(hash);
}

/* One number of the header is changed and the head sealed again: offset in the header, new value, part of the message.
 * */
SCRATCH_TEST(hostile_headers)
{
    static const struct {
        size_t at;
        uint64_t value;
        const char *words;
    } cases[] = {
        {8, 2, "made by a newer temper"},
        {8, UINT32_MAX, "made by a newer temper"},
        {8, 0, "contradict"},
        {12, 4, "contradict"},
        {16, 0, "contradict"},
        {16, UINT64_MAX, "contradict"},
        {16, UINT64_MAX / 8, "contradict"},
        {16, 6, "contradict"},
        {24, UINT64_MAX, "contradict"},
        {24, UINT64_C(1) << 33, "contradict"},
        {32, UINT64_MAX / 4, "contradict"},
        {40, 1, "contradict"},
        {48, UINT64_MAX, "contradict"},
        {48, 65537, "contradict"},
        {64, 0, "contradict"},
        {72, UINT64_MAX - 100, "contradict"},
        {72, 0, "contradict"},
        {80, 384, "contradict"},
        {136, 4097, "contradict"},
        {248, 1, "contradict"},
    };
    struct dataset *data = binary_random(MATRIX_CSR, 5, 3, binary_full_seed());
    struct blob blob = binary_written(write_tmpr, data);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char kept[8];
        size_t width = cases[i].at < 16 ? 4 : 8;
        memcpy(kept, blob.bytes + cases[i].at, 8);
        memcpy(blob.bytes + cases[i].at, &cases[i].value, width);
        seal_head(blob, 4096);
        binary_refused(read_tmpr, path, blob, cases[i].words);
        memcpy(blob.bytes + cases[i].at, kept, 8);
    }
    blob_free(&blob);
    dataset_free(data);
}

/* A header that claims far more than any memory, and is consistent. */
SCRATCH_TEST(a_claim_of_terabytes_costs_nothing)
{
    struct tmpr_layout layout = {.kind = MATRIX_U8, .rows = UINT64_C(1) << 45, .columns = 1};
    unsigned char header[TMPR_HEADER];
    layout.nonzeros = layout.rows;
    if (!CHECK(tmpr_layout_plan(&layout)))
        return;
    tmpr_header_encode(&layout, header);
    temper_error error = {0};
    struct blob blob = {.bytes = header, .length = sizeof header};
    CHECK(!binary_read_bytes(read_tmpr, path, blob, &error));
    CHECKF(strstr(error.message, "cut off: it holds 256 bytes of"), "%s", error.message);
    CHECK(!binary_read_pipe(read_tmpr, blob, &error));
    CHECK(error.status == TEMPER_BAD_DATA || error.status == TEMPER_NO_MEMORY);
    layout.rows = layout.nonzeros = UINT64_MAX / 2;
    CHECK(!tmpr_layout_plan(&layout));
}

/* The writer trusts its dataset, so a wrong dataset makes a wrong file with right checksums. */
static void content_refused(struct dataset *data, const char *words)
{
    struct blob blob = binary_written(write_tmpr, data);
    binary_refused(read_tmpr, path, blob, words);
    blob_free(&blob);
}

/* Each array gets one invalid element at a time, which is restored afterwards. */
SCRATCH_TEST(hostile_content)
{
    struct dataset *data = binary_random(MATRIX_CSR, 10, 30, binary_full_seed());
    uint64_t *start = data->x.owned[0];
    uint32_t *column = data->x.owned[1];
    float *value = data->x.owned[2];
    uint32_t label = data->label[4], second = column[1];
    uint64_t third = start[2];
    data->label[4] = 7;
    content_refused(data, "label must be below the number of classes, which number 5 does not");
    data->label[4] = label;
    data->weight[8] = -1;
    content_refused(data, "weight must be finite and not negative, which number 9 does not");
    data->weight[8] = (double)INFINITY;
    content_refused(data, "weight must be finite");
    data->weight[8] = 1;
    column[1] = column[0];
    content_refused(data, "column must ascend within the features, which number 2 does not");
    column[1] = 30;
    content_refused(data, "column must ascend within the features");
    column[1] = second;
    value[3] = NAN;
    content_refused(data, "value must be finite, which number 4 does not");
    value[3] = 0;
    start[2] = start[3] + 1;
    content_refused(data, "row start must not descend, which number 3 does not");
    start[2] = UINT64_MAX;
    content_refused(data, "row start must not descend");
    start[2] = third;
    start[0] = 1;
    content_refused(data, "row start must not descend, which number 1 does not");
    start[0] = 0;
    start[10]--; /* the last row has entries, so only the end is wrong */
    content_refused(data, "row start must not descend");
    start[10]++;
    struct blob blob = binary_written(write_tmpr, data);
    temper_error error = {0};
    struct dataset *right = binary_read_bytes(read_tmpr, path, blob, &error);
    CHECKF(right && binary_equal(data, right), "%s", error.message); /* nothing else was wrong */
    dataset_free(right);
    blob_free(&blob);
    dataset_free(data);
}

/* Dense values are checked by other code than sparse ones. */
SCRATCH_TEST(hostile_values)
{
    for (int kind = MATRIX_F32; kind <= MATRIX_F64; kind++) {
        struct dataset *data = binary_random((enum matrix_kind)kind, 5, 3, 0);
        if (kind == MATRIX_F32)
            ((float *)data->x.owned[0])[14] = -INFINITY;
        else
            ((double *)data->x.owned[0])[14] = -INFINITY;
        content_refused(data, "value must be finite, which number 15 does not");
        dataset_free(data);
    }
}

/* Names that the class map would spell otherwise, or too few of them. */
SCRATCH_TEST(hostile_names)
{
    struct dataset *data = binary_random(MATRIX_U8, 5, 3, binary_full_seed());
    char *kept = data->classes.name[0], twice[] = "Hund", other[] = "+1";
    data->classes.name[0] = twice;
    content_refused(data, "class 'Hund' is there twice");
    data->classes.name[0] = other;
    content_refused(data, "class '+1' is there twice, or not as temper writes it");
    data->classes.name[0] = kept;
    struct blob blob = binary_written(write_tmpr, data);
    blob.bytes[256] = '\0'; /* "cat" becomes "", "at" */
    seal_head(blob, 4096);
    binary_refused(read_tmpr, path, blob, "names of its classes");
    blob.bytes[256] = 'c';
    for (size_t i = 256; i < 4096; i++) /* "feature 0" loses its end */
        if (memcmp(blob.bytes + i, "feature 0", 10) == 0)
            blob.bytes[i + 9] = '_';
    seal_head(blob, 4096);
    binary_refused(read_tmpr, path, blob, "names of its features");
    blob_free(&blob);
    dataset_free(data);
}

/* Names so long that the place of what follows them has no 64 bits, at whichever of the sections. */
TEST(no_layout_is_longer_than_numbers)
{
    for (uint64_t below = 0; below < 20000; below += 32) {
        struct tmpr_layout layout = {.kind = MATRIX_F32, .rows = 1, .columns = 1, .nonzeros = 1, .classes = 1};
        layout.length[TMPR_LABELS] = 1;
        layout.length[TMPR_CLASS_NAMES] = UINT64_MAX - below;
        CHECK(!tmpr_layout_plan(&layout));
    }
}

TEST_LIST(LISTED(no_layout_is_longer_than_numbers), LISTED(hostile_headers), LISTED(a_claim_of_terabytes_costs_nothing),
          LISTED(hostile_content), LISTED(hostile_values), LISTED(hostile_names))
