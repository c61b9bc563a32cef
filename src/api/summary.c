/* api: what data holds, in figures. */
#include "data/columns/summary.h"

#include "data/dataset.h"
#include "data/dist/scatter_rows.h"

temper_status temper_data_summarise(const temper_data *data, size_t threads, temper_data_summary *summary,
                                    temper_error *error)
{
    temper_status status = scatter_refuse((const struct dataset *)data, "a summary", error);
    return status == TEMPER_OK ? dataset_summary((const struct dataset *)data, threads, summary, error) : status;
}

void temper_data_summary_free(temper_data_summary *summary)
{
    summary_free(summary);
}
