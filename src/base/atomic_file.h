/* sink: a file that is written piece by piece and appears whole or not at all.
 *
 * The pieces go to a temporary file beside the target; atomic_file_commit syncs it, renames it and
 * syncs the folder. A device or a pipe is written to directly; symbolic links are followed; the
 * mode of a replaced file is kept. "-" is the standard output. */
#ifndef BASE_ATOMIC_FILE_H
#define BASE_ATOMIC_FILE_H

#include "base/status.h"

struct atomic_file;

temper_status atomic_file_open(const char *path, struct atomic_file **out, temper_error *error);
/* Buffered. After a failure the sink can only be dropped. */
temper_status atomic_file_write(struct atomic_file *sink, const void *bytes, size_t length, temper_error *error);
/* Both free the sink; drop leaves what was there before. */
temper_status atomic_file_commit(struct atomic_file *sink, temper_error *error);
/* Several files that belong together: all are whole and synced before the first is renamed, and a
 * rename that fails undoes those before it, so that all are new or all are as they were. (Not what
 * went to a device or a pipe.) Frees all. */
temper_status atomic_file_commit_all(struct atomic_file *const *sinks, size_t count, temper_error *error);
void atomic_file_drop(struct atomic_file *sink);

#endif
