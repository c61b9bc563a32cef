/* tmpr_write: writes a dataset as a .tmpr file, directly from its arrays.
 *
 * Three passes over the same visit_sections: the bulk for the checksums of its blocks, the head for its own checksum,
 * and then everything into the file. Hashing runs at memory speed and copies nothing, and all checksums come before the
 * bytes that they cover, where a reader needs them. */
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"
#include "data/memory/page_window.h"
#include "data/tmpr/tmpr_layout.h"
#include "data/write/write.h"

/* A file that is being written. The hash is that of the present block in the first pass, that of the head in the
 * second. */
struct tmpr_writer {
    const struct dataset *data;
    struct tmpr_layout layout;
    unsigned char header[TMPR_HEADER];
    uint64_t *checksum; /* layout.blocks of them */
    XXH3_state_t *hash;
    size_t hashed; /* bytes of the present block */
    size_t block;
    struct atomic_file *sink;
    temper_error *error;
};

/* A pass over the file: processes the next `length` bytes of it, in order. */
typedef temper_status bytes_fn(struct tmpr_writer *writer, const void *bytes, size_t length);

/* ---- The three passes ------------------------------------------------------------------------ */

/* Third pass: writes everything. */
static temper_status write_bytes(struct tmpr_writer *writer, const void *bytes, size_t length)
{
    return atomic_file_write(writer->sink, bytes, length, writer->error);
}

/* Second pass: hashes the head. */
static temper_status hash_bytes(struct tmpr_writer *writer, const void *bytes, size_t length)
{
    XXH3_64bits_update(writer->hash, bytes, length);
    return TEMPER_OK;
}

/* Stores the checksum (XXH3, 64 bits) of a complete block and starts the next one. */
static void end_block(struct tmpr_writer *writer)
{
    writer->checksum[writer->block++] = XXH3_64bits_digest(writer->hash);
    XXH3_64bits_reset(writer->hash);
    writer->hashed = 0;
}

/* First pass: hashes the bulk, block by block. The bytes of one call may span several blocks, and a block may span
 * several sections. */
static temper_status hash_blocks(struct tmpr_writer *writer, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    while (length > 0) {
        /* The bytes up to the end of the present block. */
        size_t room = TMPR_BLOCK - writer->hashed, part = length < room ? length : room;
        XXH3_64bits_update(writer->hash, at, part);
        writer->hashed += part;
        at += part;
        length -= part;
        if (writer->hashed == TMPR_BLOCK)
            end_block(writer);
    }
    return TEMPER_OK;
}

/* ---- The bytes of the file, in order --------------------------------------------------------- */

/* The number of feature names that are stored: all or none, since the format has no empty name for a single feature. */
static size_t feature_names(const struct dataset *data)
{
    return data->features.count == data->x.columns ? data->features.count : 0;
}

/* Passes each name with its '\0' to `use`. */
static temper_status visit_names(struct tmpr_writer *writer, char *const *name, size_t count, bytes_fn *use)
{
    temper_status status = TEMPER_OK;
    for (size_t i = 0; i < count && status == TEMPER_OK; i++)
        status = use(writer, name[i], strlen(name[i]) + 1);
    return status;
}

/* Passes the bytes of an array section to `use`, in pieces of at most a block: the array may be a mapped file, of which
 * only a window is resident. */
static temper_status visit_array(struct tmpr_writer *writer, int section, bytes_fn *use)
{
    const struct dataset *data = writer->data;
    /* The order of the file is that of enum tmpr_section; sections of names are visited separately. */
    const void *arrays[TMPR_SECTIONS] = {
        [TMPR_CHECKSUMS] = writer->checksum,
        [TMPR_LABELS] = data->label,
        [TMPR_WEIGHTS] = data->weight,
        [TMPR_LINES] = data->line,
        [TMPR_ROW_START] = data->x.row_start,
        [TMPR_COLUMNS] = data->x.column,
        [TMPR_VALUES] = data->x.kind == MATRIX_CSR ? data->x.value : data->x.dense,
    };
    uint64_t length = writer->layout.length[section];
    const char *at = arrays[section], *end = length ? at + length : at;
    temper_status status = TEMPER_OK;
    while (status == TEMPER_OK && at < end) { /* in visit_sections: it may be a mapped file */
        size_t left = (size_t)(end - at), piece = left < TMPR_BLOCK ? left : (size_t)TMPR_BLOCK;
        page_window_bytes(data->storage.pages, at, piece, end);
        status = use(writer, at, piece);
        at += piece;
    }
    return status;
}

/* Passes the zeros after a section to `use`; at most a page, before the bulk. They are covered by the checksums. */
static temper_status visit_padding(struct tmpr_writer *writer, int section, bytes_fn *use)
{
    static const unsigned char zeros[4096];
    const struct tmpr_layout *layout = &writer->layout;
    uint64_t end = layout->offset[section] + layout->length[section];
    uint64_t next = section + 1 < TMPR_SECTIONS ? layout->offset[section + 1] : layout->file_length;
    return use(writer, zeros, (size_t)(next - end));
}

