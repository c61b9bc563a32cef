/* tmpr_write: a dataset as a .tmpr file, piece by piece from where it lies in memory.
 *
 * Three walks over the same pieces: the bulk for the checksums of its blocks, the head for its own,
 * and then all of it into the sink. That hashes at memory speed and copies nothing, and all
 * checksums stand before what they cover, where a reader wants them. */
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"
#include "data/memory/page_window.h"
#include "data/tmpr/tmpr_layout.h"
#include "data/write/write.h"

/* A file in the making. */
struct job {
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

/* Does something with the next piece of the file. */
typedef temper_status piece_fn(struct job *job, const void *bytes, size_t length);

/* ---- What is done with a piece --------------------------------------------------------------- */

static temper_status piece_to_sink(struct job *job, const void *bytes, size_t length)
{
    return atomic_file_write(job->sink, bytes, length, job->error);
}

static temper_status piece_to_hash(struct job *job, const void *bytes, size_t length)
{
    XXH3_64bits_update(job->hash, bytes, length);
    return TEMPER_OK;
}

static void end_block(struct job *job)
{
    job->checksum[job->block++] = XXH3_64bits_digest(job->hash);
    XXH3_64bits_reset(job->hash);
    job->hashed = 0;
}

/* A piece may end one block and begin the next, or hold many. */
static temper_status piece_to_blocks(struct job *job, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    while (length > 0) {
        size_t room = TMPR_BLOCK - job->hashed, part = length < room ? length : room;
        XXH3_64bits_update(job->hash, at, part);
        job->hashed += part;
        at += part;
        length -= part;
        if (job->hashed == TMPR_BLOCK)
            end_block(job);
    }
    return TEMPER_OK;
}

/* ---- The pieces, in the order of the file ---------------------------------------------------- */

/* Names are kept for all features or for none. */
static size_t feature_names(const struct dataset *data)
{
    return data->features.count == data->x.columns ? data->features.count : 0;
}

static temper_status names_pieces(struct job *job, char *const *name, size_t count, piece_fn *use)
{
    temper_status status = TEMPER_OK;
    for (size_t i = 0; i < count && status == TEMPER_OK; i++)
        status = use(job, name[i], strlen(name[i]) + 1);
    return status;
}

static temper_status array_piece(struct job *job, int section, piece_fn *use)
{
    const struct dataset *data = job->data;
    const void *arrays[TMPR_SECTIONS] = {
        [TMPR_CHECKSUMS] = job->checksum,
        [TMPR_LABELS] = data->label,
        [TMPR_WEIGHTS] = data->weight,
        [TMPR_LINES] = data->line,
        [TMPR_ROW_START] = data->x.row_start,
        [TMPR_COLUMNS] = data->x.column,
        [TMPR_VALUES] = data->x.kind == MATRIX_CSR ? data->x.value : data->x.dense,
    };
    uint64_t length = job->layout.length[section];
    const char *at = arrays[section], *end = length ? at + length : at;
    temper_status status = TEMPER_OK;
    while (status == TEMPER_OK && at < end) { /* in pieces: it may be a mapped file */
        size_t left = (size_t)(end - at), piece = left < TMPR_BLOCK ? left : (size_t)TMPR_BLOCK;
        page_window_bytes(data->storage.pages, at, piece, end);
        status = use(job, at, piece);
        at += piece;
    }
    return status;
}

/* Zeros up to where the next section begins. */
static temper_status padding_piece(struct job *job, int section, piece_fn *use)
{
    static const unsigned char zeros[4096];
    const struct tmpr_layout *layout = &job->layout;
    uint64_t end = layout->offset[section] + layout->length[section];
    uint64_t next = section + 1 < TMPR_SECTIONS ? layout->offset[section + 1] : layout->file_length;
    return use(job, zeros, (size_t)(next - end));
}

static temper_status section_pieces(struct job *job, int section, piece_fn *use)
{
    const struct dataset *data = job->data;
    temper_status status;
    if (section == TMPR_CLASS_NAMES)
        status = names_pieces(job, data->classes.name, (size_t)job->layout.classes, use);
    else if (section == TMPR_FEATURE_NAMES)
        status = names_pieces(job, data->features.name, feature_names(data), use);
    else
        status = array_piece(job, section, use);
    return status == TEMPER_OK ? padding_piece(job, section, use) : status;
}

static temper_status pieces(struct job *job, int from, int to, piece_fn *use)
{
    temper_status status = TEMPER_OK;
    for (int i = from; i < to && status == TEMPER_OK; i++)
        status = section_pieces(job, i, use);
    return status;
}

/* ---- The file -------------------------------------------------------------------------------- */

static uint64_t names_length(char *const *name, size_t count)
{
    uint64_t length = 0;
    for (size_t i = 0; i < count; i++)
        length += strlen(name[i]) + 1;
    return length;
}

static bool plan(const struct dataset *data, struct tmpr_layout *layout)
{
    *layout = (struct tmpr_layout){
        .kind = data->x.kind, .rows = data->x.rows, .columns = data->x.columns, .nonzeros = data->x.nonzeros};
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

/* The checksums of the blocks, then that of the head, which covers them. */
static void seal(struct job *job)
{
    uint64_t checksum;
    XXH3_64bits_reset(job->hash);
    pieces(job, TMPR_LABELS, TMPR_SECTIONS, piece_to_blocks);
    if (job->hashed > 0)
        end_block(job);
    tmpr_header_encode(&job->layout, job->header);
    piece_to_hash(job, job->header, TMPR_CHECKSUM_OFFSET);
    piece_to_hash(job, job->header + TMPR_CHECKSUM_OFFSET + sizeof checksum,
                  TMPR_HEADER - TMPR_CHECKSUM_OFFSET - sizeof checksum);
    pieces(job, 0, TMPR_LABELS, piece_to_hash);
    checksum = XXH3_64bits_digest(job->hash);
    memcpy(job->header + TMPR_CHECKSUM_OFFSET, &checksum, sizeof checksum);
}

temper_status write_tmpr(const struct dataset *data, struct atomic_file *sink, temper_error *error)
{
    struct job job = {.data = data, .sink = sink, .error = error};
    temper_status status = tmpr_check_host(data->file.path ? data->file.path : "the data", error);
    if (status != TEMPER_OK)
        return status;
    if (!matrix_is_narrow(&data->x))
        return error_set(error, TEMPER_USAGE,
                         "a .tmpr holds sparse rows as floats with 32-bit columns and 64-bit starts, "
                         "and these are borrowed in other types; convert them, or write libsvm");
    if (!plan(data, &job.layout))
        return error_set(error, TEMPER_USAGE,
                         "%llu rows of %llu features cannot be kept as .tmpr; give it at least one "
                         "row, and fewer than a machine can address",
                         (unsigned long long)data->x.rows, (unsigned long long)data->x.columns);
    job.checksum = mem_alloc(job.layout.blocks, sizeof *job.checksum);
    job.hash = job.checksum ? XXH3_createState() : NULL;
    if (job.hash) {
        seal(&job);
        status = piece_to_sink(&job, job.header, sizeof job.header);
        if (status == TEMPER_OK)
            status = pieces(&job, 0, TMPR_SECTIONS, piece_to_sink);
    } else {
        status = error_no_memory(error);
    }
    XXH3_freeState(job.hash);
    mem_free(job.checksum);
    return status;
}
