/* atomic_file: a file that appears complete or not at all.
 *
 * Bytes are written to a temporary file in the folder of the target; a commit syncs it, renames it and
 * syncs the folder. Symbolic links are followed, also to a file that does not exist yet. A device or a
 * pipe is written to directly. The mode of a replaced file is kept; a write-protected file is refused,
 * although its folder would permit replacing it. On failure the old file is unchanged, except where
 * only the folder could not be synced, and no temporary file is left, on Linux also if the process is killed. Writing
 * to a pipe without a reader raises SIGPIPE, unless the caller ignores it. */
#ifndef BASE_ATOMIC_FILE_H
#define BASE_ATOMIC_FILE_H

#include "base/status.h"

struct atomic_file;

/* "-" is the standard output. */
temper_status atomic_file_open(const char *path, struct atomic_file **out, temper_error *error);
/* Buffered. After a failure the file can only be dropped. */
temper_status atomic_file_write(struct atomic_file *file, const void *bytes, size_t length, temper_error *error);
/* Both free the file; drop leaves the old one unchanged. */
temper_status atomic_file_commit(struct atomic_file *file, temper_error *error);
void atomic_file_drop(struct atomic_file *file);
/* Several files that belong together: all are complete and synced before the first is renamed, and a
 * rename that fails undoes those before it, so that all are new or all are unchanged. (Except what was
 * written to a device or a pipe.) Frees all. */
temper_status atomic_file_commit_all(struct atomic_file *const *files, size_t count, temper_error *error);

/* Opens, writes and commits. Here "-" is a file of that name. */
temper_status atomic_file_save(const char *path, const char *bytes, size_t length, temper_error *error);

#endif
