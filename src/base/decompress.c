/* unpack: zlib and libzstd behind one call. */
#include "base/decompress.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"

enum {
    GZIP_ONLY = 16 + MAX_WBITS, /* zlib's way to say: with gzip's header, checksum and length */
    MOST_AT_ONCE = 1 << 30,     /* zlib counts bytes in 32 bits */
    FRAME_START = 5,            /* bytes of zstd that tell how long its header is */
    FRAME_HEADER = 18,          /* the longest of it */
    WINDOW_LOG = 27             /* 128 MiB: what zstd -19 and --ultra -22 need; --long=31 needs 2 GiB */
};

/* The first bytes of each: RFC 1952, RFC 8878. */
static const unsigned char gzip_magic[] = {0x1f, 0x8b};
static const unsigned char zstd_magic[] = {0x28, 0xb5, 0x2f, 0xfd};
static const unsigned char skip_magic[] = {0x50, 0x2a, 0x4d, 0x18}; /* and 0x51 ... 0x5f */

/* Where the input stands. */
enum stage {
    WITHIN,  /* a member or frame, or before the first */
    BETWEEN, /* two of them, or behind the last */
    PADDING  /* gzip: zeros up to the end, as tapes have them */
};

struct decompressor {
    enum decompress_result (*step)(struct decompressor *, struct flow *);
    enum stage stage;
    size_t finished; /* members or frames */
    const char *cause;
    z_stream zlib;
    bool zlib_open;
    ZSTD_DStream *zstd;
    size_t wanted;                    /* by libzstd: up to the end of the block */
    unsigned char head[FRAME_HEADER]; /* the first bytes of the frame */
    size_t head_length;
    unsigned long long made; /* bytes out of it */
};

/* ---- What it is ------------------------------------------------------------------------------ */

static const char gzip_name[] = "gzip", zstd_name[] = "zstd";

const char *decompress_kind(const unsigned char *bytes, size_t length)
{
    if (length >= sizeof gzip_magic && memcmp(bytes, gzip_magic, sizeof gzip_magic) == 0)
        return gzip_name;
    if (length < sizeof zstd_magic)
        return NULL;
    bool skippable = (bytes[0] & 0xf0) == skip_magic[0] && memcmp(bytes + 1, skip_magic + 1, 3) == 0;
    return skippable || memcmp(bytes, zstd_magic, sizeof zstd_magic) == 0 ? zstd_name : NULL;
}

/* ---- gzip ------------------------------------------------------------------------------------ */

/* Ours, so that zlib's multiplications are checked and tests can let it run out of memory. */
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

/* Half-open ones are closed by decompress_close. */
static bool gzip_open(struct decompressor *unpacker)
{
    unpacker->zlib.zalloc = zlib_alloc;
    unpacker->zlib.zfree = zlib_free;
    unpacker->zlib_open = inflateInit2(&unpacker->zlib, GZIP_ONLY) == Z_OK;
    return unpacker->zlib_open;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* One call of inflate on the flow. */
static int inflate_flow(z_stream *zlib, struct flow *flow)
{
    unsigned in = (unsigned)least(flow->in_left, MOST_AT_ONCE);
    unsigned out = (unsigned)least(flow->out_left, MOST_AT_ONCE);
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

/* The first bytes behind a member are not those of another one. */
static bool no_member(const struct decompressor *unpacker)
{
    return unpacker->finished > 0 && unpacker->zlib.total_in <= sizeof gzip_magic;
}

/* zlib looks at the checksum of the header, if it has one, and at checksum and length at the end.
 */
static enum decompress_result gzip_within(struct decompressor *unpacker, struct flow *flow)
{
    switch (inflate_flow(&unpacker->zlib, flow)) {
    case Z_OK:
        return UNPACK_GOES_ON;
    case Z_BUF_ERROR: /* no progress, which is wrong only where nothing will come any more */
        return flow->in_ended && flow->in_left == 0 ? UNPACK_CUT : UNPACK_GOES_ON;
    case Z_STREAM_END: /* and all was right */
        unpacker->finished++;
        unpacker->stage = BETWEEN;
        return UNPACK_GOES_ON;
    case Z_MEM_ERROR:
        return UNPACK_NO_MEMORY;
    default:
        unpacker->cause = unpacker->zlib.msg;
        return no_member(unpacker) ? UNPACK_GARBAGE : UNPACK_DAMAGED;
    }
}

/* gzip itself lets zeros follow the last member, and nothing else. */
static enum decompress_result gzip_between(struct decompressor *unpacker, struct flow *flow)
{
    for (; flow->in_left > 0 && *flow->in == 0; flow->in++, flow->in_left--)
        unpacker->stage = PADDING;
    if (flow->in_left == 0)
        return flow->in_ended ? UNPACK_END : UNPACK_GOES_ON;
    if (unpacker->stage == PADDING || *flow->in != gzip_magic[0])
        return UNPACK_GARBAGE;
    unpacker->stage = WITHIN;
    return inflateReset(&unpacker->zlib) == Z_OK ? UNPACK_GOES_ON : UNPACK_NO_MEMORY;
}

static enum decompress_result gzip_step(struct decompressor *unpacker, struct flow *flow)
{
    return unpacker->stage == WITHIN ? gzip_within(unpacker, flow) : gzip_between(unpacker, flow);
}

/* ---- zstd ------------------------------------------------------------------------------------ */

/* The window is what a frame may ask for before it has shown a byte: bounded, or a file of 20 bytes
 * could take 2 GiB. */
static bool zstd_open(struct decompressor *unpacker)
{
    unpacker->zstd = ZSTD_createDStream();
    return unpacker->zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(unpacker->zstd, ZSTD_d_windowLogMax, WINDOW_LOG));
}

/* By code, for those errors that have a remedy of their own; by name for all others. */
static enum decompress_result zstd_failed(struct decompressor *unpacker, size_t result)
{
    unpacker->cause = ZSTD_getErrorName(result);
    switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_memory_allocation:
        return UNPACK_NO_MEMORY;
    case ZSTD_error_frameParameter_windowTooLarge:
        return UNPACK_TOO_WIDE;
    case ZSTD_error_dictionary_wrong:
        return UNPACK_DICTIONARY;
    case ZSTD_error_prefix_unknown: /* neither a frame nor one to be skipped */
        return unpacker->finished > 0 ? UNPACK_GARBAGE : UNPACK_DAMAGED;
    default:
        return UNPACK_DAMAGED;
    }
}

