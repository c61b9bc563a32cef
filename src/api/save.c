/* save: the public calls for files and for memory that the library has given away. */
#include "base/atomic_file.h"
#include "base/memory.h"
#include "temper.h"

void temper_free(void *block)
{
    mem_free(block);
}

temper_status temper_file_save(const char *path, const char *bytes, size_t length, temper_error *error)
{
    if (!path || path[0] == '\0')
        return error_set(error, TEMPER_USAGE, "the name of the file is empty; give one");
    if (!bytes && length > 0)
        return error_set(error, TEMPER_USAGE, "%s: there are no bytes to save; give some", path);
    return atomic_file_save(path, bytes, length, error);
}
