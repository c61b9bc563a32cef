/* Any bytes as an NPY file: finite numbers, or a refusal with advice. Packed ones too: the source
 * undoes that, and the length is not known before the end. */
#define _GNU_SOURCE
#include "read_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dataset_free(fuzz_read(read_npy, data, size, (temper_read_options){0}));
    return 0;
}
