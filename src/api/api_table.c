/* api_table: describes a text file as a table, whether or not it can be trained on; and names the files of a path. */
#include "api/api_internal.h"
#include "base/memory.h"
#include "data/csv/csv_describe.h"
#include "data/jsonl/jsonl.h"
#include "data/quote_text.h"
#include "data/read/file_join.h"
#include "data/read/file_names.h"
#include "data/read/format.h"

/* A file that is no table of text has nothing to describe by columns. */
static temper_status describe(struct data_reader *reader, temper_table **table)
{
    if (!format_is_table(reader->format))
        return error_set(reader->error, TEMPER_BAD_DATA, "%s: it is no table of text, but %s; read it as data",
                         place_text(reader->path).text, reader->format->name);
    if (reader->format->read == read_jsonl)
        TRY(jsonl_to_csv(reader));
    return csv_describe(reader, table);
}

/* Infers whatever the options do not give. */
temper_status temper_table_describe(const char *path, const temper_read_options *options, temper_table **table,
                                    temper_error *error)
{
    temper_read_options full;
    TRY(api_read_options(&full, options, error));
    full.automatic = 1;
    struct data_reader reader = {.path = path, .options = &full, .error = error};
    struct dataset *notes = mem_zeroed(1, sizeof *notes);
    if (!notes)
        return error_no_memory(error);
    temper_status status = names_several_files(path) ? file_join_find(path, &full, &reader.join, error) : TEMPER_OK;
    if (status == TEMPER_OK)
        status = data_reader_open(&reader, notes);
    if (status == TEMPER_OK)
        status = describe(&reader, table);
    data_reader_close(&reader);
    dataset_free(notes);
    return status;
}

/* NULL is allowed. */
void temper_table_free(temper_table *table)
{
    csv_description_free(table);
}

temper_status temper_data_each_file(const char *path, temper_file_fn *call, void *context, temper_error *error)
{
    struct names names = {0};
    if (!names_several_files(path)) {
        call(context, path);
        return TEMPER_OK;
    }
    temper_status status = file_names_find(path, NULL, &names, error);
    for (size_t i = 0; status == TEMPER_OK && i < names.count && call(context, names.name[i]) == 0;)
        i++;
    names_free(&names);
    return status;
}
