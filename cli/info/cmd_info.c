/* cmd_info: temper info. Describes a data file or a model, as a table or as JSON.
 *
 * Of data: format, size, classes with a bar each, range of the values, constant and duplicate columns, missing values.
 * Of a model: classes, loss, how it was trained and on which data, by the fingerprint that the model file stores. Which
 * of the two a file is follows from its first bytes. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "info/info_table.h"
#include "json_csv.h"
#include "message.h"
#include "number_format.h"
#include "options/library_options.h"
#include "output_paths.h"
#include "progress.h"
#include "temper_extra.h"

/* What the report on data is made from. */
struct data_info {
    const char *path;                     /* as typed */
    const temper_data *data;              /* borrowed; source of the names of columns and classes */
    temper_data_summary summary;          /* of all values, in one pass over the data */
    double seconds_read, seconds_summary; /* reading, and computing the summary */
    temper_table *table;                  /* the columns of a table of text; NULL: it is none */
};

/* ---- Data as a table for 80 columns --------------------------------------------------------------- */

enum {
    CLASSES_SHOWN = 24, /* more would scroll the rest off the screen; --json has them all */
    NAME_WIDTH = 30,    /* of a class */
    COLUMN_WIDTH = 18,  /* of the name of a column */
    BAR_WIDTH = 20,
    LINE_WIDTH = 80 - 5,    /* and ", ..." after it */
    COLUMNS_START = 19 + 13 /* after the title and the largest count */
};

/* The title of a line and a count with separators of thousands; the caller ends the line. */
static void print_count(FILE *out, const char *title, size_t count)
{
    char text[FORMAT_LENGTH];
    print_title(out, title);
    fputs(format_count(count, text), out);
}

/* Prints the name of a column, or its number (from 1) if it has none, and returns how many terminal columns that takes.
 */
static size_t print_column(FILE *out, const struct data_info *info, size_t number)
{
    char shown[NAME_SHOWN];
    const char *name = temper_data_feature_name(info->data, number - 1);
    if (!name)
        return (size_t)fprintf(out, "%zu", number);
    size_t width = format_name(name, COLUMN_WIDTH, shown);
    fputs(shown, out);
    return width;
}

/* Returns an upper bound of what print_column returns, so that a list can end before it exceeds the line. */
static size_t widest_column(const struct data_info *info)
{
    char digits[FORMAT_LENGTH];
    if (temper_data_feature_name(info->data, 0))
        return COLUMN_WIDTH;
    return (size_t)snprintf(digits, sizeof digits, "%zu", info->summary.features);
}

/* Prints "3: 7, 9, 12", or with same_as "21: 7 = 3, 9 = 3, ...", as many columns as fit on the line; the library's list
 * is itself limited to the first TEMPER_SUMMARY_SHOWN. */
static void print_columns(FILE *out, const struct data_info *info, const char *title, const temper_column_list *found,
                          bool same_as)
{
    /* `one` bounds the next entry, separators included, so `room` cannot become negative. */
    size_t room = LINE_WIDTH - COLUMNS_START, one = widest_column(info) * (same_as ? 2 : 1) + 5, shown = 0;
    /* A line is printed even so: that nothing was found is a result. */
    if (found->count == 0) {
        print_title(out, title);
        fputs("none\n", out);
        return;
    }
    print_count(out, title, found->count);
    /* Ends at the end of the library's list or of the line, whichever comes first. */
    for (; shown < found->count && shown < TEMPER_SUMMARY_SHOWN && room >= one; shown++) {
        fputs(shown ? ", " : ": ", out);
        room -= 2 + print_column(out, info, found->column[shown]);
        if (same_as) {
            fputs(" = ", out);
            room -= 3 + print_column(out, info, found->same_as[shown]);
        }
    }
    fputs(shown < found->count ? ", ...\n" : "\n", out);
}

