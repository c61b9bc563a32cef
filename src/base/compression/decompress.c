/* decompress: zlib and libzstd behind one function, with the checks that they leave out: truncation, bytes after the
 * archive, the length of zstd frames.
 *
 * A step takes input and room for output, and reports how much of both it has used. The state of a gzip stream is
 * either within a member or between two; only between two may the input end. libzstd passes from frame to frame by
 * itself, so that there the end of the input is checked against the number of bytes that it still wants. */
#include "base/compression/decompress.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"
#include "base/order.h"

enum {
    GZIP_ONLY = 16 + MAX_WBITS, /* makes zlib check gzip's header, checksum and length */
    GZIP_MAGIC = 2,             /* bytes that identify a member */
    MOST_AT_ONCE = 1 << 30,     /* zlib counts bytes in 32 bits */
    FRAME_START = 5,            /* bytes that determine the length of a zstd header */
    FRAME_HEADER = 18,          /* longest zstd header */
    WINDOW_LOG = 27             /* 128 MiB: enough for zstd -19 and --ultra -22; --long=31 needs 2 GiB */
};

/* Where the next byte of the input belongs. */
enum archive_stage {
    WITHIN,  /* to a member or frame, or it is the first */
    BETWEEN, /* between two of them, or after the last */
    PADDING  /* gzip: zeros up to the end, as on tapes */
};

/* State of one archive: either zlib or libzstd is open, the other fields of both formats are unused. */
struct decompressor {
    enum decompress_result (*step)(struct decompressor *, struct byte_flow *);
    enum archive_stage stage;
    size_t finished; /* members or frames */
    const char *cause;
    z_stream zlib;
    bool zlib_open;
    ZSTD_DStream *zstd;
    size_t wanted;                    /* input bytes that libzstd requested: up to the end of its block */
    unsigned char head[FRAME_HEADER]; /* the first bytes of the frame */
    size_t head_length;
    unsigned long long made; /* bytes of output of the frame */
};

/* ---- gzip ------------------------------------------------------------------------------------ */

/* Allocation for zlib, so that its multiplications are checked and tests can make it fail. */
static void *zlib_alloc(void *unused, unsigned count, unsigned size)
{
    (void)unused;
    return mem_alloc(count, size);
}

static void zlib_free(void *unused, void *block)
{
    (void)unused;
    mem_free(block);
}

/* After a failure decompress_close frees what was opened. */
static bool gzip_open(struct decompressor *d)
{
    d->zlib.zalloc = zlib_alloc;
    d->zlib.zfree = zlib_free;
    d->zlib_open = inflateInit2(&d->zlib, GZIP_ONLY) == Z_OK;
    return d->zlib_open;
}

/* One call of inflate; advances the flow. */
static int inflate_flow(z_stream *zlib, struct byte_flow *flow)
{
    unsigned in = (unsigned)min_size(flow->in_left, MOST_AT_ONCE);
    unsigned out = (unsigned)min_size(flow->out_left, MOST_AT_ONCE);
    zlib->next_in = (unsigned char *)flow->in; /* which zlib does not write to */
    zlib->avail_in = in;
    zlib->next_out = flow->out;
    zlib->avail_out = out;
    int result = inflate(zlib, Z_NO_FLUSH);
    flow->in += in - zlib->avail_in;
    flow->in_left -= in - zlib->avail_in;
    flow->out += out - zlib->avail_out;
    flow->out_left -= out - zlib->avail_out;
    return result;
}

/* Did inflate fail within the header after a complete member? Then those bytes are no gzip. */
static bool no_member(const struct decompressor *d)
{
    return d->finished > 0 && d->zlib.total_in <= GZIP_MAGIC;
}

/* A step within a member. zlib verifies the checksum of the header, if there is one, and checksum and
 * length at the end. */
static enum decompress_result gzip_within(struct decompressor *d, struct byte_flow *flow)
{
    switch (inflate_flow(&d->zlib, flow)) {
    case Z_OK:
        return DECOMPRESS_CONTINUES;
    case Z_BUF_ERROR: /* no progress, which is an error only at the end of the input */
        return flow->in_ended && flow->in_left == 0 ? DECOMPRESS_TRUNCATED : DECOMPRESS_CONTINUES;
    case Z_STREAM_END: /* all checks passed */
        d->finished++;
        d->stage = BETWEEN;
        return DECOMPRESS_CONTINUES;
    case Z_MEM_ERROR:
        return DECOMPRESS_NO_MEMORY;
    default:
        d->cause = d->zlib.msg;
        return no_member(d) ? DECOMPRESS_GARBAGE : DECOMPRESS_DAMAGED;
    }
}

/* A step between members. As the gzip command, accepts zeros after the last member, and nothing else. */
static enum decompress_result gzip_between(struct decompressor *d, struct byte_flow *flow)
{
    for (; flow->in_left > 0 && *flow->in == 0; flow->in++, flow->in_left--)
        d->stage = PADDING;
    if (flow->in_left == 0)
        return flow->in_ended ? DECOMPRESS_END : DECOMPRESS_CONTINUES;
    if (d->stage == PADDING || *flow->in != GZIP_FIRST)
        return DECOMPRESS_GARBAGE;
    d->stage = WITHIN;
    return inflateReset(&d->zlib) == Z_OK ? DECOMPRESS_CONTINUES : DECOMPRESS_NO_MEMORY;
}

