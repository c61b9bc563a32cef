/* file: saves through a temporary file and a rename. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum {
    LINK_LIMIT = 40,   /* of symbolic links in a row, as in Linux */
    NAME_TRIES = 1000, /* of temporary names, before something else must be wrong */
    LINK_LENGTH = 4096,
    TEMPORARY_LENGTH = 64, /* of the last part of a temporary name */
    SHOWN_LENGTH = 200     /* of a path in a message: the cause must fit in beside it */
};

/* ---- Messages -------------------------------------------------------------------------------- */

static const struct {
    int number;
    const char *remedy;
} remedies[] = {
    {EACCES, "check the permissions, or choose another place"},
    {EPERM, "check the permissions, or choose another place"},
    {EROFS, "choose another place"},
    {ENOENT, "create its folder first"},
    {ENOTDIR, "one part of the path is a file; choose another place"},
    {EISDIR, "give the name of a file in it"},
    {ELOOP, "its symbolic links run in a circle; choose another place"},
    {ENAMETOOLONG, "choose a shorter name"},
    {ENOSPC, "free some space, or choose another place"},
    {EDQUOT, "free some space, or choose another place"},
    {EFBIG, "raise the limit on the size of files (ulimit -f), or choose another place"},
    {EPIPE, "its reader went away; keep it reading to the end"},
};

static const char *remedy_for(int number)
{
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (remedies[i].number == number)
            return remedies[i].remedy;
    return "choose another place";
}

/* The end of a long path tells more than its beginning. */
static const char *shown_part(const char *path)
{
    size_t length = strlen(path);
    const char *part = length > SHOWN_LENGTH ? path + (length - SHOWN_LENGTH) : path;
    while (part != path && ((unsigned char)*part & 0xC0) == 0x80) /* not within a UTF-8 character */
        part++;
    return part;
}

static temper_status save_failed(const char *path, int number, temper_error *error)
{
    char cause[128];
    const char *part = shown_part(path);
    if (number == ENOMEM)
        return error_no_memory(error);
    if (strerror_r(number, cause, sizeof cause) != 0) /* strerror is not safe among threads */
        snprintf(cause, sizeof cause, "error %d", number);
    return error_set(error, TEMPER_IO, "%s%s: cannot be written: %s; %s", part == path ? "" : "...",
                     part, cause, remedy_for(number));
}

/* ---- Paths ----------------------------------------------------------------------------------- */

/* How much of the path is its folder, with the slash: 0 for a plain name. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* `name` in the folder of `path`; NULL without memory. */
static char *path_beside(const char *path, const char *name)
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

/* The path that the link `path` points to; or NULL, and EINVAL or ENOENT if it is no link. */
static char *follow_link(const char *path, int *failure)
{
    char target[LINK_LENGTH];
    ssize_t length = readlink(path, target, sizeof target);
    if (length < 0) {
        *failure = errno;
        return NULL;
    }
    if ((size_t)length == sizeof target) {
        *failure = ENAMETOOLONG;
        return NULL;
    }
    target[length] = '\0';
    *failure = ENOMEM;
    return path_beside(path, target);
}

/* The path behind all links of its last part, so that the rename replaces the file and not the
 * link; or NULL. Not realpath: that fails where a link leads to a file that is not there yet. */
static char *path_resolve(const char *path, int *failure)
{
    char *here = path_beside("", path);
    *failure = ENOMEM;
    for (int links = 0; here && links <= LINK_LIMIT; links++) {
        char *next = follow_link(here, failure);
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

/* ---- Writing: 0, or what errno said ---------------------------------------------------------- */

static int write_all(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(file, bytes, length);
        if (written < 0 && errno != EINTR)
            return errno;
        if (written == 0) /* no progress, no reason: better an error than a loop without end */
            return EIO;
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    return 0;
}

/* After EINTR the file is closed all the same. */
static int close_file(int file)
{
    return close(file) == 0 || errno == EINTR ? 0 : errno;
}

/* Devices and pipes: there is nothing to keep, and a rename would put a file in their place. */
static int write_directly(const char *path, const char *bytes, size_t length)
{
    int file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0)
        return errno;
    int failure = write_all(file, bytes, length), closing = close_file(file);
    return failure ? failure : closing;
}

/* Creates a file that was not there, beside `path`. Mode 0666 leaves the rest to the umask, which
 * could not be asked for without changing it for the whole process. */
static int create_beside(const char *path, mode_t mode, char **name, int *file)
{
    char last[TEMPORARY_LENGTH];
    for (int i = 0; i < NAME_TRIES; i++) {
        snprintf(last, sizeof last, ".temper-%ld-%d.tmp", (long)getpid(), i);
        *name = path_beside(path, last);
        if (!*name)
            return ENOMEM;
        *file = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (*file >= 0)
            return 0;
        int failure = errno;
        mem_free(*name);
        if (failure != EEXIST)
            return failure;
    }
    return EEXIST;
}

/* Fills, syncs and closes the file, which is closed on failure too. */
static int fill_file(int file, const struct stat *old, const char *bytes, size_t length)
{
    int failure = write_all(file, bytes, length);
    if (!failure && old && fchmod(file, old->st_mode & 0777) != 0)
        failure = errno;
    if (!failure && fsync(file) != 0)
        failure = errno;
    int closing = close_file(file);
    return failure ? failure : closing;
}

/* The folder of `path`, to be synced, or -1: one may be writable and not readable. Opened before
 * the rename, after which nothing but the sync may fail. */
static int open_folder(const char *path, int *folder)
{
    char *name = path_beside(path, ".");
    if (!name)
        return ENOMEM;
    *folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    mem_free(name);
    return 0;
}

/* Makes the rename itself last, where that can be asked for: some network file systems refuse. */
static int sync_folder(int folder)
{
    if (folder < 0 || fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP)
        return 0;
    return errno;
}

/* Under another name first. `path` is no link; `old` describes the file there, or is NULL. */
static int write_and_rename(const char *path, const struct stat *old, const char *bytes,
                            size_t length)
{
    char *temporary;
    int file;
    /* A private file stays private while it is being written. */
    int failure = create_beside(path, old ? 0600 : 0666, &temporary, &file);
    if (failure)
        return failure;
    failure = fill_file(file, old, bytes, length);
    if (!failure && rename(temporary, path) != 0)
        failure = errno;
    if (failure)
        unlink(temporary);
    mem_free(temporary);
    return failure;
}

static int replace_file(const char *path, const struct stat *old, const char *bytes, size_t length)
{
    int folder = -1, failure = open_folder(path, &folder);
    if (!failure)
        failure = write_and_rename(path, old, bytes, length);
    if (!failure)
        failure = sync_folder(folder);
    if (folder >= 0)
        close(folder);
    return failure;
}

static int save_regular(const char *path, const struct stat *old, const char *bytes, size_t length)
{
    if (old && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        return errno;
    int failure;
    char *resolved = path_resolve(path, &failure);
    if (!resolved)
        return failure;
    failure = replace_file(resolved, old, bytes, length);
    mem_free(resolved);
    return failure;
}

temper_status file_save(const char *path, const char *bytes, size_t length, temper_error *error)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;
    int failure;
    if (!exists && errno != ENOENT)
        failure = errno;
    else if (exists && S_ISDIR(old.st_mode))
        failure = EISDIR;
    else if (exists && !S_ISREG(old.st_mode))
        failure = write_directly(path, bytes, length);
    else
        failure = save_regular(path, exists ? &old : NULL, bytes, length);
    return failure ? save_failed(path, failure, error) : TEMPER_OK;
}
