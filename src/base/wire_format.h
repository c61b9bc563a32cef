/* record: numbers and texts one after another in bytes that travel, and back.
 *
 * Eight letters say what it is, a checksum that it has arrived whole. For messages between programs
 * of one version, not for files that are kept. */
#ifndef BASE_WIRE_FORMAT_H
#define BASE_WIRE_FORMAT_H

#include <stdint.h>

#include "base/text.h"

enum { RECORD_KIND = 8 }; /* letters */

/* Begin, put, end. The text says at its end whether there was memory. */
void wire_begin(struct text *out, const char kind[RECORD_KIND + 1]);
void wire_put_count(struct text *out, uint64_t count);
void wire_put_number(struct text *out, double number);
void wire_put_numbers(struct text *out, const double *numbers, size_t count);
void wire_put_text(struct text *out, const char *text);
void wire_end(struct text *out);

/* What is left of a record. After something that is not there `failed` stays set and all that is
 * taken is 0, so a reader checks once, at its end. */
struct record {
    const char *at, *end;
    bool failed;
};

/* False if the bytes are no such record, or not all of it. */
bool wire_open(struct record *record, const char *bytes, size_t length, const char kind[RECORD_KIND + 1]);
uint64_t wire_take_count(struct record *record);
/* The same of things that take at least so many bytes each, and must be there. */
size_t wire_take_length(struct record *record, size_t bytes_each);
double wire_take_number(struct record *record);
void wire_take_numbers(struct record *record, double *numbers, size_t count);
/* Points into the record, until its '\0'; NULL if there is none. */
const char *wire_take_text(struct record *record);
/* Whether all was there, and nothing else. */
bool wire_done(const struct record *record);

#endif
