/* atomic_file: writes through a temporary file and a rename, for one file or several together.
 *
 * The order of the system calls is the point of this file. One file: write the temporary file, fsync it, rename it to
 * the target, fsync the folder; a crash at any moment leaves the old file or the new one. The temporary file has no
 * name until just before the rename, where the system has such files, so that a killed process leaves nothing behind: a
 * rename needs a name, and linkat alone could not replace an existing file. Several files: all of them are written and
 * synced first; then each target but the last gets a second name (a hard link) before its replacement is renamed over
 * it, so that a rename that fails can be undone for the files before it. The second names are removed at the end. */
#include "base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic/unnamed_file.h"
#include "base/memory.h"
#include "base/path.h"

enum {
    NAME_TRIES = 1000,     /* of temporary names, before something else must be wrong */
    TEMPORARY_LENGTH = 64, /* of the last part of a temporary name */
    BUFFER_SIZE = 65536
};

/* State of one output, from atomic_file_open until it is committed or dropped. */
struct atomic_file {
    char *path;      /* as given, for messages */
    char *target;    /* links resolved; the rename replaces it. NULL: written to directly */
    char *temporary; /* the name of the file until then; NULL while it has none, and after the rename */
    char *backup;    /* another name of the replaced file, until all files are in place; or NULL */
    int fd;          /* -1: closed */
    int folder;      /* descriptor of its folder, to be synced; -1: none */
    bool borrowed;   /* the standard output, which stays open */
    bool unnamed;    /* a file that has no name yet */
    bool replaces;   /* an existing file, whose mode is kept */
    mode_t mode;
    size_t waiting; /* bytes in the buffer */
    char *buffer;
};

/* ---- Messages -------------------------------------------------------------------------------- */

/* The causes that a user can remedy. */
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

/* Errors of the disk itself (EIO) have no better remedy than another place. */
static const char *remedy_for(int number)
{
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (remedies[i].number == number)
            return remedies[i].remedy;
    return "choose another place";
}

/* /dev/stdout too: opening it again would truncate a file that the shell appends to (>>). */
static bool is_standard_output(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

/* Fills the error of an errno; TEMPER_OK for 0. */
static temper_status write_status(const char *path, int failure, temper_error *error)
{
    char shown[PATH_SHOWN], cause[CAUSE_LENGTH];
    if (failure == 0)
        return TEMPER_OK;
    if (failure == ENOMEM)
        return error_no_memory(error);
    return error_set(error, TEMPER_IO, "%s: cannot be written: %s; %s",
                     is_standard_output(path) ? "standard output" : path_shown(path, shown),
                     cause_shown(failure, cause), remedy_for(failure));
}

/* ---- Opening: 0, or an errno ----------------------------------------------------------------- */

/* Calls make() with unused names in the folder of the target until it succeeds; *out is that name. */
static int make_beside(struct atomic_file *file, int (*make)(struct atomic_file *, const char *), char **out)
{
    char last[TEMPORARY_LENGTH];
    for (int i = 0; i < NAME_TRIES; i++) {
        /* hidden, and with the process number, so that processes that save to one folder do not collide */
        snprintf(last, sizeof last, ".temper-%ld-%d.tmp", (long)getpid(), i);
        char *name = path_beside(file->target, last);
        if (!name)
            return ENOMEM;
        int failure = make(file, name);
        if (!failure) {
            *out = name;
            return 0;
        }
        mem_free(name);
        if (failure != EEXIST)
            return failure;
    }
    return EEXIST;
}

/* A new file has mode 0666 less the umask, which cannot be read without changing it for the whole process; the copy of
 * an existing file is private until it is complete. */
static mode_t temporary_mode(const struct atomic_file *file)
{
    return file->replaces ? 0600 : 0666;
}

/* Creates the temporary file under a name. */
static int create_file(struct atomic_file *file, const char *name)
{
    file->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, temporary_mode(file));
    return file->fd < 0 ? errno : 0;
}

/* Gives the file that has none a name. */
static int name_file(struct atomic_file *file, const char *name)
{
    return unnamed_file_link(file->fd, name);
}

/* Opens the folder, to be synced, and the temporary file in it. A folder may be writable and not readable: then it is
 * not synced. Opened before the rename, so that only the sync can fail after it. */
static int open_temporary(struct atomic_file *file)
{
    char *name = path_beside(file->target, ".");
    if (!name)
        return ENOMEM;
    file->folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int failure = unnamed_file_open(name, temporary_mode(file), &file->fd);
    mem_free(name);
    file->unnamed = failure == 0;
    return failure == ENOTSUP ? make_beside(file, create_file, &file->temporary) : failure;
}