/* The bytes of one section, and its padding. */
static temper_status visit_section(struct tmpr_writer *writer, int section, bytes_fn *use)
{
    const struct dataset *data = writer->data;
    temper_status status;
    if (section == TMPR_CLASS_NAMES)
        status = visit_names(writer, data->classes.name, (size_t)writer->layout.classes, use);
    else if (section == TMPR_FEATURE_NAMES)
        status = visit_names(writer, data->features.name, feature_names(data), use);
    else
        status = visit_array(writer, section, use);
    return status == TEMPER_OK ? visit_padding(writer, section, use) : status;
}

/* Passes the bytes of the sections [from, to), in the order of the file, to `use`. */
static temper_status visit_sections(struct tmpr_writer *writer, int from, int to, bytes_fn *use)
{
    temper_status status = TEMPER_OK;
    for (int i = from; i < to && status == TEMPER_OK; i++)
        status = visit_section(writer, i, use);
    return status;
}

/* ---- The file -------------------------------------------------------------------------------- */

/* Bytes of the names, each with its '\0'. */
static uint64_t names_length(char *const *name, size_t count)
{
    uint64_t length = 0;
    for (size_t i = 0; i < count; i++)
        length += strlen(name[i]) + 1;
    return length;
}

/* Collects the numbers from which the layout follows, and computes it. Presence of optional arrays is passed as a
 * length of 0 or 1. */
static bool plan_layout(const struct dataset *data, struct tmpr_layout *layout)
{
    *layout = (struct tmpr_layout){
        .kind = data->x.kind, .rows = data->x.rows, .columns = data->x.columns, .nonzeros = data->x.nonzeros};
    /* Class names without labels would be refused by the reader. */
    if (data->label) {
        layout->classes = data->classes.count;
        layout->length[TMPR_CLASS_NAMES] = names_length(data->classes.name, data->classes.count);
    }
    layout->length[TMPR_FEATURE_NAMES] = names_length(data->features.name, feature_names(data));
    layout->length[TMPR_LABELS] = data->label != NULL;
    layout->length[TMPR_WEIGHTS] = data->weight != NULL;
    layout->length[TMPR_LINES] = data->line != NULL;
    return tmpr_layout_plan(layout);
}

/* Computes the checksums of all blocks, then that of the head, which covers them, and completes the header. Neither
 * pass can fail. */
static void seal(struct tmpr_writer *writer)
{
    uint64_t checksum;
    /* The blocks come first: their checksums are a section of the head. The last block may be shorter; end_block resets
     * the hash for the head. */
    XXH3_64bits_reset(writer->hash);
    visit_sections(writer, TMPR_LABELS, TMPR_SECTIONS, hash_blocks);
    if (writer->hashed > 0)
        end_block(writer);
    tmpr_header_encode(&writer->layout, writer->header);
    /* The header without the field of the checksum, then the sections of the head. */
    hash_bytes(writer, writer->header, TMPR_CHECKSUM_OFFSET);
    hash_bytes(writer, writer->header + TMPR_CHECKSUM_OFFSET + sizeof checksum,
               TMPR_HEADER - TMPR_CHECKSUM_OFFSET - sizeof checksum);
    visit_sections(writer, 0, TMPR_LABELS, hash_bytes);
    checksum = XXH3_64bits_digest(writer->hash);
    memcpy(writer->header + TMPR_CHECKSUM_OFFSET, &checksum, sizeof checksum);
}

/* The writer_fn of .tmpr. What the format cannot represent is refused before anything is written. */
temper_status write_tmpr(const struct dataset *data, struct atomic_file *sink, temper_error *error)
{
    struct tmpr_writer writer = {.data = data, .sink = sink, .error = error};
    temper_status status = tmpr_check_host(data->file.path ? data->file.path : "the data", error);
    if (status != TEMPER_OK)
        return status;
    if (!matrix_is_narrow(&data->x))
        return error_set(error, TEMPER_USAGE,
                         "a .tmpr holds sparse rows as floats with 32-bit columns and 64-bit starts, "
                         "and these are borrowed in other types; convert them, or write libsvm");
    if (!plan_layout(data, &writer.layout))
        return error_set(error, TEMPER_USAGE,
                         "%llu rows of %llu features cannot be kept as .tmpr; give it at least one "
                         "row, and fewer than a machine can address",
                         (unsigned long long)data->x.rows, (unsigned long long)data->x.columns);
    writer.checksum = mem_alloc(writer.layout.blocks, sizeof *writer.checksum);
    writer.hash = writer.checksum ? XXH3_createState() : NULL;
    if (writer.hash) {
        seal(&writer);
        status = write_bytes(&writer, writer.header, sizeof writer.header);
        if (status == TEMPER_OK)
            status = visit_sections(&writer, 0, TMPR_SECTIONS, write_bytes);
    } else {
        status = error_no_memory(error);
    }
    XXH3_freeState(writer.hash);
    mem_free(writer.checksum);
    return status;
}
