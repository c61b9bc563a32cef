/* file: the public calls for files that are written piece by piece, for telling models from other
 * files, and for numbers as text. */
#include <string.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/number.h"
#include "base/source.h"
#include "model/model_file.h"
#include "temper.h"

/* A temper_file is a sink under its public name. */
static struct atomic_file *sink_of(temper_file *file)
{
    return (struct atomic_file *)file;
}

temper_status temper_file_open(const char *path, temper_file **file, temper_error *error)
{
    struct atomic_file *sink;
    if (!path || path[0] == '\0')
        return error_set(error, TEMPER_USAGE, "the name of the file is empty; give one");
    temper_status status = atomic_file_open(path, &sink, error);
    if (status == TEMPER_OK)
        *file = (temper_file *)sink;
    return status;
}

temper_status temper_file_write(temper_file *file, const char *bytes, size_t length, temper_error *error)
{
    if (!bytes && length > 0)
        return error_set(error, TEMPER_USAGE, "there are no bytes to write; give some");
    return atomic_file_write(sink_of(file), bytes, length, error);
}

temper_status temper_file_commit(temper_file *file, temper_error *error)
{
    return atomic_file_commit(sink_of(file), error);
}

void temper_file_discard(temper_file *file)
{
    atomic_file_drop(sink_of(file));
}

/* A pipe is left alone: what is looked at there is gone for who reads it. */
int temper_is_model_file(const char *path)
{
    struct source *source;
    struct stat there;
    const unsigned char *bytes;
    size_t length = 0, head = strlen(MODEL_HEAD);
    if (stat(path, &there) != 0 || !S_ISREG(there.st_mode) || source_open(path, &source, NULL) != TEMPER_OK)
        return 0;
    int is = source_peek(source, head, &bytes, &length, NULL) == TEMPER_OK && length == head &&
             memcmp(bytes, MODEL_HEAD, head) == 0;
    source_close(source);
    return is;
}

_Static_assert(TEMPER_NUMBER_LENGTH == NUMBER_LENGTH, "the same room for a number");

size_t temper_format_number(double number, char text[TEMPER_NUMBER_LENGTH])
{
    return number_write_f64(number, text);
}
