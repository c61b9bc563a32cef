/* json_members: the members of one JSON object as spans of its text, without reading their values: for rows that are
 * copied as they are. Keys and strings keep their escapes. */
#ifndef DATA_JSON_MEMBERS_H
#define DATA_JSON_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

enum { JSON_MEMBERS_MOST = 100000 };

/* Initialised with `at` at the text of the object. */
struct json_members {
    const char *at, *to;
    bool begun;     /* the brace was passed */
    bool malformed; /* the text is no object */
    const char *key, *value;
    size_t key_length, value_length; /* of the key between its quotes, and of the value with quotes */
};

/* The next member; false after the last one, or if the text is malformed. */
bool json_members_next(struct json_members *members);

#endif
