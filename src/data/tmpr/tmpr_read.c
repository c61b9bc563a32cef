/* tmpr_read: opens a .tmpr file: maps it if possible, checks its head, and points a dataset at the rest.
 *
 * The order of the checks makes each of them safe: magic and version; the header, from which the layout is computed and
 * compared with what the file claims; the length of the file; the checksum of the head; the names. Only then do the
 * arrays of the dataset point into the mapping. The bulk is verified block by block afterwards (tmpr_verify.c), by each
 * process for the rows that it uses. A pipe or an archive is read into anonymous memory, and goes through the same
 * checks. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/memory.h"
#include "base/path.h"
#include "base/thread.h"
#include "data/dist/scatter_rows.h"
#include "data/memory/memory_limit.h"
#include "data/memory/page_window.h"
#include "data/quote_text.h"
#include "data/read/read.h"
#include "data/tmpr/tmpr_layout.h"

/* A file that is being opened, and the dataset that it becomes. */
struct tmpr_opening {
    const char *path;
    bool in_memory; /* `path` is only a name */
    struct dataset *data;
    struct tmpr_layout layout;
    temper_error *error;
};

/* ---- Messages -------------------------------------------------------------------------------- */

/* Reports a file with content that contradicts itself. */
static temper_status damaged(const struct tmpr_opening *opening, const char *what)
{
    char place[PATH_SHOWN];
    return error_set(opening->error, TEMPER_BAD_DATA, "%s: damaged: %s; copy it again, or convert its source again",
                     path_shown(opening->path, place), what);
}

/* Reports a file that is truncated, or has bytes after its end: `held` is its length, `expected` that of the header. */
static temper_status wrong_length(const struct tmpr_opening *opening, uint64_t held, uint64_t expected)
{
    char place[PATH_SHOWN];
    path_shown(opening->path, place);
    if (held < expected)
        return error_set(opening->error, TEMPER_BAD_DATA,
                         "%s: cut off: it holds %llu bytes of %llu; copy it again, or convert its "
                         "source again",
                         place, (unsigned long long)held, (unsigned long long)expected);
    return error_set(opening->error, TEMPER_BAD_DATA,
                     "%s: damaged: there are bytes after its end, which is at %llu; copy it again, "
                     "or convert its source again",
                     place, (unsigned long long)expected);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* Maps `length` bytes of a file (or anonymous memory) into data->storage. The mapping is private and writable, so that
 * labels and weights can be changed in place: a changed page is copied, and the file is not modified. No swap space is
 * reserved, since hardly any page will be changed. */
static bool map_bytes(struct dataset *data, size_t length, int flags, int file)
{
    void *mapping = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE | flags, file, 0);
    if (mapping == MAP_FAILED)
        return false;
    data->storage.mapping = mapping;
    data->storage.mapping_length = length;
    return true;
}

/* Maps a regular file that begins like a .tmpr file. False if it has to be read instead: a pipe, an archive, an empty
 * file, one that cannot be opened; reading then reports what is wrong with it. */
