/* file: a file is either written whole or left as it was. */
#ifndef BASE_ATOMIC_FILE_SAVE_H
#define BASE_ATOMIC_FILE_SAVE_H

#include "base/status.h"

/* Writes to a temporary name beside `path`, syncs, renames, and syncs the folder: the old file is
 * there until the new one is safe. Symbolic links are followed, to a file that does not exist yet
 * too; a device or a pipe is written to directly, never replaced. The file keeps the mode of the
 * one that it replaces; one that may not be written to is refused, though its folder would allow
 * replacing it. On failure the old file is as it was, except where only the folder could not be
 * synced, and no temporary file is left. Writing to a pipe that nobody reads raises SIGPIPE, unless
 * the caller ignores it. */
temper_status atomic_file_save(const char *path, const char *bytes, size_t length, temper_error *error);

#endif
