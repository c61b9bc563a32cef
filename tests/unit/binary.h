/* binary: datasets made, written, read and compared, for the tests of the binary formats. */
#ifndef TEST_BINARY_H
#define TEST_BINARY_H

#include "archive.h"
#include "data/read/read.h"
#include "data/write/write.h"
#include "scratch.h"
#include "test.h"

/* A test that works in a folder of its own. */
#define SCRATCH_TEST(name)                                                                         \
    static void in_scratch_##name(void);                                                           \
    TEST(name)                                                                                     \
    {                                                                                              \
        scratch_enter();                                                                           \
        in_scratch_##name();                                                                       \
        scratch_leave();                                                                           \
    }                                                                                              \
    static void in_scratch_##name(void)

/* Reads a file by one reader, without telling the format; NULL, and the error, if it is refused. */
struct dataset *binary_read(reader_fn *reader, const char *path, temper_read_options options,
                            temper_error *error);
/* The same from bytes: through a file of that name, or through a pipe. */
struct dataset *binary_read_bytes(reader_fn *reader, const char *path, struct blob bytes,
                                  temper_error *error);
struct dataset *binary_read_pipe(reader_fn *reader, struct blob bytes, temper_error *error);
/* Must be refused as bad data; the message must hold these words and a remedy. */
void binary_refused(reader_fn *reader, const char *path, struct blob bytes, const char *words);
/* For every n, the n-th allocation fails; reading must say so, and free everything. */
void binary_survives_no_memory(reader_fn *reader, const char *path, temper_read_options options);

/* For every n, the n-th read or opening fails; reading must say so, or have found another way. */
void binary_survives_bad_files(reader_fn *reader, const char *path);

temper_status binary_write(writer_fn *writer, const struct dataset *data, const char *path,
                           temper_error *error);
/* What a writer makes of it. */
struct blob binary_written(writer_fn *writer, const struct dataset *data);
struct blob binary_file(const char *path);

/* A file of the real data, in $TEMPER_DATA or ../shared/data; NULL if it is in neither. Valid until
 * the next call. */
const char *binary_real_file(const char *name);

/* Rows, labels, weights, names and lines, from a seed; of each of the last four, or none. */
struct dataset *binary_random(enum matrix_kind kind, uint64_t rows, uint64_t columns,
                              uint64_t seed);
/* A seed whose dataset has labels, names, weights and lines. */
uint64_t binary_full_seed(void);
/* Bit for bit. */
bool binary_equal(const struct dataset *a, const struct dataset *b);

#endif