static bool map_file(const char *path, struct dataset *data, bool *is_file)
{
    unsigned char magic[TMPR_MAGIC_LENGTH];
    struct stat info;
    /* stat before open: opening a device or a pipe can have effects. */
    if (strcmp(path, "-") == 0 || stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return false;
    /* O_NONBLOCK: if the path has become a pipe since stat, open must not wait for a writer. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return false;
    /* The file is examined again through its descriptor: the path may have been replaced since stat. */
    bool fits = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size >= TMPR_HEADER &&
                (uintmax_t)info.st_size <= PTRDIFF_MAX &&
                pread(file, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
                memcmp(magic, TMPR_MAGIC, sizeof magic) == 0;
    bool mapped = fits && map_bytes(data, (size_t)info.st_size, 0, file);
    if (mapped)
        dataset_keep_state(data, &info);
    close(file); /* the mapping stays */
    *is_file = mapped;
    return mapped;
}

/* Reads a whole source into anonymous memory. The length that the header claims is reserved as address space only:
 * pages are allocated as bytes arrive, so that a header with false sizes costs nothing. There must be neither fewer nor
 * more bytes. */
static temper_status read_bytes(struct tmpr_opening *opening, struct source *source)
{
    unsigned char header[TMPR_HEADER] = {0}, more;
    struct dataset *data = opening->data;
    size_t got, rest;
    TRY(source_read(source, header, sizeof header, &got, opening->error));
    /* A source shorter than a header is a truncated .tmpr file if its bytes agree with the magic number as far as they
     * go. */
    size_t known = got < TMPR_MAGIC_LENGTH ? got : TMPR_MAGIC_LENGTH;
    if (got < sizeof header && memcmp(header, TMPR_MAGIC, known) == 0)
        return wrong_length(opening, got, TMPR_HEADER); /* otherwise it is another format */
    TRY(tmpr_header_decode(header, opening->path, &opening->layout, opening->error));
    if (!map_bytes(data, (size_t)opening->layout.file_length, MAP_ANONYMOUS, -1))
        return error_no_memory(opening->error);
    memcpy(data->storage.mapping, header, sizeof header);
    rest = data->storage.mapping_length - sizeof header;
    /* The rest is read directly to its final place. */
    temper_status status =
        source_read(source, (char *)data->storage.mapping + sizeof header, rest, &got, opening->error);
    if (status == TEMPER_OK && got < rest)
        return wrong_length(opening, sizeof header + got, data->storage.mapping_length);
    if (status == TEMPER_OK)
        status = source_read(source, &more, 1, &got, opening->error);
    if (status == TEMPER_OK && got > 0)
        return wrong_length(opening, UINT64_MAX, data->storage.mapping_length);
    return status;
}

/* ---- The head -------------------------------------------------------------------------------- */

/* Verifies the checksum of the head: header, names and the list of block checksums, all but the eight bytes of the
 * checksum itself. It protects the block checksums, and thereby indirectly the whole file. */
static temper_status check_head(const struct tmpr_opening *opening)
{
    const unsigned char *bytes = opening->data->storage.mapping;
    uint64_t stored, length = tmpr_bulk_offset(&opening->layout);
    size_t behind = TMPR_CHECKSUM_OFFSET + sizeof stored;
    /* The state is allocated by the library, since it needs a special alignment. */
    XXH3_state_t *hash = XXH3_createState();
    if (!hash)
        return error_no_memory(opening->error);
    XXH3_64bits_reset(hash);
    XXH3_64bits_update(hash, bytes, TMPR_CHECKSUM_OFFSET);
    XXH3_64bits_update(hash, bytes + behind, (size_t)length - behind);
    memcpy(&stored, bytes + TMPR_CHECKSUM_OFFSET, sizeof stored);
    bool same = XXH3_64bits_digest(hash) == stored;
    XXH3_freeState(hash);
    return same ? TEMPER_OK : damaged(opening, "the checksum of its head does not match");
}

/* The address of a section in the mapping; NULL if it is not present. */
static const void *section(const struct tmpr_opening *opening, enum tmpr_section which)
{
    const char *bytes = opening->data->storage.mapping;
    return opening->layout.length[which] ? bytes + opening->layout.offset[which] : NULL;
}

/* Whether a section consists of `count` strings, each with its '\0', and nothing more; strlen is safe on it then. */
static bool are_names(const char *names, uint64_t length, uint64_t count)
{
    /* As many terminators as names, with one at the end, leave no bytes outside a string. */
    uint64_t ends = 0;
    for (uint64_t i = 0; i < length; i++)
        ends += names[i] == '\0';
    return ends == count && (length == 0 || names[length - 1] == '\0');
}

/* Adds the class names to the class table of the dataset. A name that the table would spell differently (it normalises
 * numbers) or that occurs twice was not written by temper, and would shift the codes of the labels. */
static temper_status take_classes(struct tmpr_opening *opening)
{
    struct classes *classes = &opening->data->classes;
    const char *name = section(opening, TMPR_CLASS_NAMES);
    uint64_t count = opening->layout.classes;
    char place[PATH_SHOWN];
    if (!are_names(name, opening->layout.length[TMPR_CLASS_NAMES], count))
        return damaged(opening, "the names of its classes are not as many as its classes");
    for (uint64_t i = 0; i < count; i++) {
        size_t length = strlen(name);
        /* A new class gets the next number, a known one its old number. */
        uint32_t number = classes_add(classes, name, length);
        if (number == CLASSES_NO_MEMORY)
            return error_no_memory(opening->error);
        if (number != i || strcmp(classes->name[i], name) != 0)
            return error_set(opening->error, TEMPER_BAD_DATA,
                             "%s: class '%s' is there twice, or not as temper writes it; convert "
                             "its source again",
                             path_shown(opening->path, place), token_text(name, name + length).text);
        name += length + 1;
    }
    return TEMPER_OK;
}

/* Copies the names of the features, if there are any: the dataset frees each of them separately. */
static temper_status take_features(struct tmpr_opening *opening)
{
    struct names *features = &opening->data->features;
    const char *name = section(opening, TMPR_FEATURE_NAMES);
    uint64_t columns = opening->layout.columns;
    if (!name)
        return TEMPER_OK;
    if (!are_names(name, opening->layout.length[TMPR_FEATURE_NAMES], columns))
        return damaged(opening, "the names of its features are not as many as its features");
    features->name = (char **)mem_zeroed((size_t)columns, sizeof *features->name);
    if (!features->name)
        return error_no_memory(opening->error);
    /* The count grows with each copy, so that dataset_free frees exactly those that exist. */
    for (features->count = 0; features->count < columns; features->count++) {
        size_t size = strlen(name) + 1;
        char *copy = mem_alloc(size, 1);
        if (!copy)
            return error_no_memory(opening->error);
        memcpy(copy, name, size);
        features->name[features->count] = copy;
        name += size;
    }
    return TEMPER_OK;
}

/* Points the dataset at its arrays in the mapping; nothing is copied. An array without elements still gets an address,
 * since NULL means that it is absent. */
static void take_arrays(struct tmpr_opening *opening)
{
    struct dataset *data = opening->data;
    const struct tmpr_layout *layout = &opening->layout;
    char *bytes = data->storage.mapping;
    data->x = (struct matrix){
        .kind = layout->kind, .rows = layout->rows, .columns = layout->columns, .nonzeros = layout->nonzeros};
    /* There is always a row_start, since a matrix has at least one row. */
    if (layout->kind == MATRIX_CSR) {
        data->x.row_start = section(opening, TMPR_ROW_START);
        data->x.column = (const void *)(bytes + layout->offset[TMPR_COLUMNS]);
        data->x.value = (const void *)(bytes + layout->offset[TMPR_VALUES]);
    } else {
        data->x.dense = bytes + layout->offset[TMPR_VALUES];
    }
    if (layout->length[TMPR_LABELS])
        data->label = (void *)(bytes + layout->offset[TMPR_LABELS]);
    if (layout->length[TMPR_WEIGHTS])
        data->weight = (void *)(bytes + layout->offset[TMPR_WEIGHTS]);
    if (layout->length[TMPR_LINES])
        data->line = (void *)(bytes + layout->offset[TMPR_LINES]);
    data->file.format = "tmpr";
}

/* Checks the head of the mapping, and fills the dataset from it. Each check relies on those before: the layout is
 * needed for the checksum, and the checksum covers the names. */
static temper_status take_head(struct tmpr_opening *opening)
{
    const struct dataset *data = opening->data;
    /* For bytes that were read this repeats a check of read_bytes; for a mapped file it is the first one. */
    temper_status status = tmpr_header_decode(data->storage.mapping, opening->path, &opening->layout, opening->error);
    /* Every offset of the layout is within the mapping from here on. */
    if (status == TEMPER_OK && data->storage.mapping_length != opening->layout.file_length)
        status = wrong_length(opening, data->storage.mapping_length, opening->layout.file_length);
    if (status == TEMPER_OK)
        status = check_head(opening);
    if (status == TEMPER_OK)
        status = take_classes(opening);
    if (status == TEMPER_OK)
        status = take_features(opening);
    if (status == TEMPER_OK)
        take_arrays(opening);
    return status;
}

/* ---- The two ways in ------------------------------------------------------------------------- */

/* Stores the path in the dataset, unless the caller has done so: messages of later checks show it. */
static temper_status name_source(struct dataset *data, const char *path, temper_error *error)
{
    size_t size = strlen(path) + 1;
    if (data->file.path)
        return TEMPER_OK;
    data->file.path = mem_alloc(size, 1);
    if (!data->file.path)
        return error_no_memory(error);
    memcpy(data->file.path, path, size);
    return TEMPER_OK;
}

/* Maps the file, or reads it from the source, and fills opening->data. Closes the source. A mapped file gets a page
 * window, which limits how much of it is resident. */
static temper_status open_from(struct source *source, struct tmpr_opening *opening)
{
    temper_status status = tmpr_check_host(opening->path, opening->error);
    if (status == TEMPER_OK)
        status = name_source(opening->data, opening->path, opening->error);
    /* False if the bytes are in anonymous memory. */
    bool is_file = false;
    if (status == TEMPER_OK && (opening->in_memory || !map_file(opening->path, opening->data, &is_file)))
        status = read_bytes(opening, source);
    source_close(source);
    if (status == TEMPER_OK)
        status = take_head(opening);
    /* Bytes that were read are anonymous memory and cannot be dropped and mapped again. */
    if (status != TEMPER_OK || !is_file)
        return status;
    struct dataset *data = opening->data;
    data->storage.pages = data->x.pages = page_window_new(data->storage.mapping, data->storage.mapping_length);
    return data->storage.pages ? TEMPER_OK : error_no_memory(opening->error);
}

/* The offset in the file where the matrix begins; labels, weights and lines are before it. */
static uint64_t matrix_offset(const struct tmpr_layout *layout)
{
    return layout->offset[layout->kind == MATRIX_CSR ? TMPR_ROW_START : TMPR_VALUES];
}

/* Whether this one of several processes uses only the rows that it keeps: then the blocks of other rows need not be
 * verified here. */
static bool needs_own_rows(const struct data_reader *reader)
{
    const temper_read_options *options = reader->options;
    return !comm_alone(options->comm) && !reader->schema && !options->labels && !options->weights &&
           !options->classes && !options->class_weight;
}

/* Verifies the blocks that contain rows of this process. Other processes verify theirs. */
static temper_status verify_own(const struct data_reader *reader, const struct dataset *data)
{
    const struct row_range own = scatter_range(data, reader->options->comm);
    return own.from < own.to ? tmpr_verify_rows(data, own.from, own.to, reader->error) : TEMPER_OK;
}

/* The reader_fn of .tmpr: maps the file and verifies its blocks, within the memory limit if there is one. */
temper_status read_tmpr(struct data_reader *reader, struct dataset *data)
{
    struct tmpr_opening opening = {
        .path = reader->path, .in_memory = reader->bytes != NULL, .data = data, .error = reader->error};
    size_t threads = reader->options->threads ? reader->options->threads : thread_count_default();
    temper_status status = open_from(reader->source, &opening);
    reader->source = NULL;
    /* Blocks are verified in order, so that each thread needs one block in memory at a time. */
    struct memory_limit_plan plan = {
        .what = "reading the file", .threads = threads, .block = TMPR_BLOCK, .in_order = true};
    if (status == TEMPER_OK)
        status = memory_limit_plan(data, &plan, reader->error);
    if (status == TEMPER_OK)
        status = needs_own_rows(reader) ? verify_own(reader, data) : tmpr_verify(data, threads, reader->error);
    if (status == TEMPER_OK && data->storage.pages) {
        /* Labels and weights may be changed from now on, so that their pages stay resident. */
        page_window_keep(data->storage.pages, (size_t)matrix_offset(&opening.layout));
        if (data->storage.memory_limit)
            page_window_forget(data->storage.pages);
    }
    return status;
}

/* Opens a file without verifying the bulk; the caller verifies the blocks that it uses. */
temper_status tmpr_open(const char *path, struct dataset **out, temper_error *error)
{
    struct source *source;
    struct dataset *data = mem_zeroed(1, sizeof *data);
    if (!data)
        return error_no_memory(error);
    struct tmpr_opening opening = {.path = path, .data = data, .error = error};
    temper_status status = source_open(path, &source, error);
    if (status == TEMPER_OK)
        status = open_from(source, &opening);
    if (status != TEMPER_OK) {
        dataset_free(data);
        return status;
    }
    *out = data;
    return TEMPER_OK;
}
