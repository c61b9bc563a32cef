/* sink: a file that is written piece by piece and appears whole or not at all.
 *
 * The pieces go to a temporary file beside the target; sink_commit syncs it, renames it and syncs
 * the folder. A device or a pipe is written to directly; symbolic links are followed; the mode of a
 * replaced file is kept. "-" is the standard output. */
#ifndef BASE_ATOMIC_FILE_H
#define BASE_ATOMIC_FILE_H

#include "base/status.h"

struct sink;

temper_status sink_open(const char *path, struct sink **out, temper_error *error);
/* Buffered. After a failure the sink can only be dropped. */
temper_status sink_write(struct sink *sink, const void *bytes, size_t length, temper_error *error);
/* Both free the sink; drop leaves what was there before. */
temper_status sink_commit(struct sink *sink, temper_error *error);
/* Several files that belong together: all are whole and synced before the first is renamed, and a
 * rename that fails undoes those before it, so that all are new or all are as they were. (Not what
 * went to a device or a pipe.) Frees all. */
temper_status sink_commit_all(struct sink *const *sinks, size_t count, temper_error *error);
void sink_drop(struct sink *sink);

#endif