/* Prints name, rows, share and a bar that is proportional to the largest class. Rounding up gives a class with any row
 * at least one mark. */
static void print_class(FILE *out, const struct data_info *info, size_t number, size_t width, size_t most)
{
    char name[NAME_SHOWN], count[FORMAT_LENGTH], share[FORMAT_LENGTH];
    size_t rows = info->summary.class_rows[number];
    size_t taken = format_name(temper_data_class_name(info->data, number), NAME_WIDTH, name);
    fprintf(out, "  %s%*s %13s %10s  ", name, (int)(width - taken), "", format_count(rows, count),
            format_share(rows, (double)info->summary.rows, share));
    /* `most` is at least 1, also where all classes are empty. */
    for (int i = 0; i < (int)ceil((double)rows / (double)most * BAR_WIDTH); i++)
        fputc('#', out);
    fputc('\n', out);
}

/* Prints one line for each of the first CLASSES_SHOWN classes. The scale of the bars is taken from all classes, the
 * width of the names from those that are shown. */
static void print_classes(FILE *out, const struct data_info *info)
{
    const temper_data_summary *summary = &info->summary;
    size_t shown = summary->classes > CLASSES_SHOWN ? CLASSES_SHOWN : summary->classes, width = 8;
    size_t most = 1;
    /* The largest class has a bar of full width. */
    for (size_t c = 0; c < summary->classes; c++)
        most = summary->class_rows[c] > most ? summary->class_rows[c] : most;
    for (size_t c = 0; c < shown; c++) {
        char name[NAME_SHOWN];
        size_t taken = format_name(temper_data_class_name(info->data, c), NAME_WIDTH, name);
        width = taken > width ? taken : width;
    }
    for (size_t c = 0; c < shown; c++)
        print_class(out, info, c, width, most);
    if (shown < summary->classes)
        fprintf(out, "  ... and %zu more; --json lists them all\n", summary->classes - shown);
}

/* Prints how many values are not 0, and the range of all values. */
static void print_values(FILE *out, const temper_data_summary *summary)
{
    char text[FORMAT_LENGTH];
    /* In double: rows * features of sparse data may exceed 64 bits. */
    double entries = (double)summary->rows * (double)summary->features;
    print_count(out, "values not 0", summary->nonzeros);
    fprintf(out, "  (%s of all)\n", format_share(summary->nonzeros, entries, text));
    print_title(out, "values");
    /* The range of no values is (inf, -inf). */
    if (summary->low <= summary->high)
        fprintf(out, "from %.7g to %.7g\n", summary->low, summary->high);
    else
        fputs("none\n", out);
}

/* Prints how many missing values were replaced and how many rows were dropped because of them, depending on --missing.
 */
static void print_missing(FILE *out, const temper_data_summary *summary)
{
    char text[FORMAT_LENGTH];
    print_title(out, "missing values");
    /* A line is printed for complete data too. */
    if (summary->missing_filled == 0 && summary->missing_dropped == 0)
        fputs("none", out);
    if (summary->missing_filled > 0)
        fprintf(out, "%s filled", format_count(summary->missing_filled, text));
    if (summary->missing_dropped > 0)
        fprintf(out, "%s%s more row%s dropped", summary->missing_filled > 0 ? ", " : "",
                format_count(summary->missing_dropped, text), summary->missing_dropped == 1 ? "" : "s");
    fputc('\n', out);
}

/* Prints format, rows, features, how the features are stored (dense or sparse) and the bytes that takes. */
static void print_sizes(FILE *out, const struct data_info *info)
{
    char bytes[FORMAT_LENGTH];
    const temper_data_summary *summary = &info->summary;
    print_title(out, "format");
    fputs(temper_data_format(info->data), out);
    /* NULL for a file that is not compressed. */
    if (summary->compression)
        fprintf(out, ", compressed by %s", summary->compression);
    fputc('\n', out);
    print_count(out, "rows", summary->rows);
    fputc('\n', out);
    print_count(out, "features", summary->features);
    fprintf(out, "  (%s)\n", summary->storage);
    print_title(out, "memory");
    fprintf(out, "%s\n", format_bytes(summary->bytes, bytes));
}

