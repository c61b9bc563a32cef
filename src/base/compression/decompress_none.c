/* decompress_none: decompress.h in a standalone build, which has neither zlib nor libzstd: the first step refuses. */
#include "base/compression/decompress.h"
#include "base/memory.h"

struct decompressor {
    const char *kind;
};

struct decompressor *decompress_open(const char *kind)
{
    struct decompressor *d = mem_zeroed(1, sizeof *d);
    if (d)
        d->kind = kind;
    return d;
}

enum decompress_result decompress_step(struct decompressor *d, struct byte_flow *flow)
{
    (void)d;
    (void)flow;
    return DECOMPRESS_UNSUPPORTED;
}

const char *decompress_cause(const struct decompressor *d)
{
    return d->kind;
}

void decompress_close(struct decompressor *d)
{
    mem_free(d);
}
