/* wire_format: numbers in native byte order; on a machine of another order the checksum fails. */
#include "base/wire_format.h"

#include <string.h>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

enum { HEAD = WIRE_KIND + sizeof(uint64_t) };

/* ---- Writing --------------------------------------------------------------------------------- */

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

void wire_put_numbers(struct text *out, const double *numbers, size_t count)
{
    text_append_bytes(out, (const char *)numbers, count * sizeof *numbers);
}

void wire_put_text(struct text *out, const char *text)
{
    text_append_bytes(out, text, strlen(text) + 1);
}

static uint64_t checksum(const char *bytes, size_t length)
{
    return XXH3_64bits(bytes + HEAD, length - HEAD);
}

void wire_end(struct text *out)
{
    if (out->failed)
        return;
    uint64_t sum = checksum(out->bytes, out->length);
    memcpy(out->bytes + WIRE_KIND, &sum, sizeof sum);
}

/* ---- Reading --------------------------------------------------------------------------------- */

bool wire_open(struct wire_reader *in, const char *bytes, size_t length, const char kind[WIRE_KIND + 1])
{
    uint64_t sum;
    if (length < HEAD || memcmp(bytes, kind, WIRE_KIND) != 0)
        return false;
    memcpy(&sum, bytes + WIRE_KIND, sizeof sum);
    *in = (struct wire_reader){bytes + HEAD, bytes + length, false};
    return sum == checksum(bytes, length);
}

static size_t left(const struct wire_reader *in)
{
    return in->failed ? 0 : (size_t)(in->end - in->at);
}

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
    const char *text = in->at, *end = left(in) ? memchr(text, '\0', left(in)) : NULL;
    if (!end) {
        in->failed = true;
        return NULL;
    }
    in->at = end + 1;
    return text;
}

bool wire_done(const struct wire_reader *in)
{
    return !in->failed && in->at == in->end;
}