/* `old` describes the existing file, or is NULL. */
static int open_regular(struct atomic_file *file, const struct stat *old)
{
    if (old) {
        /* The folder alone would permit replacing a write-protected file. */
        if (faccessat(AT_FDCWD, file->path, W_OK, AT_EACCESS) != 0)
            return errno;
        file->replaces = true;
        file->mode = old->st_mode & 0777;
    }
    int failure;
    file->target = path_resolve(file->path, &failure);
    if (!file->target)
        return failure;
    return open_temporary(file);
}

/* Devices and pipes: a rename would replace them by a file. */
static int open_directly(struct atomic_file *file)
{
    file->fd = open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return file->fd < 0 ? errno : 0;
}

/* Opens by what exists at the path. */
static int open_target(struct atomic_file *file)
{
    struct stat old;
    if (is_standard_output(file->path)) {
        file->fd = STDOUT_FILENO;
        file->borrowed = true;
        return 0;
    }
    /* follows symbolic links: what counts is the file at their end */
    bool exists = stat(file->path, &old) == 0;
    if (!exists && errno != ENOENT)
        return errno;
    if (exists && S_ISDIR(old.st_mode))
        return EISDIR;
    if (exists && !S_ISREG(old.st_mode))
        return open_directly(file);
    return open_regular(file, exists ? &old : NULL);
}

/* Fails here where it can, before hours of computation. */
temper_status atomic_file_open(const char *path, struct atomic_file **out, temper_error *error)
{
    struct atomic_file *file = mem_alloc(1, sizeof *file);
    if (!file)
        return error_no_memory(error);
    *file = (struct atomic_file){.fd = -1, .folder = -1};
    file->path = path_beside("", path);
    file->buffer = mem_alloc(BUFFER_SIZE, 1);
    /* The file last: without memory nothing is created. */
    int failure = file->path && file->buffer ? open_target(file) : ENOMEM;
    if (failure) {
        atomic_file_drop(file);
        return write_status(path, failure, error);
    }
    *out = file;
    return TEMPER_OK;
}

/* ---- Writing: 0, or an errno ----------------------------------------------------------------- */

/* Repeats write() after interrupts and partial writes. */
static int write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, bytes, length);
        if (written < 0 && errno != EINTR)
            return errno;
        if (written == 0) /* no progress and no errno: an error instead of an endless loop */
            return EIO;
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    return 0;
}

/* Writes the buffer. After a failure the file can only be dropped. */
static int flush(struct atomic_file *file)
{
    int failure = write_all(file->fd, file->buffer, file->waiting);
    file->waiting = 0;
    return failure;
}

/* Small pieces are buffered; large ones are written directly, after the buffer. */
temper_status atomic_file_write(struct atomic_file *file, const void *bytes, size_t length, temper_error *error)
{
    int failure = 0;
    /* the order of bytes is kept: a large piece must not overtake buffered ones */
    if (length > BUFFER_SIZE - file->waiting)
        failure = flush(file);
    if (!failure && length >= BUFFER_SIZE) {
        failure = write_all(file->fd, bytes, length);
    } else if (!failure && length > 0) {
        memcpy(file->buffer + file->waiting, bytes, length);
        file->waiting += length;
    }
    return write_status(file->path, failure, error);
}

/* ---- Commit and drop ------------------------------------------------------------------------- */

/* After EINTR the descriptor is closed too. */
static int close_file(struct atomic_file *file)
{
    int fd = file->fd;
    file->fd = -1;
    if (fd < 0 || file->borrowed)
        return 0;
    return close(fd) == 0 || errno == EINTR ? 0 : errno;
}

/* Writes the buffer, and syncs a file that will be renamed: its bytes must be on disk before. A file without a name
 * stays open, since its descriptor is all that is known of it. */
static int finish_file(struct atomic_file *file)
{
    /* the mode before the sync, so that both are durable together */
    int failure = flush(file);
    if (!failure && file->replaces && fchmod(file->fd, file->mode) != 0)
        failure = errno;
    if (!failure && file->target && fsync(file->fd) != 0)
        failure = errno;
    int closing = file->unnamed ? 0 : close_file(file);
    return failure ? failure : closing;
}

/* Makes the rename durable, where the file system supports it; some network file systems do not. */
static int sync_folder(int folder)
{
    if (folder < 0 || fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP)
        return 0;
    return errno;
}

/* Gives the old file a second name. Where hard links are not supported or not permitted it is renamed
 * instead: for a moment the target does not exist, but no file is lost. */
