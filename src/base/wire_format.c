/* wire_format: numbers in native byte order; on a machine of another order the checksum fails. */
#include "base/wire_format.h"

#include <string.h>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

/* A message is the kind (8 letters), the checksum of the rest (8 bytes), then the values without tags or padding:
 * reader and writer agree on their order. */
enum { HEAD = WIRE_KIND + sizeof(uint64_t) };

/* ---- Writing --------------------------------------------------------------------------------- */

/* Several messages may not share a text: wire_end takes the checksum from the begin of the text. */
void wire_begin(struct text *out, const char kind[WIRE_KIND + 1])
{
    text_append_bytes(out, kind, WIRE_KIND);
    wire_put_count(out, 0); /* place of the checksum */
}

void wire_put_count(struct text *out, uint64_t count)
{
    text_append_bytes(out, (const char *)&count, sizeof count);
}

void wire_put_number(struct text *out, double number)
{
    wire_put_numbers(out, &number, 1);
}

/* Bit patterns, so that NaN, infinity and signed zero survive. */
void wire_put_numbers(struct text *out, const double *numbers, size_t count)
{
    text_append_bytes(out, (const char *)numbers, count * sizeof *numbers);
}

/* With its terminator, so that the reader can use it in place. */
void wire_put_text(struct text *out, const char *text)
{
    text_append_bytes(out, text, strlen(text) + 1);
}

/* XXH3 detects accidents (truncation, bytes of another order), not attacks. */
static uint64_t checksum(const char *bytes, size_t length)
{
    return XXH3_64bits(bytes + HEAD, length - HEAD);
}

/* Without memory there may be no bytes at all; the caller sees `failed`. */
void wire_end(struct text *out)
{
    if (out->failed)
        return;
    uint64_t sum = checksum(out->bytes, out->length);
    /* over the zeros that wire_begin left */
    memcpy(out->bytes + WIRE_KIND, &sum, sizeof sum);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The kind is compared first: bytes of another program then give that answer quickly, without a checksum of all of
 * them. */
bool wire_open(struct wire_reader *in, const char *bytes, size_t length, const char kind[WIRE_KIND + 1])
{
    uint64_t sum;
    if (length < HEAD || memcmp(bytes, kind, WIRE_KIND) != 0)
        return false;
    /* the header is not aligned */
    memcpy(&sum, bytes + WIRE_KIND, sizeof sum);
    *in = (struct wire_reader){bytes + HEAD, bytes + length, false};
    return sum == checksum(bytes, length);
}

/* 0 after a failure, so that no further value is taken. */
static size_t left(const struct wire_reader *in)
{
    return in->failed ? 0 : (size_t)(in->end - in->at);
}

/* Copies, as values in a message are not aligned. Zeros beyond its end: a caller that checks later only has
 * defined values. */
static void take(struct wire_reader *in, void *to, size_t bytes)
{
    if (left(in) < bytes) {
        in->failed = true;
        memset(to, 0, bytes);
        return;
    }
    memcpy(to, in->at, bytes);
    in->at += bytes;
}

uint64_t wire_take_count(struct wire_reader *in)
{
    uint64_t count;
    take(in, &count, sizeof count);
    return count;
}

/* The bound protects callers that allocate by this number: a message cannot make them allocate more than a fixed
 * multiple of its length. */
size_t wire_take_length(struct wire_reader *in, size_t bytes_each)
{
    uint64_t count = wire_take_count(in);
    if (count <= left(in) / bytes_each)
        return (size_t)count;
    in->failed = true;
    return 0;
}

double wire_take_number(struct wire_reader *in)
{
    double number;
    take(in, &number, sizeof number);
    return number;
}

void wire_take_numbers(struct wire_reader *in, double *numbers, size_t count)
{
    take(in, numbers, count * sizeof *numbers);
}

const char *wire_take_text(struct wire_reader *in)
{
    /* the terminator must be within the message, as the caller uses the text in place */
    const char *text = in->at, *end = left(in) ? memchr(text, '\0', left(in)) : NULL;
    if (!end) {
        in->failed = true;
        return NULL;
    }
    in->at = end + 1;
    return text;
}

/* Bytes that are left over mean that the sender has another version of this message. */
bool wire_done(const struct wire_reader *in)
{
    return !in->failed && in->at == in->end;
}
