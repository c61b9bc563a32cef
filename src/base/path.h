/* path: names of files: shortened for messages, joined, symbolic links resolved. */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>

enum {
    PATH_SHOWN = 208, /* bytes of a path in a message, so that cause and remedy fit too */
    CAUSE_LENGTH = 128
};

/* What ends the name of a folder. */
#ifdef _WIN32
#define PATH_SEPARATORS "/\\:"
#else
#define PATH_SEPARATORS "/"
#endif

/* The path, or "..." and its end, which identifies a file better than its beginning. */
const char *path_shown(const char *path, char out[PATH_SHOWN]);
/* The meaning of an errno; safe to call from several threads. */
const char *cause_shown(int number, char out[CAUSE_LENGTH]);

/* Whether it has this extension. A name that consists of the extension alone (".svg") is that of a hidden file and has
 * none. */
bool path_ends_in(const char *path, const char *extension);
/* The last separator; NULL of a plain name. */
const char *path_last_separator(const char *path);
/* Length of a path without .gz or .zst. */
size_t path_bare_length(const char *path);
/* `name` in the folder of `path`; NULL without memory. Freed by mem_free. */
char *path_beside(const char *path, const char *name);
/* Resolves symbolic links of the last part of a path, so that a rename replaces the file and not the
 * link. NULL, and an errno in *failure, if that fails. */
char *path_resolve(const char *path, int *failure);

#endif
