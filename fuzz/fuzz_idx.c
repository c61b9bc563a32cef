/* Any bytes as an IDX file: finite numbers, or a refusal with advice. */
#define _GNU_SOURCE
#include "read_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dataset_free(fuzz_read(read_idx, data, size, (temper_read_options){0}));
    return 0;
}
