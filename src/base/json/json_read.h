/* json_read: a pull parser for JSON of a known structure.
 *
 * No tree is built: the caller requests an object, a key, a number, and each call returns whether it
 * was found. After the first error every call returns false, and the error has the place, so that a
 * caller may check once at the end. Strict RFC 8259; the text is in memory, and need not end in '\0'. */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
    JSON_DEPTH = 8, /* most nested objects and arrays */
    JSON_KEY = 32   /* longest key, with its '\0': no known key is longer */
};

/* Filled by json_open. */
struct json_reader {
    const char *name; /* of the file, as messages show it */
    const char *from, *to;
    const char *at;    /* next byte to read */
    const char *value; /* where the last key or value began, for messages */
    size_t depth;
    bool fresh[JSON_DEPTH + 1]; /* the object or array of this depth was just entered */
    temper_status status;
    temper_error *error;
};

/* The name and the text must outlive the reader. */
void json_open(struct json_reader *json, const char *name, const char *text, size_t length, temper_error *error);
/* True if only blanks follow. */
bool json_end(struct json_reader *json);

bool json_object(struct json_reader *json); /* enters an object */
/* The next key of the object; false at its end, which is consumed, or after an error. */
bool json_key(struct json_reader *json, char key[JSON_KEY]);
bool json_array(struct json_reader *json); /* enters an array */
/* Is there another item? False at the end of the array, which is consumed, or after an error. */
bool json_item(struct json_reader *json);

/* A value of this type; *out is unchanged after an error. Numbers are finite and correctly rounded. */
bool json_f64(struct json_reader *json, double *out);
bool json_u64(struct json_reader *json, uint64_t *out); /* digits only */
bool json_bool(struct json_reader *json, bool *out);
/* True if the next value is null, which is consumed; false otherwise, and nothing is. */
bool json_null(struct json_reader *json);
/* A copy, freed by mem_free, without NUL; \udc80 to \udcff encode single bytes (see json_write.h). */
bool json_string(struct json_reader *json, char **out);

/* An array of exactly `count` numbers. */
bool json_f64_array(struct json_reader *json, double *out, size_t count);

/* ---- Parts of the grammar, for readers of other structures ----------------------------------- */

/* The end of a number, whose grammar is stricter than number_f64's: no "+1", "01", ".5", "5."; NULL if there is none.
 */
const char *json_number_end(const char *p, const char *to);
/* Decodes a string after its opening quote to *out, which is advanced, and has room for as many bytes as the text has.
 * Returns where decoding stopped: at the closing quote, or at an error. */
const char *json_unescape(const char *p, const char *to, char **out);

/* Reports an error at the last key or value, "FILE:LINE:COLUMN: " and the message, unless there was one
 * before. Returns false. */
bool json_fail(struct json_reader *json, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool json_no_memory(struct json_reader *json);

#endif
