/* checkpoint_file: the state of a long computation as a file that is complete or not there.
 *
 * A magic word, a checksum, and numbers as the machine stores them: for the same build on the same kind of machine. */
#ifndef BASE_CHECKPOINT_FILE_H
#define BASE_CHECKPOINT_FILE_H

#include <stddef.h>

#include "base/status.h"

enum { CHECKPOINT_MAGIC = 16 }; /* bytes, the zeros after the word included */

/* A range of bytes to save. */
struct checkpoint_part {
    const void *bytes;
    size_t length;
};

/* Writes the parts one after another. An existing file is replaced as a whole, or not at all. */
temper_status checkpoint_file_save(const char *path, const char magic[CHECKPOINT_MAGIC],
                                   const struct checkpoint_part *parts, size_t count, temper_error *error);

/* TEMPER_USAGE if there is a regular file of that name that is no checkpoint of any kind or version: it would be lost.
 */
temper_status checkpoint_file_refuse_other(const char *path, temper_error *error);

/* Checks the bytes of a file. NULL, and *content are the parts; or why they cannot be used, as a sentence. */
const char *checkpoint_file_check(const char *bytes, size_t length, const char magic[CHECKPOINT_MAGIC],
                                  struct checkpoint_part *content);

#endif
