/* path: names of files: how messages show them, and where they lead. */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include <stddef.h>

enum {
    PATH_SHOWN = 208, /* of a path in a message: the cause and the remedy must fit in beside it */
    CAUSE_LENGTH = 128
};

/* The path, or "..." and its end: the end of a long path tells more than its beginning. */
const char *path_shown(const char *path, char out[PATH_SHOWN]);
/* What errno means, safe among threads. */
const char *cause_shown(int number, char out[CAUSE_LENGTH]);

/* How long a path is without .gz or .zst. */
size_t path_bare_length(const char *path);
/* `name` in the folder of `path`; NULL without memory. Freed by mem_free. */
char *path_beside(const char *path, const char *name);
/* The path behind all links of its last part, so that a rename replaces the file and not the link;
 * or NULL, and in *failure what errno said. */
char *path_resolve(const char *path, int *failure);

#endif
