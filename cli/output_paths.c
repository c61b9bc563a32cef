/* output_paths: buffers in memory, the standard output, output files, and checks that these can be written.
 *
 * A report is composed in memory and written by write() at once: a full disk, a closed pipe or a quota is noticed and
 * reported, which stdio would do at exit or not at all. Files are replaced atomically. Before the work begins each
 * target is checked: its temporary file is created and dropped. */
#include "output_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/display/display_width.h"
#include "memory_stream.h"
#include "message.h"
#include "process_group.h"
#include "progress.h"
#include "temper_extra.h"

/* ---- Standard streams -------------------------------------------------------------------------- */

/* Whether a failed write may be repeated, judged by errno. Waits for space where the stream is non-blocking, as some
 * terminals and pipes are: a program that shares the terminal may have set O_NONBLOCK for all. */
static bool may_try_again(int file)
{
    struct pollfd poll_file = {.fd = file, .events = POLLOUT};
    if (errno == EINTR)
        return true;
    return (errno == EAGAIN || errno == EWOULDBLOCK) && poll(&poll_file, 1, -1) >= 0;
}

/* Writes all bytes and returns 0 or errno. Not through stdio, which detects errors late (at fclose or exit) and does
 * not keep their cause. */
static int write_stream(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(file, bytes, length);
        if (written < 0 && !may_try_again(file))
            return errno;
        if (written == 0) /* neither progress nor a cause: an error is better than an endless loop */
            return EIO;
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    return 0;
}

/* Writes to the standard output. If its reader has closed the pipe, as 'head' does, the program ends silently with the
 * exit code that SIGPIPE would have caused. */
static temper_status write_stdout(const char *bytes, size_t length)
{
    int failure = write_stream(STDOUT_FILENO, bytes, length);
    if (failure == EPIPE)
        return interrupt_by_reader();
    if (failure)
        return fail(TEMPER_IO, "standard output: cannot be written: %s; redirect it to another file or program",
                    strerror(failure));
    return TEMPER_OK;
}

/* /dev/stdout is treated as "-" and not opened again: a pipe without a reader would block, and after ">>" in a shell
 * the file would be truncated. */
bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

/* The library reports a closed pipe as an ordinary write error. The cause is recovered by polling: POLLERR on a pipe
 * means that its reader has closed it. */
temper_status output_failed(const char *path, const temper_error *error)
{
    struct pollfd poll_file = {.fd = STDOUT_FILENO, .events = POLLOUT};
    bool closed =
        is_stdout(path) && error->status == TEMPER_IO && poll(&poll_file, 1, 0) == 1 && poll_file.revents & POLLERR;
    return closed ? interrupt_by_reader() : fail_with(error);
}

/* Commands refuse to print binary data or markup to a person. */
bool output_is_terminal(const char *path)
{
    return is_stdout(path) && isatty(STDOUT_FILENO) == 1;
}

/* Occupies the descriptor of a standard stream that the caller has closed ("temper ... >&-"). Otherwise the next file
 * opened would get this descriptor, and messages or results would be written into that file. /dev/null is opened in the
 * opposite direction, so that using the stream still fails. */
static void keep_closed(int stream)
{
    if (fcntl(stream, F_GETFD) != -1 || errno != EBADF)
        return;
    /* open returns the lowest free descriptor, which is usually `stream` itself. */
    int file = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (file >= 0 && file != stream) {
        dup2(file, stream);
        close(file);
    }
}

/* The exit code of the handler below, by output_prepare: a handler should call no function of the library. */
static volatile sig_atomic_t lost_page_exit;

/* SIGBUS: a page of a mapped file cannot be read, as another program has made the file shorter, or as its disk fails.
 * Whatever was computed from that page is of no use, so that the process ends at once, with the status of a file that
 * cannot be read; results are complete files that replace others at the end, and files in progress have no name yet.
 * Only async-signal-safe functions are called. */
static void end_for_lost_page(int signal_number)
{
    static const char message[] =
        "temper: a file that is in use has become shorter, or its disk cannot be read; run the command again when no "
        "other program writes to the file\n";
    (void)signal_number;
    ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
    (void)written; /* the exit code is the same without the message */
    _exit(lost_page_exit);
}

/* The default action of these signals would end the process without a message, and that of the first two without
 * removing temporary files. */
