/* output_paths: pages in memory, the standard output, output files, and checks that they can be written. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "output_paths.h"
#include "process_group.h"
#include "progress.h"

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
    if (!process_group_is_first())
        return TEMPER_OK;
    if (is_stdout(path))
        return write_stdout(bytes, length);
    if (temper_file_save(path, bytes, length, &error) != TEMPER_OK)
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
    if (process_group_is_first())
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

/* ---- Checks before anything is read ---------------------------------------------------------- */

char *joined(const char *first, const char *second)
{
    size_t size = strlen(first) + strlen(second) + 1;
    char *both = malloc(size);
    if (both)
        snprintf(both, size, "%s%s", first, second);
    else
        complain_no_memory();
    return both;
}

static bool is_stream(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

temper_status name_model(const struct arguments *arguments, char **path)
{
    const char *given = text_of(arguments, OPT_TRAIN_MODEL), *data = arguments->operand[0];
    const char *command = arguments->command->name;
    data += data[0] == '@'; /* a list of files has the name of the list */
    if (!given && strcmp(data, "-") == 0)
        return complain(TEMPER_USAGE,
                        "%s: the standard input has no name that the model could have; give one "
                        "by -m",
                        command);
    if (given && is_stream(given))
        return complain(TEMPER_USAGE, "%s: the standard output has the report; give a file to -m", command);
    *path = joined(given ? given : data, given ? "" : ".temper");
    return *path ? TEMPER_OK : TEMPER_NO_MEMORY;
}

bool is_file(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && S_ISREG(there.st_mode);
}

/* Devices are nobody's only copy. */
static bool same_file(const char *a, const char *b)
{
    struct stat first, second;
    return a && b && stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* What is read must not be what is written. */
static temper_status check_not_input(const struct arguments *arguments, const char *written)
{
    const char *data = arguments->operand[0];
    const char *list = data && data[0] == '@' ? data + 1 : NULL;
    const char *const inputs[] = {data,
                                  list,
                                  text_of(arguments, OPT_VALID),
                                  text_of(arguments, OPT_LABELS),
                                  text_of(arguments, OPT_WEIGHTS),
                                  text_of(arguments, OPT_TRUSTED)};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (same_file(written, inputs[i]))
            return complain(TEMPER_USAGE,
                            "%s: %s is read, and would be written over; choose another name for "
                            "the result",
                            arguments->command->name, written);
    return TEMPER_OK;
}

/* To open a pipe would begin a conversation with its reader. */
static temper_status check_writable(const char *path)
{
    struct stat there;
    temper_file *file;
    temper_error error;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
        return TEMPER_OK;
    if (temper_file_open(path, &file, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_file_discard(file);
    return TEMPER_OK;
}

temper_status check_target(const struct arguments *arguments, const char *path)
{
    temper_status status = check_not_input(arguments, path);
    if (status == TEMPER_OK && process_group_is_first())
        status = check_writable(path);
    return process_group_agree(status);
}

temper_status check_targets(const struct arguments *arguments, const char *model, const char *checkpoint)
{
    temper_status status = check_not_input(arguments, model);
    if (status == TEMPER_OK && checkpoint)
        status = check_not_input(arguments, checkpoint);
    if (status == TEMPER_OK && checkpoint && (strcmp(checkpoint, model) == 0 || same_file(checkpoint, model)))
        return complain(TEMPER_USAGE,
                        "%s: the checkpoint cannot be the model itself; give --checkpoint another "
                        "file",
                        arguments->command->name);
    if (status == TEMPER_OK && process_group_is_first())
        status = check_writable(model);
    if (status == TEMPER_OK && checkpoint && process_group_is_first())
        status = check_writable(checkpoint);
    return process_group_agree(status);
}
