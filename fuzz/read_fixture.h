/* read_fixture: input bytes as a file, for the fuzz targets of the readers, and the invariants of a dataset. */
#ifndef FUZZ_READ_FIXTURE_H
#define FUZZ_READ_FIXTURE_H

#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "bytes.h"
#include "data/read/read.h"

/* A file without a disk, one for all runs; returns its path. The target must define _GNU_SOURCE. */
static inline const char *fuzz_file(const uint8_t *data, size_t size)
{
    static char path[32];
    static int file = -1;
    if (file < 0) {
        file = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    REQUIRE(file >= 0 && ftruncate(file, 0) == 0, "no memory file");
    REQUIRE(pwrite(file, data, size, 0) == (ssize_t)size, "cannot write %zu bytes", size);
    return path;
}

/* A refusal is of the file, says where, and what to do. */
static inline void fuzz_check_refusal(temper_status status, const temper_error *error)
{
    REQUIRE(error->status == status, "%d and %d", (int)error->status, (int)status);
    REQUIRE(status == TEMPER_BAD_DATA || status == TEMPER_NO_MEMORY, "%s", error->message);
    REQUIRE(status == TEMPER_NO_MEMORY || (strstr(error->message, "/proc/self/fd/") && strstr(error->message, "; ")),
            "neither place nor advice: %s", error->message);
}

static inline void fuzz_check_row(const struct dataset *data, uint64_t index)
{
    struct row row = matrix_row(&data->x, index);
    for (size_t i = 0; i < row.count; i++) {
        double value = row.kind == MATRIX_F32   ? (double)((const float *)row.dense)[i]
                       : row.kind == MATRIX_F64 ? ((const double *)row.dense)[i]
                       : row.kind == MATRIX_U8  ? (double)((const uint8_t *)row.dense)[i]
                                                : (double)row.value[i];
        REQUIRE(isfinite(value), "entry %zu of row %d", i, (int)index);
        REQUIRE(row.kind != MATRIX_CSR || row.column[i] < data->x.columns, "column %u", row.column[i]);
        REQUIRE(row.kind != MATRIX_CSR || i == 0 || row.column[i] > row.column[i - 1], "column %u", row.column[i]);
    }
    REQUIRE(!data->label || data->label[index] < data->classes.count, "label of row %d", (int)index);
    REQUIRE(!data->weight || (data->weight[index] >= 0 && isfinite(data->weight[index])), "weight of row %d",
            (int)index);
}

/* All that a reader promises. */
static inline void fuzz_check_dataset(const struct dataset *data)
{
    REQUIRE(data->x.rows > 0, "no rows");
    for (uint64_t i = 0; i < data->x.rows; i++)
        fuzz_check_row(data, i);
    REQUIRE(data->features.count == 0 || data->features.count == data->x.columns, "%zu names", data->features.count);
}

/* Reads the bytes by one reader: a dataset that is right, or NULL after a refusal that is. */
static inline struct dataset *fuzz_read(reader_fn *reader, const uint8_t *bytes, size_t size,
                                        temper_read_options options)
{
    const char *path = fuzz_file(bytes, size);
    struct source *source = NULL;
    temper_error error = {0};
    struct dataset *data = mem_zeroed(1, sizeof *data);
    temper_status status = source_open(path, &source, &error);
    REQUIRE(data && status == TEMPER_OK, "%s", error.message);
    struct data_reader file_reader = {.path = path, .source = source, .options = &options, .error = &error};
    status = reader(&file_reader, data);
    data_reader_close(&file_reader);
    if (status == TEMPER_OK) {
        fuzz_check_dataset(data);
        return data;
    }
    fuzz_check_refusal(status, &error);
    dataset_free(data);
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
