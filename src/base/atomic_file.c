/* sink: writes through a temporary file and a rename. */
#include "base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/path.h"

enum {
    NAME_TRIES = 1000,     /* of temporary names, before something else must be wrong */
    TEMPORARY_LENGTH = 64, /* of the last part of a temporary name */
    BUFFER_SIZE = 65536
};

struct atomic_file {
    char *path;      /* as the user named it, for messages */
    char *target;    /* where the rename leads: no link. NULL: written to directly */
    char *temporary; /* the name of the file until then; NULL once it is gone */
    char *backup;    /* another name of the file that was replaced, until all is well; or NULL */
    int file;        /* -1: closed */
    int folder;      /* of the target, to be synced; -1: cannot be, or need not be */
    bool borrowed;   /* the standard output, which stays open */
    bool replaces;   /* a file that is there, whose mode is kept */
    mode_t mode;
    size_t waiting; /* bytes in the buffer */
    char *buffer;
};

/* ---- Messages -------------------------------------------------------------------------------- */

/* The causes that a user can do something about. */
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

/* /dev/stdout too: opened anew, what a file had before >> would be lost. */
static bool is_standard_output(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

/* What errno said as an error; TEMPER_OK for 0. */
static temper_status answer(const char *path, int failure, temper_error *error)
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

/* ---- Opening: 0, or what errno said ---------------------------------------------------------- */

/* Makes something of a name that was not there, beside the target; *out is that name, ours to be
 * renamed or removed. */
static int make_beside(struct atomic_file *sink, int (*make)(struct atomic_file *, const char *), char **out)
{
    char last[TEMPORARY_LENGTH];
    for (int i = 0; i < NAME_TRIES; i++) {
        snprintf(last, sizeof last, ".temper-%ld-%d.tmp", (long)getpid(), i);
        char *name = path_beside(sink->target, last);
        if (!name)
            return ENOMEM;
        int failure = make(sink, name);
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

/* Mode 0666 leaves the rest to the umask, which could not be asked for without changing it for the
 * whole process; a private file stays private while it is being written. */
static int create_file(struct atomic_file *sink, const char *name)
{
    mode_t mode = sink->replaces ? 0600 : 0666;
    sink->file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    return sink->file < 0 ? errno : 0;
}

/* A folder may be writable and not readable: then it is not synced. Opened before the rename, after
 * which nothing but the sync may fail. */
static int open_folder(struct atomic_file *sink)
{
    char *name = path_beside(sink->target, ".");
    if (!name)
        return ENOMEM;
    sink->folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    mem_free(name);
    return 0;
}

/* `old` describes the file there, or is NULL. */
static int open_regular(struct atomic_file *sink, const struct stat *old)
{
    if (old) {
        /* Its folder would allow replacing a file that may not be written to. */
        if (faccessat(AT_FDCWD, sink->path, W_OK, AT_EACCESS) != 0)
            return errno;
        sink->replaces = true;
        sink->mode = old->st_mode & 0777;
    }
    int failure;
    sink->target = path_resolve(sink->path, &failure);
    if (!sink->target)
        return failure;
    failure = open_folder(sink);
    return failure ? failure : make_beside(sink, create_file, &sink->temporary);
}

/* Devices and pipes: there is nothing to keep, and a rename would put a file in their place. */
static int open_directly(struct atomic_file *sink)
{
    sink->file = open(sink->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return sink->file < 0 ? errno : 0;
}

/* By what is at the path now. */
static int open_target(struct atomic_file *sink)
{
    struct stat old;
    if (is_standard_output(sink->path)) {
        sink->file = STDOUT_FILENO;
        sink->borrowed = true;
        return 0;
    }
    bool exists = stat(sink->path, &old) == 0;
    if (!exists && errno != ENOENT)
        return errno;
    if (exists && S_ISDIR(old.st_mode))
        return EISDIR;
    if (exists && !S_ISREG(old.st_mode))
        return open_directly(sink);
    return open_regular(sink, exists ? &old : NULL);
}

/* What can be refused is refused here, not after hours of work. */
temper_status atomic_file_open(const char *path, struct atomic_file **out, temper_error *error)
{
    struct atomic_file *sink = mem_alloc(1, sizeof *sink);
    if (!sink)
        return error_no_memory(error);
    *sink = (struct atomic_file){.file = -1, .folder = -1};
    sink->path = path_beside("", path);
    sink->buffer = mem_alloc(BUFFER_SIZE, 1);
    /* The file last: what has no memory has created nothing. */
    int failure = sink->path && sink->buffer ? open_target(sink) : ENOMEM;
    if (failure) {
        atomic_file_drop(sink);
        return answer(path, failure, error);
    }
    *out = sink;
    return TEMPER_OK;
}

/* ---- Writing: 0, or what errno said ---------------------------------------------------------- */

/* Signals interrupt, and pipes take what they have room for. */
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

/* After a failure there is nothing to try again: the sink can only be dropped. */
static int flush(struct atomic_file *sink)
{
    int failure = write_all(sink->file, sink->buffer, sink->waiting);
    sink->waiting = 0;
    return failure;
}

/* Small pieces wait in the buffer; large ones go past it, behind what waits. */
temper_status atomic_file_write(struct atomic_file *sink, const void *bytes, size_t length, temper_error *error)
{
    int failure = 0;
    if (length > BUFFER_SIZE - sink->waiting)
        failure = flush(sink);
    if (!failure && length >= BUFFER_SIZE) {
        failure = write_all(sink->file, bytes, length);
    } else if (!failure && length > 0) {
        memcpy(sink->buffer + sink->waiting, bytes, length);
        sink->waiting += length;
    }
    return answer(sink->path, failure, error);
}

/* ---- The end --------------------------------------------------------------------------------- */

/* After EINTR the file is closed all the same. */
static int close_file(struct atomic_file *sink)
{
    int file = sink->file;
    sink->file = -1;
    if (file < 0 || sink->borrowed)
        return 0;
    return close(file) == 0 || errno == EINTR ? 0 : errno;
}

/* Writes what is waiting; a file that will be renamed must be safe on the disk before. */
static int finish_file(struct atomic_file *sink)
{
    int failure = flush(sink);
    if (!failure && sink->replaces && fchmod(sink->file, sink->mode) != 0)
        failure = errno;
    if (!failure && sink->temporary && fsync(sink->file) != 0)
        failure = errno;
    int closing = close_file(sink);
    return failure ? failure : closing;
}

/* Makes the rename itself last, where that can be asked for: some network file systems refuse. */
static int sync_folder(int folder)
{
    if (folder < 0 || fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP)
        return 0;
    return errno;
}

/* A second name for the old file. Where there are none, or not for the files of others, it is moved
 * aside: for a moment there is no file, but none is lost. */
static int keep_old(struct atomic_file *sink, const char *name)
{
    if (link(sink->target, name) == 0)
        return 0;
    if (errno == EEXIST || errno == ENOENT) /* the old file may have gone since */
        return errno;
    if (access(name, F_OK) == 0)
        return EEXIST;
    return rename(sink->target, name) == 0 ? 0 : errno;
}

/* The new file takes its name. If others are to follow, what it replaces is kept until they have.
 */
static int appear(struct atomic_file *sink, bool others_follow)
{
    int failure = 0;
    if (!sink->temporary) /* written to directly */
        return 0;
    if (others_follow && sink->replaces)
        failure = make_beside(sink, keep_old, &sink->backup);
    if (failure && failure != ENOENT)
        return failure;
    if (rename(sink->temporary, sink->target) != 0)
        return errno;
    mem_free(sink->temporary);
    sink->temporary = NULL;
    return 0;
}

static void forget_old(struct atomic_file *sink)
{
    if (sink->backup)
        unlink(sink->backup);
    mem_free(sink->backup);
    sink->backup = NULL;
}

/* Undoes what `appear` did, however far it came. An old file that cannot get its name back keeps
 * the other one. To rename one name of a file to another does nothing, so that both are left. */
static void disappear(struct atomic_file *sink)
{
    if (!sink->backup && sink->target && !sink->temporary)
        unlink(sink->target);
    if (!sink->backup || rename(sink->backup, sink->target) == 0)
        forget_old(sink);
}

/* Renames all or none; *at is the one that failed. A folder that cannot be synced undoes nothing:
 * the new files are there, and whole. */
static int publish(struct atomic_file *const *sinks, size_t count, size_t *at)
{
    int failure = 0;
    for (*at = 0; *at < count; ++*at) {
        failure = appear(sinks[*at], *at + 1 < count);
        if (failure) {
            for (size_t i = *at + 1; i-- > 0;)
                disappear(sinks[i]);
            return failure;
        }
    }
    for (size_t i = 0; i < count; i++) {
        forget_old(sinks[i]);
        int syncing = sync_folder(sinks[i]->folder);
        if (syncing && !failure) {
            failure = syncing;
            *at = i;
        }
    }
    return failure;
}

/* All files are safe under their temporary names before the first is renamed. The message comes
 * before the end: it needs the path. */
temper_status atomic_file_commit_all(struct atomic_file *const *sinks, size_t count, temper_error *error)
{
    size_t at = 0;
    int failure = 0;
    for (size_t i = 0; !failure && i < count; i++) {
        at = i;
        failure = finish_file(sinks[i]);
    }
    if (!failure)
        failure = publish(sinks, count, &at);
    temper_status status = failure ? answer(sinks[at]->path, failure, error) : TEMPER_OK;
    for (size_t i = 0; i < count; i++)
        atomic_file_drop(sinks[i]);
    return status;
}

temper_status atomic_file_commit(struct atomic_file *sink, temper_error *error)
{
    return atomic_file_commit_all(&sink, 1, error);
}

/* Takes what is half-open or closed already, too. */
void atomic_file_drop(struct atomic_file *sink)
{
    if (!sink)
        return;
    close_file(sink);
    if (sink->temporary)
        unlink(sink->temporary);
    if (sink->folder >= 0)
        close(sink->folder);
    mem_free(sink->path);
    mem_free(sink->target);
    mem_free(sink->temporary);
    mem_free(sink->backup);
    mem_free(sink->buffer);
    mem_free(sink);
}