void output_prepare(void)
{
    signal(SIGPIPE, SIG_IGN); /* write returns EPIPE instead */
    signal(SIGXFSZ, SIG_IGN); /* EFBIG */
    lost_page_exit = temper_status_exit_code(TEMPER_IO);
    signal(SIGBUS, end_for_lost_page);
    keep_closed(STDIN_FILENO);
    keep_closed(STDOUT_FILENO);
    keep_closed(STDERR_FILENO);
}

/* ---- Output ---------------------------------------------------------------------------------- */

/* A terminal gets a copy without control characters: names of classes, columns and files in it come from the data. A
 * pipe or a file gets every byte. */
static temper_status write_terminal(const char *bytes, size_t length)
{
    char *shown = malloc(length + 1);
    if (!shown)
        return fail_no_memory();
    memcpy(shown, bytes, length);
    temper_status status = write_stdout(shown, display_mask_controls(shown, length, true));
    free(shown);
    return status;
}

/* The one place where results are written: in the first process only, and for files atomically, so that a failure
 * leaves an existing file as it was. */
temper_status output_write(const char *path, const char *bytes, size_t length)
{
    temper_error error;
    if (!process_group_is_first())
        return TEMPER_OK;
    if (output_is_terminal(path))
        return write_terminal(bytes, length);
    if (is_stdout(path))
        return write_stdout(bytes, length);
    return checked(atomic_file_save(path, bytes, length, &error), &error);
}

/* Takes ownership of `text`, also on failure, so that callers can return its result directly. */
temper_status output_write_text(const char *path, temper_text *text)
{
    temper_status status = output_write(path, text->bytes, text->length);
    temper_text_free(text);
    return status;
}

temper_status output_open(struct output_buffer *buffer)
{
    *buffer = (struct output_buffer){0};
    buffer->stream = memory_stream_open(&buffer->bytes, &buffer->length);
    return buffer->stream ? TEMPER_OK : fail_no_memory();
}

/* A stream in memory can only fail for lack of memory. */
temper_status output_close(struct output_buffer *buffer)
{
    if (memory_stream_close(buffer->stream, &buffer->bytes, &buffer->length))
        return TEMPER_OK;
    free(buffer->bytes);
    fail_no_memory();
    return TEMPER_NO_MEMORY;
}

/* Consumes the buffer in every case. */
temper_status output_save(struct output_buffer *buffer, const char *path)
{
    TRY(output_close(buffer));
    temper_status status = output_write(path, buffer->bytes, buffer->length);
    free(buffer->bytes);
    return status;
}

/* Standard output, in the first process only. */
temper_status output_print(struct output_buffer *buffer)
{
    return output_save(buffer, "-");
}

/* A failure to write to the standard error is ignored: there is no stream left on which to report it. */
temper_status output_print_stderr(struct output_buffer *buffer)
{
    TRY(output_close(buffer));
    if (process_group_is_first())
        write_stream(STDERR_FILENO, buffer->bytes, buffer->length);
    free(buffer->bytes);
    return TEMPER_OK;
}

/* ---- Checks before the work begins ---------------------------------------------------------------- */

/* Used to derive names of files: MODEL.tuning, DATA.temper and the like (file_roles.c). */
char *concatenate(const char *first, const char *second)
{
    size_t size = strlen(first) + strlen(second) + 1;
    char *both = malloc(size);
    if (both)
        snprintf(both, size, "%s%s", first, second);
    else
        fail_no_memory();
    return both;
}

/* Follows symbolic links, as opening the file does. */
bool is_file(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

/* Opens and drops the temporary file, which tests permissions and the existence of the folder without touching the
 * target. A pipe or device is not opened for the check, because its reader would see that as an empty result. */
static temper_status check_writable(const char *path)
{
    struct stat found;
    struct atomic_file *file;
    temper_error error;
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode))
        return TEMPER_OK;
    TRY(checked(atomic_file_open(path, &file, &error), &error));
    atomic_file_drop(file);
    return TEMPER_OK;
}

/* Only the first process opens files; process_group_agree passes its status to all, so that none of them starts to
 * work. */
temper_status check_target(const char *path)
{
    return process_group_agree(process_group_is_first() ? check_writable(path) : TEMPER_OK);
}
