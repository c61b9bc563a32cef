/* fits: which way many trainings go. */
#include "search/many_fits.h"
#include "tempered/loss_family.h"

size_t fits_vectors(const struct scaled_features *ground)
{
    return weight_vectors(ground->data->classes.count);
}

size_t fits_size(const struct scaled_features *ground, const temper_train_options *options)
{
    size_t columns = (size_t)ground->data->x.columns;
    return (columns + (options->no_intercept ? 0 : 1)) * fits_vectors(ground);
}

temper_status fits_run(const struct fits_job *job, bool *finished, temper_error *error)
{
    return fits_can_batch(job) ? fits_batched(job, finished, error) : fits_separate(job, finished, error);
}
