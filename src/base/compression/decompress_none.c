/* decompress_none: decompress.h in a standalone build, which has neither zlib nor libzstd: the first step refuses. */
#include "base/compression/decompress.h"
#include "base/memory.h"

/* An address alone; there is no state. */
struct decompressor *decompress_open(const char *kind)
{
    (void)kind;
    return mem_zeroed(1, 1);
}

enum decompress_result decompress_step(struct decompressor *d, struct byte_flow *flow)
{
    (void)d;
    (void)flow;
    return DECOMPRESS_UNSUPPORTED;
}

const char *decompress_cause(const struct decompressor *d)
{
    (void)d;
    return "it is not unpacked";
}

void decompress_close(struct decompressor *d)
{
    mem_free(d);
}