/* The report on data without --json. */
static void print_data_table(FILE *out, const struct data_info *info)
{
    const temper_data_summary *summary = &info->summary;
    /* From the whole to the parts: sizes, values, columns, rows with missing values, weights, classes. */
    print_sizes(out, info);
    print_values(out, summary);
    print_columns(out, info, "constant columns", &summary->constant, false);
    print_columns(out, info, "duplicate columns", &summary->duplicate, true);
    print_missing(out, summary);
    /* Row weights are optional; a line is printed only for data that has them. */
    if (summary->weighted)
        fprintf(out, "%-18s from %.7g to %.7g, %.7g in all\n", "weights", summary->weight_low, summary->weight_high,
                summary->weight_sum);
    /* Unlabelled data is valid: predict needs no labels. */
    if (summary->classes == 0) {
        print_title(out, "classes");
        fputs("none: the data has no labels\n", out);
    } else {
        print_count(out, "classes", summary->classes);
        fputc('\n', out);
        print_classes(out, info);
    }
    if (info->table)
        print_table_columns(out, info->path, info->table, NULL);
}

/* ---- Data as JSON: released names never change --------------------------------------------------- */

/* Prints {"count": 2, "first": [{"column": 3, "name": null}, ...]}: the full count, and the first few columns. */
static void json_columns(FILE *out, const struct data_info *info, const char *name, const temper_column_list *found,
                         bool same_as)
{
    fprintf(out, ",\n  \"%s\": {\"count\": %zu, \"first\": [", name, found->count);
    /* The count above is complete, this list is not. */
    for (size_t i = 0; i < TEMPER_SUMMARY_SHOWN && i < found->count; i++) {
        fprintf(out, "%s{\"column\": %zu, \"name\": ", i ? ", " : "", found->column[i]);
        json_text(out, temper_data_feature_name(info->data, found->column[i] - 1));
        if (same_as)
            fprintf(out, ", \"same_as\": %zu", found->same_as[i]);
        fputc('}', out);
    }
    fputs("]}", out);
}

/* Prints the rows of all classes. An array of objects keeps the order of the class numbers, which an object keyed by
 * name would not guarantee. */
static void json_classes(FILE *out, const struct data_info *info)
{
    fputs(",\n  \"class_counts\": [", out);
    for (size_t c = 0; c < info->summary.classes; c++) {
        fprintf(out, "%s\n    {\"name\": ", c ? "," : "");
        json_text(out, temper_data_class_name(info->data, c));
        fprintf(out, ", \"rows\": %zu}", info->summary.class_rows[c]);
    }
    fputs(info->summary.classes ? "\n  ]" : "]", out);
}

/* Prints the range and the sum of the row weights, or null for data without weights. */
static void json_weights(FILE *out, const temper_data_summary *summary)
{
    fputs(summary->weighted ? ",\n  \"weights\": {\"low\": " : ",\n  \"weights\": null", out);
    if (!summary->weighted)
        return;
    json_number(out, summary->weight_low);
    json_number_member(out, "high", summary->weight_high);
    json_number_member(out, "sum", summary->weight_sum);
    fputc('}', out);
}

/* Prints where the data is from and how large it is. "stored" differs from "nonzeros" where zeros are stored
 * explicitly, as dense data does. */
