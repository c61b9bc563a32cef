/* checkpoint_file: a header with a checksum (XXH3) of all that follows it. */
#include "base/checkpoint_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "base/path.h"

/* The first bytes of a checkpoint. The magic word names the kind of checkpoint. A file of a machine of another
 * byte order has a checksum that does not match. */
struct checkpoint_header {
    char magic[CHECKPOINT_MAGIC];
    uint64_t checksum; /* of the bytes after the header */
};

/* The checksum precedes the content, so all parts are first copied into one block. Checkpoints are small beside
 * the data: weights, and the history of the optimiser or of the search. */
temper_status checkpoint_file_save(const char *path, const char magic[CHECKPOINT_MAGIC],
                                   const struct checkpoint_part *parts, size_t count, temper_error *error)
{
    struct checkpoint_header header;
    size_t length = sizeof header;
    for (size_t i = 0; i < count; i++)
        length += parts[i].length;
    char *bytes = mem_alloc(length, 1);
    if (!bytes)
        return error_no_memory(error);
    char *to = bytes + sizeof header;
    for (size_t i = 0; i < count; to += parts[i++].length)
        memcpy(to, parts[i].bytes, parts[i].length);
    /* the header last, as its checksum covers the parts */
    memcpy(header.magic, magic, sizeof header.magic);
    header.checksum = XXH3_64bits(bytes + sizeof header, length - sizeof header);
    memcpy(bytes, &header, sizeof header);
    temper_status status = atomic_file_save(path, bytes, length, error);
    mem_free(bytes);
    return status;
}

/* The magic words of all kinds and versions begin alike. */
static const char magic_start[] = "temper-";

/* Files that cannot be read are not refused here: saving a checkpoint will find out why. */
temper_status checkpoint_file_refuse_other(const char *path, temper_error *error)
{
    char first[sizeof magic_start] = "", shown[PATH_SHOWN];
    struct stat found;
    if (stat(path, &found) != 0 || !S_ISREG(found.st_mode) || found.st_size == 0)
        return TEMPER_OK;
    FILE *file = fopen(path, "rb");
    if (!file)
        return TEMPER_OK;
    size_t got = fread(first, 1, sizeof first - 1, file);
    fclose(file);
    if (got == sizeof first - 1 && strcmp(first, magic_start) == 0)
        return TEMPER_OK;
    return error_set(
        error, TEMPER_USAGE,
        "%s: this file exists and is not a checkpoint, which would replace it; give the checkpoint another "
        "name, or remove the file",
        path_shown(path, shown));
}

/* Distinguishes a file of another kind, whose name the user has mistaken, from a checkpoint that was changed or
 * truncated. *content points into `bytes`. The copy of the header avoids an unaligned access. */
const char *checkpoint_file_check(const char *bytes, size_t length, const char magic[CHECKPOINT_MAGIC],
                                  struct checkpoint_part *content)
{
    struct checkpoint_header header;
    if (!bytes || length < sizeof header || memcmp(bytes, magic, CHECKPOINT_MAGIC) != 0)
        return "this is not a checkpoint of this command";
    memcpy(&header, bytes, sizeof header);
    *content = (struct checkpoint_part){bytes + sizeof header, length - sizeof header};
    return header.checksum == XXH3_64bits(content->bytes, content->length) ? NULL : "the checkpoint is damaged";
}
