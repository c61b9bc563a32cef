/* api_internal: what the public calls have in common: handles, options of earlier versions, texts for the caller. */
#ifndef API_INTERNAL_H
#define API_INTERNAL_H

#include "base/status.h"
#include "base/text.h"
#include "data/dataset.h"
#include "model/model.h"
#include "temper_extra.h"

/* A public handle is a pointer to the internal struct under another name. */
static inline const struct dataset *dataset_of(const temper_data *data)
{
    return (const struct dataset *)data;
}

static inline const struct model *model_of(const temper_model *model)
{
    return (const struct model *)model;
}

/* Options of this version from those of the caller, which an earlier version may have made: *full holds the defaults on
 * entry, and as many of its bytes are replaced as the caller's struct_size says. NULL leaves the defaults. A size of 0
 * or beyond *full is refused (TEMPER_USAGE); `name` is "read" for temper_read_options and so on. */
temper_status api_read_options(temper_read_options *full, const temper_read_options *given, temper_error *error);
temper_status api_train_options(temper_train_options *full, const temper_train_options *given, temper_error *error);
temper_status api_options(void *full, size_t full_size, const void *given, const char *name, temper_error *error);
/* The same for options whose second field is a temper_train_options, which has a size of its own: the fields that
 * follow it are located by that size. `end` is the size of the outer struct up to and including the inner one. */
temper_status api_nested_options(void *full, size_t full_size, const void *given, const char *name,
                                 temper_error *error);

/* Transfers a finished text to the caller; frees it if `status` is a failure or its memory ran out. */
temper_status api_publish_text(struct text *made, temper_status status, temper_text *out, temper_error *error);

#endif
