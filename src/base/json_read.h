/* json_read: JSON pulled value by value, by one who knows what must come next.
 *
 * No tree is built: the caller asks for an object, a key, a number, and each call says whether it
 * was there. After the first fault every call answers false, and the error has the place: so a
 * caller may go on asking, and check once. Strict: RFC 8259 and nothing more; the text is in
 * memory, and need not end in '\0'. */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
    JSON_DEPTH = 8, /* objects and arrays within each other */
    JSON_KEY = 32   /* longest key, with its '\0': longer ones are unknown to everyone */
};

/* Filled by json_open. */
struct json_reader {
    const char *name; /* of the file, as messages show it */
    const char *from, *to;
    const char *at;    /* behind what was read */
    const char *value; /* where the last key or value began, for messages */
    size_t depth;
    bool fresh[JSON_DEPTH + 1]; /* nothing was read yet of the object or array of this depth */
    temper_status status;
    temper_error *error;
};

/* The name and the text must outlive the reader. */
void json_open(struct json_reader *json, const char *name, const char *text, size_t length, temper_error *error);
/* Nothing but blanks may follow. */
bool json_end(struct json_reader *json);

bool json_object(struct json_reader *json); /* enters one */
/* The next key of the object; false at its end, which is taken, or after a fault. */
bool json_key(struct json_reader *json, char key[JSON_KEY]);
bool json_array(struct json_reader *json); /* enters one */
/* Whether another item follows; false at the end of the array, which is taken, or after a fault. */
bool json_item(struct json_reader *json);

/* A value of this kind; *out is untouched after a fault. Numbers are finite and correctly rounded.
 */
bool json_f64(struct json_reader *json, double *out);
bool json_u64(struct json_reader *json, uint64_t *out); /* digits only */
bool json_bool(struct json_reader *json, bool *out);
/* True and taken if the next value is null; false, and nothing happened, if it is another. */
bool json_null(struct json_reader *json);
/* A copy, freed by mem_free. No NUL; \udc80 to \udcff stand for single bytes (see json_write.h). */
bool json_string(struct json_reader *json, char **out);

/* All numbers of an array, which must be `count`; further ones are never stored. */
bool json_f64_array(struct json_reader *json, double *out, size_t count);

/* A fault of the last key or value: "FILE:LINE:COLUMN: " and the words, unless there was one
 * already. False. */
bool json_fail(struct json_reader *json, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool json_no_memory(struct json_reader *json);

#endif
