/* output: pages in memory, the standard output, files. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "message.h"
#include "team.h"

/* Waits where the caller has made the stream non-blocking, as some terminals and pipes are. */
static bool may_try_again(int file)
{
    struct pollfd poll_file = {.fd = file, .events = POLLOUT};
    if (errno == EINTR)
        return true;
    return (errno == EAGAIN || errno == EWOULDBLOCK) && poll(&poll_file, 1, -1) >= 0;
}

/* 0, or what errno said. */
static int write_stream(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(file, bytes, length);
        if (written < 0 && !may_try_again(file))
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

/* Not through stdio: its errors come late, and without a reason. */
static temper_status write_stdout(const char *bytes, size_t length)
{
    int failure = write_stream(STDOUT_FILENO, bytes, length);
    if (failure == EPIPE)
        return interrupt_by_reader();
    if (failure)
        return complain(TEMPER_IO, "standard output: cannot be written: %s; send the result somewhere else",
                        strerror(failure));
    return TEMPER_OK;
}

/* /dev/stdout too: opened anew, a pipe without a reader would be waited for, and what a file had
 * before >> would be lost. */
static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

temper_status output_failed(const char *path, const temper_error *error)
{
    struct pollfd poll_file = {.fd = STDOUT_FILENO, .events = POLLOUT};
    bool closed =
        is_stdout(path) && error->status == TEMPER_IO && poll(&poll_file, 1, 0) == 1 && poll_file.revents & POLLERR;
    return closed ? interrupt_by_reader() : complain_error(error);
}

bool output_is_terminal(const char *path)
{
    return is_stdout(path) && isatty(STDOUT_FILENO) == 1;
}

temper_status output_write(const char *path, const char *bytes, size_t length)
{
    temper_error error;
    if (!team_is_first())
        return TEMPER_OK;
    if (is_stdout(path))
        return write_stdout(bytes, length);
    if (temper_save(path, bytes, length, &error) != TEMPER_OK)
        return complain_error(&error);
    return TEMPER_OK;
}

temper_status page_open(struct page *page)
{
    *page = (struct page){0};
    page->stream = open_memstream(&page->bytes, &page->length);
    return page->stream ? TEMPER_OK : complain_no_memory();
}

/* A stream to memory fails for want of it, and in no other way. */
temper_status page_close(struct page *page)
{
    if (!page->stream)
        return TEMPER_NO_MEMORY;
    bool failed = ferror(page->stream) != 0;
    if (fclose(page->stream) == 0 && !failed)
        return TEMPER_OK;
    free(page->bytes);
    complain_no_memory();
    return TEMPER_NO_MEMORY;
}

temper_status page_save(struct page *page, const char *path)
{
    temper_status status = page_close(page);
    if (status != TEMPER_OK)
        return status;
    status = output_write(path, page->bytes, page->length);
    free(page->bytes);
    return status;
}

temper_status page_print(struct page *page)
{
    return page_save(page, "-");
}

/* For help that nobody asked for. */
temper_status page_print_as_message(struct page *page)
{
    temper_status status = page_close(page);
    if (status != TEMPER_OK)
        return status;
    if (team_is_first())
        write_stream(STDERR_FILENO, page->bytes, page->length); /* who could be told of a failure? */
    free(page->bytes);
    return TEMPER_OK;
}

/* A closed stream's number would go to the next file that is opened, and messages into it. The way
 * it is opened here, using it still fails. */
static void keep_closed(int stream)
{
    if (fcntl(stream, F_GETFD) != -1 || errno != EBADF)
        return;
    int file = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (file >= 0 && file != stream) {
        dup2(file, stream);
        close(file);
    }
}

void output_prepare(void)
{
    signal(SIGPIPE, SIG_IGN); /* write says EPIPE instead */
    signal(SIGXFSZ, SIG_IGN); /* EFBIG */
    keep_closed(STDIN_FILENO);
    keep_closed(STDOUT_FILENO);
    keep_closed(STDERR_FILENO);
}
