/* model_file: what the writer and the reader of model files share. docs/model.md has the format. */
#ifndef MODEL_MODEL_FILE_H
#define MODEL_MODEL_FILE_H

#include "base/json_read.h"
#include "base/text.h"
#include "model/model.h"

#define MODEL_FORMAT "temper-model"
/* The first bytes of every model file. */
#define MODEL_HEAD "{\n\"format\": \"" MODEL_FORMAT "\",\n"

enum {
    MODEL_VERSION = 1,
    MODEL_DIGEST = 32, /* hexadecimal digits of XXH3-128 */
    /* "checksum": "...", a newline, a bracket and a newline: the end of every file */
    MODEL_TAIL = 13 + MODEL_DIGEST + 4
};

/* What every file ends in, for these bytes before it. */
void model_tail(const char *bytes, size_t length, char tail[MODEL_TAIL + 1]);

/* The whole file as text; text->failed without memory. */
temper_status model_write(const struct model *model, struct text *text, temper_error *error);
void schema_write(const struct schema *schema, struct text *text);
void training_write(const struct model *model, struct text *text);

/* A whole file whose checksum was verified; `name` is the file in messages. */
temper_status model_parse(const char *name, const char *bytes, size_t length, struct model **out, temper_error *error);
/* What stands behind these keys; false after a fault, or without memory. */
bool schema_parse(struct json_reader *json, struct schema **out);
bool training_parse(struct json_reader *json, struct model *model);

/* ---- For objects with known keys --------------------------------------------------------------
 */

/* The number of the next key among `keys`; faults if it is unknown or was seen before. -1 at the
 * end of the object, or after a fault. *seen is a set of bits, 0 at first. */
int key_next(struct json_reader *json, const char *const *keys, int count, uint64_t *seen);
/* Faults if `missing`, a set of bits, has any of the keys. `what` is the object: "scale". */
bool keys_complete(struct json_reader *json, const char *const *keys, int count, uint64_t missing, const char *what);
/* A file that was changed, and sealed again; no words would help more than these. False. */
bool fail_changed(struct json_reader *json, const char *what);

#endif