static void json_sizes(FILE *out, const struct data_info *info)
{
    const temper_data_summary *summary = &info->summary;
    /* As in the table, computed in double to avoid an overflow. */
    double entries = (double)summary->rows * (double)summary->features;
    fputs("{\n  \"file\": ", out);
    json_text(out, info->path);
    json_text_field(out, "format", temper_data_format(info->data));
    json_text_field(out, "compression", summary->compression);
    json_count_field(out, "rows", summary->rows);
    json_count_field(out, "features", summary->features);
    json_count_field(out, "classes", summary->classes);
    json_count_field(out, "nonzeros", summary->nonzeros);
    json_count_field(out, "stored", summary->stored);
    json_number_field(out, "density", entries > 0 ? (double)summary->nonzeros / entries : 0);
    json_text_field(out, "storage", summary->storage);
    json_count_field(out, "bytes", summary->bytes);
    json_number_field(out, "low", summary->low);
    json_number_field(out, "high", summary->high);
}

/* The report on data with --json, one object. */
static void print_data_json(FILE *out, const struct data_info *info)
{
    const temper_data_summary *summary = &info->summary;
    json_sizes(out, info);
    json_columns(out, info, "constant_columns", &summary->constant, false);
    json_columns(out, info, "duplicate_columns", &summary->duplicate, true);
    /* Values replaced, and rows dropped, as --missing specifies. */
    fprintf(out, ",\n  \"missing\": {\"filled\": %zu, \"dropped_rows\": %zu}", summary->missing_filled,
            summary->missing_dropped);
    json_weights(out, summary);
    json_classes(out, info);
    if (info->table)
        json_table_columns(out, info->path, info->table, NULL);
    fputs(",\n  \"notes\": ", out);
    json_lines(out, temper_data_notes(info->data));
    fputs(",\n  \"seconds\": {\"read\": ", out);
    json_number(out, info->seconds_read);
    json_number_member(out, "summary", info->seconds_summary);
    fputs("}\n}\n", out);
}

/* ---- A model as a table ------------------------------------------------------------------------ */

/* Widths in terminal columns. A name is printed as long as fewer than MODEL_NAMES_ROOM columns are taken. */
enum {
    MODEL_NAME_WIDTH = 16,
    MODEL_NAMES_ROOM = 80 - 19 - 8 - MODEL_NAME_WIDTH - 5 /* after title and count, before one more name and ... */
};

/* Prints the number of classes and as many of their names as fit on the line. */
static void print_model_classes(FILE *out, const temper_model *model)
{
    char name[NAME_SHOWN];
    size_t classes = temper_model_classes(model), shown = 0;
    print_count(out, "classes", classes);
    /* At least one name is printed, however long. */
    for (size_t taken = 0; shown < classes && taken < MODEL_NAMES_ROOM; shown++) {
        taken += format_name(temper_model_class_name(model, shown), MODEL_NAME_WIDTH, name) + 2;
        fprintf(out, "%s%s", shown ? ", " : ": ", name);
    }
    fputs(shown < classes ? ", ...\n" : "\n", out);
}

/* Prints options and outcome of the training, which the model file stores. The fingerprint identifies the training
 * rows, so that models of the same data can be recognised. */
static void print_model_training(FILE *out, const temper_model_summary *summary)
{
    char text[FORMAT_LENGTH];
    print_title(out, "l2");
    fprintf(out, "%.7g\n", summary->l2);
    if (summary->l1 > 0) {
        print_title(out, "l1");
        fprintf(out, "%.7g\n", summary->l1);
    }
    /* Weights apply to unscaled rows, so a model needs no scaling when it is used. */
    print_title(out, "scale");
    fprintf(out, "%s, folded into the weights\n", summary->scale);
    print_title(out, "trained on");
    fprintf(out, "%s rows, fingerprint %s\n", format_count(summary->rows, text), summary->fingerprint);
    print_title(out, "by");
    fprintf(out, "%s in %s from %s, seed %llu\n", summary->solver, summary->precision, summary->init,
            (unsigned long long)summary->seed);
    print_title(out, "stop");
    fprintf(out, "%s after %zu iteration%s, gradient %.2e (tolerance %g)\n", summary->stop, summary->iterations,
            summary->iterations == 1 ? "" : "s", summary->gradient, summary->tolerance);
    /* The objective is the mean loss plus the penalty. */
    print_title(out, "objective");
    fprintf(out, "%.7g, of which loss %.7g\n", summary->objective, summary->train_loss);
    print_title(out, "accuracy");
    fprintf(out, "%s on the training rows\n", format_percent(summary->accuracy, text));
}

