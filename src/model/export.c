/* export: what the C and the ONNX export share: what they refuse, and how the file is written. */
#include "model/export.h"

#include <math.h>

#include "base/atomic_file.h"

enum { MAX_EXPONENT = 600 }; /* (t2 - 1) log(classes): beyond, doubles overflow */

/* Refuses weights that are not finite, which neither format can express, and temperatures for which the generated code
 * would overflow: its first estimate of the log-partition function is C^(t2 - 1). */
temper_status export_check(const struct model *model, temper_error *error)
{
    double classes = (double)model->classes.count;
    for (size_t i = 0; i < model->vectors * model->features; i++)
        if (!isfinite(model->weights[i]))
            return error_set(error, TEMPER_BAD_DATA, "a weight of the model is not finite; train again");
    if (model_has_probabilities(model) && (model_t2(model) - 1) * log(classes) > MAX_EXPONENT)
        return error_set(error, TEMPER_BAD_DATA,
                         "t2 is too large for an export: probabilities would overflow; train with a "
                         "smaller --t2");
    return TEMPER_OK;
}

/* Writes the text atomically, so that an existing file is replaced or stays as it was; frees the text in any case. A
 * text that ran out of memory is reported here, once for all appends. */
temper_status export_save(struct text *text, const char *path, temper_error *error)
{
    struct atomic_file *sink = NULL;
    temper_status status = text->failed ? error_no_memory(error) : atomic_file_open(path, &sink, error);
    if (status == TEMPER_OK)
        status = atomic_file_write(sink, text->bytes, text->length, error);
    if (status == TEMPER_OK)
        status = atomic_file_commit(sink, error);
    else
        atomic_file_drop(sink);
    text_free(text);
    return status;
}
