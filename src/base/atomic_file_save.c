/* file: saves what is whole already; base/sink does the work. */
#include "base/atomic_file_save.h"

#include <string.h>

#include "base/atomic_file.h"

temper_status atomic_file_save(const char *path, const char *bytes, size_t length, temper_error *error)
{
    struct atomic_file *sink;
    /* A file of that name, as for everything here: the standard output is for a sink to give. */
    temper_status status = atomic_file_open(strcmp(path, "-") == 0 ? "./-" : path, &sink, error);
    if (status != TEMPER_OK)
        return status;
    status = atomic_file_write(sink, bytes, length, error);
    if (status == TEMPER_OK)
        return atomic_file_commit(sink, error);
    atomic_file_drop(sink);
    return status;
}
