/* Any bytes as an IDX file: finite numbers, or a refusal with advice. */
#define _GNU_SOURCE
#include "read_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* fuzz_read checks the result. No labels are found: the file is not called images. */
    dataset_free(fuzz_read(read_idx, data, size, (temper_read_options){0}));
    return 0;
}