static int keep_old(struct atomic_file *file, const char *name)
{
    if (link(file->target, name) == 0)
        return 0;
    if (errno == EEXIST || errno == ENOENT) /* the old file may have been removed since */
        return errno;
    if (access(name, F_OK) == 0)
        return EEXIST;
    return rename(file->target, name) == 0 ? 0 : errno;
}

/* Renames the new file to its target. If others follow, the replaced file is kept until they are in
 * place too. */
static int rename_to_target(struct atomic_file *file, bool others_follow)
{
    int failure = 0;
    if (!file->target) /* written to directly */
        return 0;
    if (others_follow && file->replaces)
        failure = make_beside(file, keep_old, &file->backup);
    /* ENOENT: another process removed the old file, so there is nothing to keep */
    if (failure && failure != ENOENT)
        return failure;
    /* As late as possible: from here to the rename a killed process would leave the name. */
    failure = file->unnamed ? make_beside(file, name_file, &file->temporary) : 0;
    file->unnamed = file->unnamed && failure;
    int closing = close_file(file);
    if (failure || closing)
        return failure ? failure : closing;
    if (rename(file->temporary, file->target) != 0)
        return errno;
    mem_free(file->temporary);
    file->temporary = NULL;
    return 0;
}

/* Removes the second name of the replaced file. */
static void remove_backup(struct atomic_file *file)
{
    if (file->backup)
        unlink(file->backup);
    mem_free(file->backup);
    file->backup = NULL;
}

/* Undoes rename_to_target, complete or not. An old file whose name cannot be restored keeps the other
 * one. (Renaming one of two hard links to the other does nothing, and leaves both.) */
static void undo_rename(struct atomic_file *file)
{
    bool renamed = file->target && !file->temporary && !file->unnamed;
    if (!file->backup && renamed)
        unlink(file->target);
    if (!file->backup || rename(file->backup, file->target) == 0)
        remove_backup(file);
}

/* Renames all or none; *at is the one that failed. If a folder cannot be synced nothing is undone: the
 * new files are in place, and complete. */
static int publish(struct atomic_file *const *files, size_t count, size_t *at)
{
    int failure = 0;
    for (*at = 0; *at < count; ++*at) {
        failure = rename_to_target(files[*at], *at + 1 < count);
        if (failure) {
            /* in reverse order, in case two of the files have the same target */
            for (size_t i = *at + 1; i-- > 0;)
                undo_rename(files[i]);
            return failure;
        }
    }
    for (size_t i = 0; i < count; i++) {
        remove_backup(files[i]);
        /* the first failure is reported, the other folders are synced all the same */
        int syncing = sync_folder(files[i]->folder);
        if (syncing && !failure) {
            failure = syncing;
            *at = i;
        }
    }
    return failure;
}

/* All files are synced under their temporary names before the first is renamed. The message needs the
 * path, so it is made before the files are freed. */
temper_status atomic_file_commit_all(struct atomic_file *const *files, size_t count, temper_error *error)
{
    size_t at = 0;
    int failure = 0;
    for (size_t i = 0; !failure && i < count; i++) {
        at = i;
        failure = finish_file(files[i]);
    }
    if (!failure)
        failure = publish(files, count, &at);
    temper_status status = failure ? write_status(files[at]->path, failure, error) : TEMPER_OK;
    for (size_t i = 0; i < count; i++)
        atomic_file_drop(files[i]);
    return status;
}

/* One file is the case of several without undo: no backup is kept, and the rename alone is atomic. */
temper_status atomic_file_commit(struct atomic_file *file, temper_error *error)
{
    return atomic_file_commit_all(&file, 1, error);
}

/* Also of files that are only partly opened, or closed already. */
void atomic_file_drop(struct atomic_file *file)
{
    if (!file)
        return;
    close_file(file);
    if (file->temporary)
        unlink(file->temporary);
    if (file->folder >= 0)
        close(file->folder);
    mem_free(file->path);
    mem_free(file->target);
    mem_free(file->temporary);
    mem_free(file->backup);
    mem_free(file->buffer);
    mem_free(file);
}

/* For small files that are complete in memory: models, tables, checkpoints. */
temper_status atomic_file_save(const char *path, const char *bytes, size_t length, temper_error *error)
{
    struct atomic_file *file = NULL;
    /* "-" is a file name here: only atomic_file_open treats it as the standard output. */
    temper_status status = atomic_file_open(strcmp(path, "-") == 0 ? "./-" : path, &file, error);
    if (status != TEMPER_OK || !file)
        return status;
    status = atomic_file_write(file, bytes, length, error);
    if (status == TEMPER_OK)
        return atomic_file_commit(file, error);
    atomic_file_drop(file);
    return status;
}
