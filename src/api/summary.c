/* api: what data holds, in figures. */
#include "data/summary.h"

#include "data/dataset.h"

temper_status temper_data_summary(const temper_data *data, size_t threads, temper_summary *summary,
                                  temper_error *error)
{
    return dataset_summary((const struct dataset *)data, threads, summary, error);
}

void temper_summary_free(temper_summary *summary)
{
    summary_free(summary);
}