/* How much libzstd is given at once: what it asks for, up to the end of a block. It takes nothing
 * of what it finds damaged, so that nobody would know where in 256 KiB the damage is. */
static size_t zstd_portion(const struct decompressor *unpacker, const struct flow *flow)
{
    return least(flow->in_left, unpacker->wanted ? unpacker->wanted : FRAME_START);
}

/* One call of ZSTD_decompressStream on the flow; *moved tells whether it got anywhere. */
static size_t decompress_flow(struct decompressor *unpacker, struct flow *flow, bool *moved)
{
    ZSTD_inBuffer in = {flow->in, zstd_portion(unpacker, flow), 0};
    ZSTD_outBuffer out = {flow->out, flow->out_left, 0};
    size_t result = ZSTD_decompressStream(unpacker->zstd, &out, &in);
    size_t head = least(in.pos, FRAME_HEADER - unpacker->head_length);
    memcpy(unpacker->head + unpacker->head_length, flow->in, head);
    unpacker->head_length += head;
    unpacker->made += out.pos;
    flow->in += in.pos;
    flow->in_left -= in.pos;
    flow->out += out.pos;
    flow->out_left -= out.pos;
    *moved = in.pos > 0 || out.pos > 0;
    return result;
}

/* A frame is done. libzstd compares its length with the one in its header in most cases only: not
 * where a frame that is streamed ends with an empty block. */
static bool zstd_finish(struct decompressor *unpacker)
{
    unsigned long long said = ZSTD_getFrameContentSize(unpacker->head, unpacker->head_length);
    bool known = said != ZSTD_CONTENTSIZE_UNKNOWN && said != ZSTD_CONTENTSIZE_ERROR;
    bool right = !known || said == unpacker->made;
    unpacker->cause = right ? NULL : "its length is not what its header says";
    unpacker->stage = BETWEEN;
    unpacker->finished++;
    unpacker->head_length = 0;
    unpacker->made = 0;
    return right;
}

/* libzstd goes from frame to frame by itself; it only cannot know that nothing more will come. */
static enum decompress_result zstd_step(struct decompressor *unpacker, struct flow *flow)
{
    bool moved;
    if (unpacker->stage == BETWEEN && flow->in_left == 0)
        return flow->in_ended ? UNPACK_END : UNPACK_GOES_ON;
    size_t portion = zstd_portion(unpacker, flow), before = flow->in_left;
    size_t result = decompress_flow(unpacker, flow, &moved);
    if (ZSTD_isError(result)) {
        enum decompress_result failed = zstd_failed(unpacker, result);
        size_t left = failed == UNPACK_DAMAGED ? portion - (before - flow->in_left) : 0;
        flow->in += left; /* the damage is before the end of the block */
        flow->in_left -= left;
        return failed;
    }
    unpacker->wanted = result; /* 0 where a frame ends */
    if (result == 0)           /* a frame is done and given out */
        return zstd_finish(unpacker) ? UNPACK_GOES_ON : UNPACK_DAMAGED;
    unpacker->stage = WITHIN;
    return !moved && flow->in_ended && flow->in_left == 0 ? UNPACK_CUT : UNPACK_GOES_ON;
}

/* ---- Both ------------------------------------------------------------------------------------ */

struct decompressor *decompress_open(const char *kind)
{
    struct decompressor *unpacker = mem_zeroed(1, sizeof *unpacker);
    if (!unpacker)
        return NULL;
    unpacker->stage = WITHIN;
    unpacker->step = kind == gzip_name ? gzip_step : zstd_step;
    if (kind == gzip_name ? gzip_open(unpacker) : zstd_open(unpacker))
        return unpacker;
    decompress_close(unpacker);
    return NULL;
}

enum decompress_result decompress_step(struct decompressor *unpacker, struct flow *flow)
{
    return unpacker->step(unpacker, flow);
}

const char *decompress_cause(const struct decompressor *unpacker)
{
    return unpacker->cause ? unpacker->cause : "it does not make sense";
}

void decompress_close(struct decompressor *unpacker)
{
    if (!unpacker)
        return;
    if (unpacker->zlib_open)
        inflateEnd(&unpacker->zlib);
    ZSTD_freeDStream(unpacker->zstd); /* takes NULL */
    mem_free(unpacker);
}
