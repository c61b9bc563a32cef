/* path: shortening, joining and resolving of file names. */
#include "base/path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

enum {
    LINK_LIMIT = 40, /* symbolic links in a row, as in Linux */
    LINK_LENGTH = 4096,
    ELLIPSIS = 3
};

/* ---- Messages -------------------------------------------------------------------------------- */

/* The end of a path is kept where it is too long: the folders at its begin are often the same for all files of a
 * user. */
const char *path_shown(const char *path, char out[PATH_SHOWN])
{
    size_t length = strlen(path), room = PATH_SHOWN - 1 - ELLIPSIS;
    const char *part = length > room ? path + (length - room) : path;
    while (part != path && ((unsigned char)*part & 0xC0) == 0x80) /* never begin within a UTF-8 character */
        part++;
    snprintf(out, PATH_SHOWN, "%s%s", part == path ? "" : "...", part);
    return out;
}

const char *cause_shown(int number, char out[CAUSE_LENGTH])
{
    if (strerror_r(number, out, CAUSE_LENGTH) != 0) /* strerror is not thread-safe */
        snprintf(out, CAUSE_LENGTH, "error %d", number);
    return out;
}

/* ---- Parts and links ------------------------------------------------------------------------- */

const char *path_last_separator(const char *path)
{
    for (const char *at = path + strlen(path); at > path; at--)
        if (strchr(PATH_SEPARATORS, at[-1]))
            return at - 1;
    return NULL;
}

/* Length of the folder with its slash: 0 for a plain name. */
static size_t folder_length(const char *path)
{
    /* the last separator ends the folder; a name without one is in the current folder */
    const char *separator = path_last_separator(path);
    return separator ? (size_t)(separator - path) + 1 : 0;
}

bool path_ends_in(const char *path, const char *extension)
{
    size_t length = strlen(path), tail = strlen(extension);
    return length > tail && strcmp(path + length - tail, extension) == 0;
}

/* The suffixes of compressed files are set aside before a format is inferred from the extension: a.csv.gz is CSV. */
size_t path_bare_length(const char *path)
{
    static const char *const packed[] = {".gz", ".zst"};
    for (size_t i = 0; i < 2; i++)
        if (path_ends_in(path, packed[i]))
            return strlen(path) - strlen(packed[i]);
    return strlen(path);
}

/* Joins as the system resolves the target of a symbolic link: relative to the folder of the link, unless the target is
 * absolute. With an empty `path` this is a copy of `name`. */
char *path_beside(const char *path, const char *name)
{
    size_t folder = name[0] == '/' ? 0 : folder_length(path), length = strlen(name), size;
    if (!add_size(folder, length, &size) || !add_size(size, 1, &size))
        return NULL;
    char *joined = mem_alloc(size, 1);
    if (!joined)
        return NULL;
    memcpy(joined, path, folder);
    memcpy(joined + folder, name, length + 1);
    return joined;
}

/* The target of the link `path`; or NULL, and EINVAL or ENOENT in *failure if it is no link. */
static char *follow_link(const char *path, int *failure)
{
    char target[LINK_LENGTH];
    ssize_t length = readlink(path, target, sizeof target);
    if (length < 0) {
        *failure = errno;
        return NULL;
    }
    /* readlink() truncates without an error, so a full buffer may be incomplete */
    if ((size_t)length == sizeof target) {
        *failure = ENAMETOOLONG;
        return NULL;
    }
    /* readlink() does not terminate the text */
    target[length] = '\0';
    *failure = ENOMEM;
    return path_beside(path, target);
}

/* Not realpath(), which fails if the target of a link does not exist yet. */
char *path_resolve(const char *path, int *failure)
{
    char *here = path_beside("", path);
    *failure = ENOMEM;
    for (int links = 0; here && links <= LINK_LIMIT; links++) {
        /* relative targets are joined with the folder of their link */
        char *next = follow_link(here, failure);
        /* the end of the chain: an ordinary file, or a name that does not exist yet */
        if (!next && (*failure == EINVAL || *failure == ENOENT))
            return here;
        mem_free(here);
        here = next;
    }
    if (here)
        *failure = ELOOP;
    mem_free(here);
    return NULL;
}