static enum decompress_result gzip_step(struct decompressor *d, struct byte_flow *flow)
{
    return d->stage == WITHIN ? gzip_within(d, flow) : gzip_between(d, flow);
}

/* ---- zstd ------------------------------------------------------------------------------------ */

/* A frame specifies its window before any data. Bounded, or a file of 20 bytes could allocate 2 GiB. */
static bool zstd_open(struct decompressor *d)
{
    d->zstd = ZSTD_createDStream();
    return d->zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(d->zstd, ZSTD_d_windowLogMax, WINDOW_LOG));
}

/* Errors with a specific remedy have a result each; of the others the name is kept. */
static enum decompress_result zstd_failed(struct decompressor *d, size_t result)
{
    d->cause = ZSTD_getErrorName(result);
    switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_memory_allocation:
        return DECOMPRESS_NO_MEMORY;
    case ZSTD_error_frameParameter_windowTooLarge:
        return DECOMPRESS_TOO_WIDE;
    case ZSTD_error_dictionary_wrong:
        return DECOMPRESS_DICTIONARY;
    case ZSTD_error_prefix_unknown: /* neither a frame nor a skippable one */
        return d->finished > 0 ? DECOMPRESS_GARBAGE : DECOMPRESS_DAMAGED;
    default:
        return DECOMPRESS_DAMAGED;
    }
}

/* How many bytes to pass to libzstd: those it requested, up to the end of a block. It consumes
 * nothing of a damaged input, so a larger portion would hide where in 256 KiB the damage is. */
static size_t zstd_portion(const struct decompressor *d, const struct byte_flow *flow)
{
    return min_size(flow->in_left, d->wanted ? d->wanted : FRAME_START);
}

/* One call of ZSTD_decompressStream; advances the flow. *moved: whether there was any progress. */
static size_t decompress_flow(struct decompressor *d, struct byte_flow *flow, bool *moved)
{
    ZSTD_inBuffer in = {flow->in, zstd_portion(d, flow), 0};
    ZSTD_outBuffer out = {flow->out, flow->out_left, 0};
    size_t result = ZSTD_decompressStream(d->zstd, &out, &in);
    size_t head = min_size(in.pos, FRAME_HEADER - d->head_length);
    memcpy(d->head + d->head_length, flow->in, head);
    d->head_length += head;
    d->made += out.pos;
    flow->in += in.pos;
    flow->in_left -= in.pos;
    flow->out += out.pos;
    flow->out_left -= out.pos;
    *moved = in.pos > 0 || out.pos > 0;
    return result;
}

/* At the end of a frame: is its length that of its header? libzstd compares them except where a
 * streamed frame ends with an empty block. */
static bool zstd_finish(struct decompressor *d)
{
    unsigned long long stated = ZSTD_getFrameContentSize(d->head, d->head_length);
    bool known = stated != ZSTD_CONTENTSIZE_UNKNOWN && stated != ZSTD_CONTENTSIZE_ERROR;
    bool right = !known || stated == d->made;
    d->cause = right ? NULL : "its length is not what its header says";
    d->stage = BETWEEN;
    d->finished++;
    d->head_length = 0;
    d->made = 0;
    return right;
}

/* libzstd continues from one frame to the next without a call between them; only the end of the input is unknown to it.
 */
static enum decompress_result zstd_step(struct decompressor *d, struct byte_flow *flow)
{
    bool moved;
    if (d->stage == BETWEEN && flow->in_left == 0)
        return flow->in_ended ? DECOMPRESS_END : DECOMPRESS_CONTINUES;
    size_t portion = zstd_portion(d, flow), before = flow->in_left;
    size_t result = decompress_flow(d, flow, &moved);
    if (ZSTD_isError(result)) {
        enum decompress_result failed = zstd_failed(d, result);
        size_t left = failed == DECOMPRESS_DAMAGED ? portion - (before - flow->in_left) : 0;
        flow->in += left; /* so that the message names the end of the damaged block */
        flow->in_left -= left;
        return failed;
    }
    d->wanted = result; /* 0 at the end of a frame */
    if (result == 0)    /* the frame is complete, and all of it was output */
        return zstd_finish(d) ? DECOMPRESS_CONTINUES : DECOMPRESS_DAMAGED;
    d->stage = WITHIN;
    return !moved && flow->in_ended && flow->in_left == 0 ? DECOMPRESS_TRUNCATED : DECOMPRESS_CONTINUES;
}

/* ---- Either format --------------------------------------------------------------------------- */

struct decompressor *decompress_open(const char *kind)
{
    struct decompressor *d = mem_zeroed(1, sizeof *d);
    if (!d)
        return NULL;
    bool gzip = strcmp(kind, "gzip") == 0;
    d->stage = WITHIN;
    d->step = gzip ? gzip_step : zstd_step;
    if (gzip ? gzip_open(d) : zstd_open(d))
        return d;
    decompress_close(d);
    return NULL;
}

enum decompress_result decompress_step(struct decompressor *d, struct byte_flow *flow)
{
    return d->step(d, flow);
}

const char *decompress_cause(const struct decompressor *d)
{
    return d->cause ? d->cause : "it does not make sense";
}

void decompress_close(struct decompressor *d)
{
    if (!d)
        return;
    if (d->zlib_open)
        inflateEnd(&d->zlib);
    ZSTD_freeDStream(d->zstd); /* takes NULL */
    mem_free(d);
}
