/* record: numbers in the order of bytes of the machine; another order fails at the checksum. */
#include "base/wire_format.h"

#include <string.h>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

enum { HEAD = RECORD_KIND + sizeof(uint64_t) };

/* ---- Writing --------------------------------------------------------------------------------- */

void wire_begin(struct text *out, const char kind[RECORD_KIND + 1])
{
    text_append_bytes(out, kind, RECORD_KIND);
    wire_put_count(out, 0); /* the checksum, later */
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
    memcpy(out->bytes + RECORD_KIND, &sum, sizeof sum);
}

/* ---- Reading --------------------------------------------------------------------------------- */

bool wire_open(struct record *record, const char *bytes, size_t length, const char kind[RECORD_KIND + 1])
{
    uint64_t sum;
    if (length < HEAD || memcmp(bytes, kind, RECORD_KIND) != 0)
        return false;
    memcpy(&sum, bytes + RECORD_KIND, sizeof sum);
    *record = (struct record){bytes + HEAD, bytes + length, false};
    return sum == checksum(bytes, length);
}

static size_t left(const struct record *record)
{
    return record->failed ? 0 : (size_t)(record->end - record->at);
}

static void take(struct record *record, void *to, size_t bytes)
{
    if (left(record) < bytes) {
        record->failed = true;
        memset(to, 0, bytes);
        return;
    }
    memcpy(to, record->at, bytes);
    record->at += bytes;
}

uint64_t wire_take_count(struct record *record)
{
    uint64_t count;
    take(record, &count, sizeof count);
    return count;
}

size_t wire_take_length(struct record *record, size_t bytes_each)
{
    uint64_t count = wire_take_count(record);
    if (count <= left(record) / bytes_each)
        return (size_t)count;
    record->failed = true;
    return 0;
}

double wire_take_number(struct record *record)
{
    double number;
    take(record, &number, sizeof number);
    return number;
}

void wire_take_numbers(struct record *record, double *numbers, size_t count)
{
    take(record, numbers, count * sizeof *numbers);
}

const char *wire_take_text(struct record *record)
{
    const char *text = record->at, *end = left(record) ? memchr(text, '\0', left(record)) : NULL;
    if (!end) {
        record->failed = true;
        return NULL;
    }
    record->at = end + 1;
    return text;
}

bool wire_done(const struct record *record)
{
    return !record->failed && record->at == record->end;
}
