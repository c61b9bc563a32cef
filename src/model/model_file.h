/* model_file: what the writer and the reader of model files share. docs/model.md has the format. */
#ifndef MODEL_MODEL_FILE_H
#define MODEL_MODEL_FILE_H

#include "base/json/json_read.h"
#include "base/text.h"
#include "model/model.h"

#define MODEL_FORMAT "temper-model"
/* The first bytes of every model file. */
#define MODEL_HEAD "{\n\"format\": \"" MODEL_FORMAT "\",\n"

enum {
    MODEL_VERSION = 2, /* 1 had neither calibration nor noise */
    MODEL_DIGEST = 32, /* hexadecimal digits of XXH3-128 */
    /* "checksum": "...", a newline, a bracket and a newline: the end of every file */
    MODEL_TAIL = 13 + MODEL_DIGEST + 4
};

/* Members of struct model_training, in the order of the file, with their types: TEXT, F64, U64, SIZE (size_t). */
#define TRAINING_LIST(X)                                                                                               \
    X(solver, TEXT)                                                                                                    \
    X(stop, TEXT)                                                                                                      \
    X(init, TEXT)                                                                                                      \
    X(precision, TEXT)                                                                                                 \
    X(fingerprint, TEXT)                                                                                               \
    X(tolerance, F64)                                                                                                  \
    X(max_iterations, SIZE)                                                                                            \
    X(seed, U64)                                                                                                       \
    X(rows, U64)                                                                                                       \
    X(weight_sum, F64)                                                                                                 \
    X(objective, F64)                                                                                                  \
    X(loss, F64)                                                                                                       \
    X(gradient, F64)                                                                                                   \
    X(accuracy, F64)                                                                                                   \
    X(iterations, U64)                                                                                                 \
    X(evaluations, U64)                                                                                                \
    X(starts, U64)

/* The whole file as text; text->failed without memory. */
temper_status model_write(const struct model *model, struct text *text, temper_error *error);
/* The end of a file whose bytes before it are these: their checksum. */
void model_tail(const char *bytes, size_t length, char tail[MODEL_TAIL + 1]);

/* ---- Reading objects (schema_load.c) --------------------------------------------------------- */

/* The number of the next key among `keys`; fails if it is unknown or was seen before. -1 at the end of the object, or
 * after a failure. *seen is a bit set of the keys so far, 0 at first. */
int key_next(struct json_reader *json, const char *const *keys, int count, uint64_t *seen);
/* Fails if `missing`, a bit set, has any of the keys. `what` is the object: "scale". */
bool keys_complete(struct json_reader *json, const char *const *keys, int count, uint64_t missing, const char *what);
/* Fails with `what`, in a file that was changed by hand and has a valid checksum. Returns false. */
bool fail_changed(struct json_reader *json, const char *what);
/* The value of "schema"; false after a failure. */
bool schema_parse(struct json_reader *json, struct schema **out);

#endif