/* The report on a model without --json. */
static void print_model_table(FILE *out, const temper_model *model, const temper_model_summary *summary)
{
    print_title(out, "format");
    fputs("temper-model\n", out);
    print_title(out, "loss");
    print_loss(out, temper_model_loss(model));
    fputc('\n', out);
    print_count(out, "features", temper_model_features(model));
    fputc('\n', out);
    print_model_classes(out, model);
    print_count(out, "weights not 0", summary->nonzeros);
    fprintf(out, ", norm %.7g%s\n", summary->weight_norm, summary->intercept ? "" : "; no intercept");
    print_model_training(out, summary);
    print_probabilities(out, model);
}

/* ---- A model as JSON: released names never change ------------------------------------------------- */

/* Prints options and outcome of the training, with the names that 'temper train --json' uses. */
static void json_training(FILE *out, const temper_model_summary *summary)
{
    json_count_field(out, "rows", summary->rows);
    json_text_field(out, "fingerprint", summary->fingerprint);
    json_text_field(out, "solver", summary->solver);
    json_text_field(out, "precision", summary->precision);
    json_text_field(out, "init", summary->init);
    json_count_field(out, "seed", summary->seed);
    json_text_field(out, "stop", summary->stop);
    json_number_field(out, "tolerance", summary->tolerance);
    json_count_field(out, "iterations", summary->iterations);
    json_count_field(out, "evaluations", summary->evaluations);
    json_number_field(out, "objective", summary->objective);
    json_number_field(out, "train_loss", summary->train_loss);
    json_number_field(out, "gradient_norm", summary->gradient);
    json_number_field(out, "accuracy", summary->accuracy);
}

/* The report on a model with --json, one object. "format" distinguishes it from the report on data. */
static void print_model_json(FILE *out, const char *path, const temper_model *model,
                             const temper_model_summary *summary)
{
    fputs("{\n  \"file\": ", out);
    json_text(out, path);
    json_text_field(out, "format", "temper-model");
    json_count_field(out, "features", temper_model_features(model));
    json_count_field(out, "classes", temper_model_classes(model));
    fputs(",\n  \"class_names\": [", out);
    for (size_t c = 0; c < temper_model_classes(model); c++) {
        fputs(c ? ", " : "", out);
        json_text(out, temper_model_class_name(model, c));
    }
    fputc(']', out);
    json_count_field(out, "nonzeros", summary->nonzeros);
    json_number_field(out, "weight_norm", summary->weight_norm);
    json_bool_field(out, "intercept", summary->intercept);
    /* The same members as in the reports of train and tune. */
    json_loss_fields(out, temper_model_loss(model), summary->l2);
    json_number_field(out, "l1", summary->l1);
    json_text_field(out, "scale", summary->scale);
    json_training(out, summary);
    json_probability_fields(out, model);
    fputs("\n}\n", out);
}

/* ---- The command ----------------------------------------------------------------------------- */

/* Computes the summary, then prints the table or JSON. The two times are kept apart because reading is usually limited
 * by the disk and the summary by memory bandwidth. */
static temper_status describe_data(const struct arguments *arguments, struct data_info *info)
{
    struct output_buffer buffer;
    temper_error error;
    double start = seconds_now();
    /* One pass over all values, in several threads. */
    TRY(checked(temper_data_summarise(info->data, threads_of(arguments), &info->summary, &error), &error));
    info->seconds_summary = seconds_now() - start;
    temper_status status = output_open(&buffer);
    if (status == TEMPER_OK) {
        (was_given(arguments, OPT_JSON) ? print_data_json : print_data_table)(buffer.stream, info);
        status = output_print(&buffer);
    }
    temper_data_summary_free(&info->summary);
    return status;
}

