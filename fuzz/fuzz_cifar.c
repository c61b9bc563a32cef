/* Any bytes as CIFAR-10: whole records of known classes, or a refusal with advice. The first byte
 * chooses the channel. */
#define _GNU_SOURCE
#include "read_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const channels[] = {"red", "green", "blue", "grey", "all", NULL};
    struct bytes bytes = {data, size};
    temper_read_options options = {.channel = channels[take_byte(&bytes) % 6]};
    /* A plain file has exactly rows * 3073 bytes. Input that begins like gzip, zstd or a skippable zstd frame is
     * decompressed first and may have any length. */
    struct dataset *read = fuzz_read(read_cifar, bytes.at, bytes.left, options);
    if (read)
        REQUIRE(read->x.rows * 3073 == bytes.left || bytes.at[0] == 0x1f || bytes.at[0] == 0x28 ||
                    (bytes.at[0] & 0xf0) == 0x50,
                "%d records of %zu bytes", (int)read->x.rows, bytes.left);
    dataset_free(read);
    return 0;
}
