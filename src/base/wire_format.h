/* wire_format: numbers and texts as bytes of a message, and back.
 *
 * Eight letters name the kind of message, a checksum detects damage. For messages between programs of
 * one version and byte order, not for files that are kept. */
#ifndef BASE_WIRE_FORMAT_H
#define BASE_WIRE_FORMAT_H

#include <stdint.h>

#include "base/text.h"

enum { WIRE_KIND = 8 }; /* letters */

/* Begin, put, end; out->failed then reports whether memory was sufficient. */
void wire_begin(struct text *out, const char kind[WIRE_KIND + 1]);
void wire_put_count(struct text *out, uint64_t count);
void wire_put_number(struct text *out, double number);
void wire_put_numbers(struct text *out, const double *numbers, size_t count);
void wire_put_text(struct text *out, const char *text);
void wire_end(struct text *out);

/* What is left of a message. After a read beyond its end `failed` stays set and all values are 0, so
 * that a caller checks once, at the end. */
struct wire_reader {
    const char *at, *end;
    bool failed;
};

/* False if the bytes are no message of this kind, or damaged. */
bool wire_open(struct wire_reader *in, const char *bytes, size_t length, const char kind[WIRE_KIND + 1]);
uint64_t wire_take_count(struct wire_reader *in);
/* A count of items that have at least `bytes_each` bytes, and must fit into the rest. */
size_t wire_take_length(struct wire_reader *in, size_t bytes_each);
double wire_take_number(struct wire_reader *in);
void wire_take_numbers(struct wire_reader *in, double *numbers, size_t count);
/* Points into the message, ends in '\0'; NULL if there is none. */
const char *wire_take_text(struct wire_reader *in);
/* Was everything read without a failure, and nothing left over? */
bool wire_done(const struct wire_reader *in);

#endif
