/* model_data: data as a model needs it. */
#include "data/read/read.h"
#include "model/model.h"

/* A model of data that was no table takes one whose columns are its features. */
temper_status model_read_data(const struct model *model, const char *path, const temper_read_options *options,
                              struct dataset **out, temper_error *error)
{
    struct schema *plain = NULL;
    if (!model->schema) {
        temper_status status = schema_plain(model->features, &model->feature_names, &plain, error);
        if (status != TEMPER_OK)
            return status;
    }
    temper_status status = dataset_read_like(path, options, plain ? plain : model->schema, out, error);
    schema_free(plain);
    return status;
}