/* Loads a model file and prints the table or JSON. */
static temper_status describe_model(const struct arguments *arguments, const char *path)
{
    struct output_buffer buffer;
    temper_model *model;
    temper_model_summary summary;
    temper_error error;
    TRY(checked(temper_model_load(path, &model, &error), &error));
    /* Cannot fail: everything is in the loaded model; text in the summary is borrowed from it. */
    temper_model_summarise(model, &summary);
    temper_status status = output_open(&buffer);
    if (status == TEMPER_OK && was_given(arguments, OPT_JSON))
        print_model_json(buffer.stream, path, model, &summary);
    else if (status == TEMPER_OK)
        print_model_table(buffer.stream, model, &summary);
    /* The report is complete in the buffer. */
    temper_model_free(model);
    return status == TEMPER_OK ? output_print(&buffer) : status;
}

/* The columns of a table that could not be read as data, and why not. */
static temper_status describe_refused(const struct arguments *arguments, const struct data_info *info,
                                      const char *problem)
{
    struct output_buffer buffer;
    const char *format = strcmp(info->table->separator, "none") == 0 ? "jsonl" : "csv";
    TRY(output_open(&buffer));
    if (was_given(arguments, OPT_JSON)) {
        fputs("{\n  \"file\": ", buffer.stream);
        json_text(buffer.stream, info->path);
        json_text_field(buffer.stream, "format", format);
        json_table_columns(buffer.stream, info->path, info->table, problem);
        fputs("\n}\n", buffer.stream);
    } else {
        print_title(buffer.stream, "format");
        fprintf(buffer.stream, "%s\n", format);
        print_table_columns(buffer.stream, info->path, info->table, problem);
    }
    return output_print(&buffer);
}

/* Whether a path can be opened twice: not a pipe. What is not there is a list or a pattern, or is refused later. */
static bool is_read_twice(const char *path)
{
    struct stat found;
    return strcmp(path, "-") != 0 && (stat(path, &found) != 0 || S_ISREG(found.st_mode) || S_ISDIR(found.st_mode));
}

/* Describes the columns of a table first: a table that cannot be trained on is described too, with the reason. A pipe
 * can be read only once, and is read as data. */
static temper_status describe_file(const struct arguments *arguments, struct data_info *info)
{
    temper_error error;
    temper_data *data;
    temper_read_options options = data_options(arguments);
    double start = seconds_now();
    TRY(check_path(arguments, info->path));
    temper_status status = TEMPER_OK;
    if (!was_given(arguments, OPT_STRICT) && is_read_twice(info->path))
        status = temper_table_describe(info->path, &options, &info->table, &error);
    /* What is no table of text may still be data. */
    if (status == TEMPER_NO_MEMORY || status == TEMPER_IO)
        return checked(status, &error);
    if (status != TEMPER_OK)
        info->table = NULL;
    status = temper_data_read(info->path, &options, &data, &error);
    if (status == TEMPER_BAD_DATA && info->table)
        return describe_refused(arguments, info, error.message);
    TRY(checked(status, &error));
    info->seconds_read = seconds_now() - start;
    info->data = data;
    print_notes(arguments, data);
    status = describe_data(arguments, info);
    temper_data_free(data);
    return status;
}

/* A file that begins like a model is described as a model. --format states that the file is data and prevents that. */
temper_status cmd_info(const struct arguments *arguments)
{
    struct data_info info = {.path = arguments->operand[0]};
    if (!was_given(arguments, OPT_FORMAT) && temper_is_model_file(info.path))
        return describe_model(arguments, info.path);
    temper_status status = describe_file(arguments, &info);
    temper_table_free(info.table);
    return status;
}
