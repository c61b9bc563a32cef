/* input: open, poll and read, and what their failures mean. */
#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"

enum {
    MOST_AT_ONCE = 1 << 30, /* one read; Linux gives less than 2 GiB */
    LOOK_AHEAD = 65536,     /* for the end of a line */
    PATIENCE = 100          /* milliseconds between two looks at `stopped` */
};

/* ---- Messages -------------------------------------------------------------------------------- */

/* What is not there is another exit code than what is there and cannot be read. */
static const struct {
    int number;
    temper_status status;
    const char *remedy;
} remedies[] = {
    {ENOENT, TEMPER_NO_INPUT, "check the name"},
    {ENOTDIR, TEMPER_NO_INPUT, "one part of the path is a file; check the name"},
    {ENAMETOOLONG, TEMPER_NO_INPUT, "check the name"},
    {ELOOP, TEMPER_NO_INPUT, "its symbolic links run in a circle; check the name"},
    {EACCES, TEMPER_IO, "check the permissions"},
    {EPERM, TEMPER_IO, "check the permissions"},
    {EISDIR, TEMPER_IO, "give the name of a file in it"},
    {EBADF, TEMPER_IO, "it is closed; give a file, or let something write to it"},
    {EIO, TEMPER_IO, "check the disk or the network, and copy the file elsewhere first"},
    {EMFILE, TEMPER_IO, "raise the limit on open files (ulimit -n)"},
    {ENXIO, TEMPER_IO, "it is a socket or a device that is not there; give a file or a pipe"},
};

temper_status input_failed(const char *name, int failure, temper_error *error)
{
    char cause[CAUSE_LENGTH];
    if (failure == ENOMEM)
        return error_no_memory(error);
    if (failure == ECANCELED)
        return error_set(error, TEMPER_INTERRUPTED, "%s: reading was stopped", name);
    cause_shown(failure, cause);
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (remedies[i].number == failure)
            return error_set(error, remedies[i].status, "%s: cannot be read: %s; %s", name, cause, remedies[i].remedy);
    return error_set(error, TEMPER_IO, "%s: cannot be read: %s; give another file", name, cause);
}

/* ---- Opening and closing --------------------------------------------------------------------- */

int input_open(struct input *input, const char *path)
{
    struct stat about;
    *input = (struct input){.file = -1};
    input->borrowed = strcmp(path, "-") == 0;
    do { /* to open a pipe may wait for its writer, and be interrupted */
        input->file = input->borrowed ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    } while (input->file < 0 && errno == EINTR);
    if (input->file < 0 || fstat(input->file, &about) != 0)
        return errno;
    if (S_ISDIR(about.st_mode)) /* which can be opened, and would fail when it is read */
        return EISDIR;
    input->waits = !S_ISREG(about.st_mode);
    input->size = S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
    return 0;
}

/* Where the first line begins that does so at `at` or behind it. */
static int line_start(const struct input *input, uint64_t at, uint64_t *start)
{
    char bytes[LOOK_AHEAD];
    *start = 0;
    for (uint64_t from = at - 1; at > 0; from += LOOK_AHEAD) {
        ssize_t got = pread(input->file, bytes, sizeof bytes, (off_t)from);
        if (got < 0)
            return errno;
        const char *newline = got ? memchr(bytes, '\n', (size_t)got) : NULL;
        *start = newline ? from + (uint64_t)(newline - bytes) + 1 : input->size;
        if (newline || got == 0)
            return 0;
    }
    return 0;
}

int input_keep_lines(struct input *input, size_t rank, size_t ranks)
{
    uint64_t piece = input->size / ranks, from, to = input->size;
    int failure = line_start(input, piece * rank, &from);
    if (!failure && rank + 1 < ranks)
        failure = line_start(input, piece * (rank + 1), &to);
    return failure ? failure : input_keep_span(input, from, to);
}

int input_keep_span(struct input *input, uint64_t from, uint64_t to)
{
    input->limited = true;
    input->size = to - from;
    return lseek(input->file, (off_t)from, SEEK_SET) < 0 ? errno : 0;
}

/* What close says does not matter to one who has read all bytes. */
void input_close(struct input *input)
{
    if (input->file >= 0 && !input->borrowed)
        close(input->file);
    input->file = -1;
}

/* ---- Reading --------------------------------------------------------------------------------- */

void input_stop(struct input *input)
{
    atomic_store(&input->stopped, true);
}

/* Waits until a read would not. Looks up now and then whether it was told to stop: a reader thread
 * that sleeps in read() could not be joined. */
static int wait_for_bytes(struct input *input)
{
    struct pollfd asked = {.fd = input->file, .events = POLLIN};
    for (;;) {
        if (atomic_load(&input->stopped))
            return ECANCELED;
        int ready = poll(&asked, 1, PATIENCE);
        if (ready > 0) /* bytes, the end, or an error that read will tell */
            return 0;
        if (ready < 0 && errno != EINTR && errno != EAGAIN)
            return errno;
    }
}

/* A regular file never waits, so it is not asked whether it would. */
int input_read(struct input *input, void *bytes, size_t size, size_t *got)
{
    if (size > MOST_AT_ONCE)
        size = MOST_AT_ONCE;
    if (input->limited && size > input->size - input->taken)
        size = (size_t)(input->size - input->taken);
    for (;;) {
        int failure = input->waits ? wait_for_bytes(input) : 0;
        if (failure)
            return failure;
        ssize_t length = read(input->file, bytes, size);
        if (length >= 0) {
            *got = (size_t)length;
            input->taken += (uint64_t)length;
            return 0;
        }
        /* EAGAIN: somebody made the pipe non-blocking, and another reader was faster. */
        if (errno != EINTR && errno != EAGAIN)
            return errno;
    }
}
