/* cmd_info: describes a data file or a model. */
#include <math.h>
#include <stdio.h>

#include "json.h"
#include "message.h"
#include "number_format.h"
#include "options/data_options.h"
#include "options/options.h"
#include "output_paths.h"

struct info {
    const char *path;
    const temper_data *data;
    temper_data_summary summary;
    double seconds_read, seconds_summary;
};

/* {"count": 2, "first": [{"column": 3, "name": null}, ...]} */
static void columns_json(FILE *out, const struct info *info, const temper_column_list *found, int same_as)
{
    fprintf(out, "{\"count\": %llu, \"first\": [", found->count);
    for (size_t i = 0; i < TEMPER_SUMMARY_SHOWN && i < found->count; i++) {
        fprintf(out, "%s{\"column\": %llu, \"name\": ", i ? ", " : "", found->column[i]);
        json_text(out, temper_data_feature_name(info->data, found->column[i] - 1));
        if (same_as)
            fprintf(out, ", \"same_as\": %llu", found->same_as[i]);
        fputc('}', out);
    }
    fputs("]}", out);
}

static void class_counts(FILE *out, const struct info *info)
{
    fputs("[", out);
    for (size_t c = 0; c < info->summary.classes; c++) {
        fprintf(out, "%s\n    {\"name\": ", c ? "," : "");
        json_text(out, temper_data_class_name(info->data, c));
        fprintf(out, ", \"rows\": %llu}", info->summary.class_rows[c]);
    }
    fputs(info->summary.classes ? "\n  ]" : "]", out);
}

static void weights(FILE *out, const temper_data_summary *summary)
{
    if (!summary->weighted) {
        fputs("null", out);
        return;
    }
    fputs("{\"low\": ", out);
    json_number(out, summary->weight_low);
    fputs(", \"high\": ", out);
    json_number(out, summary->weight_high);
    fputs(", \"sum\": ", out);
    json_number(out, summary->weight_sum);
    fputc('}', out);
}

/* Where it comes from, and how large it is. */
static void sizes(FILE *out, const struct info *info)
{
    const temper_data_summary *s = &info->summary;
    double entries = (double)s->rows * (double)s->features;
    fputs("{\n  \"file\": ", out);
    json_text(out, info->path);
    json_text_field(out, "format", temper_data_format(info->data));
    json_text_field(out, "compression", s->compression);
    fprintf(out, ",\n  \"rows\": %llu,\n  \"features\": %llu,\n  \"classes\": %zu", s->rows, s->features, s->classes);
    fprintf(out, ",\n  \"nonzeros\": %llu,\n  \"stored\": %llu", s->nonzeros, s->stored);
    json_number_field(out, "density", entries > 0 ? (double)s->nonzeros / entries : 0);
    json_text_field(out, "storage", s->storage);
    fprintf(out, ",\n  \"bytes\": %llu", s->bytes);
}

static void info_json(FILE *out, const struct info *info)
{
    const temper_data_summary *s = &info->summary;
    sizes(out, info);
    json_number_field(out, "low", s->low);
    json_number_field(out, "high", s->high);
    fputs(",\n  \"constant_columns\": ", out);
    columns_json(out, info, &s->constant, 0);
    fputs(",\n  \"duplicate_columns\": ", out);
    columns_json(out, info, &s->duplicate, 1);
    fprintf(out, ",\n  \"missing\": {\"filled\": %llu, \"dropped_rows\": %llu}", s->missing_filled, s->missing_dropped);
    fputs(",\n  \"weights\": ", out);
    weights(out, s);
    fputs(",\n  \"class_counts\": ", out);
    class_counts(out, info);
    fputs(",\n  \"notes\": ", out);
    json_lines(out, temper_data_notes(info->data));
    fputs(",\n  \"seconds\": {\"read\": ", out);
    json_number(out, info->seconds_read);
    fputs(", \"summary\": ", out);
    json_number(out, info->seconds_summary);
    fputs("}\n}\n", out);
}

enum {
    CLASSES_SHOWN = 24, /* more scroll the rest away; --json has them all */
    NAME_WIDTH = 30,    /* of a class */
    COLUMN_WIDTH = 18,  /* of the name of a column */
    BAR_WIDTH = 20,
    LINE_WIDTH = 80 - 5,    /* and ", ..." behind it */
    COLUMNS_START = 19 + 13 /* behind the title and the largest count */
};

static void count_line(FILE *out, const char *text, unsigned long long count)
{
    char figure[FIGURE_LENGTH];
    figure_title(out, text);
    fprintf(out, "%s", figure_count(count, figure));
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* By name where it has one; returns how many characters that takes. */
static size_t column(FILE *out, const struct info *info, unsigned long long number)
{
    char shown[NAME_SHOWN];
    const char *name = temper_data_feature_name(info->data, number - 1);
    if (!name)
        return (size_t)fprintf(out, "%llu", number);
    size_t width = figure_name(name, COLUMN_WIDTH, shown);
    fputs(shown, out);
    return width;
}

/* How much of a line is left is not known before a name is written, so each is taken for the
 * longest of its kind. */
static size_t widest(const struct info *info)
{
    char digits[FIGURE_LENGTH];
    if (temper_data_feature_name(info->data, 0))
        return COLUMN_WIDTH;
    return (size_t)snprintf(digits, sizeof digits, "%llu", info->summary.features);
}

/* "3: 7, 9, 12", or "21: 7 = 3, 9 = 3, ...", as many as fit in. */
static void columns(FILE *out, const struct info *info, const temper_column_list *found, int same_as)
{
    size_t room = LINE_WIDTH - COLUMNS_START, one = widest(info) * (same_as ? 2 : 1) + 5, shown = 0;
    for (; shown < found->count && shown < TEMPER_SUMMARY_SHOWN && room >= one; shown++) {
        fputs(shown ? ", " : ": ", out);
        room -= 2 + column(out, info, found->column[shown]);
        if (same_as) {
            fputs(" = ", out);
            room -= 3 + column(out, info, found->same_as[shown]);
        }
    }
    if (shown < found->count)
        fputs(", ...", out);
}

static void columns_line(FILE *out, const struct info *info, const char *text, const temper_column_list *found,
                         int same_as)
{
    if (found->count == 0) {
        figure_title(out, text);
        fputs("none", out);
    } else {
        count_line(out, text, found->count);
        columns(out, info, found, same_as);
    }
    fputc('\n', out);
}

/* ---- Classes --------------------------------------------------------------------------------- */

/* The widest name among those that are shown. */
static size_t name_width(const struct info *info, size_t shown)
{
    char name[NAME_SHOWN];
    size_t width = 8;
    for (size_t c = 0; c < shown; c++) {
        size_t taken = figure_name(temper_data_class_name(info->data, c), NAME_WIDTH, name);
        width = taken > width ? taken : width;
    }
    return width;
}

static unsigned long long most_rows(const temper_data_summary *summary)
{
    unsigned long long most = 1;
    for (size_t c = 0; c < summary->classes; c++)
        most = summary->class_rows[c] > most ? summary->class_rows[c] : most;
    return most;
}

/* Any row at all is worth a mark. */
static void bar(FILE *out, unsigned long long rows, unsigned long long most)
{
    double length = ceil((double)rows / (double)most * BAR_WIDTH);
    for (int i = 0; i < (int)length; i++)
        fputc('#', out);
}

static void class_line(FILE *out, const struct info *info, size_t number, size_t width)
{
    char name[NAME_SHOWN], rows[FIGURE_LENGTH], share[FIGURE_LENGTH];
    const temper_data_summary *summary = &info->summary;
    size_t taken = figure_name(temper_data_class_name(info->data, number), NAME_WIDTH, name);
    fprintf(out, "  %s%*s %13s %10s  ", name, (int)(width - taken), "", figure_count(summary->class_rows[number], rows),
            figure_share(summary->class_rows[number], (double)summary->rows, share));
    bar(out, summary->class_rows[number], most_rows(summary));
    fputc('\n', out);
}

static void class_lines(FILE *out, const struct info *info)
{
    const temper_data_summary *summary = &info->summary;
    size_t classes = summary->classes;
    size_t shown = classes > CLASSES_SHOWN ? CLASSES_SHOWN : classes;
    size_t width = name_width(info, shown);
    for (size_t c = 0; c < shown; c++)
        class_line(out, info, c, width);
    if (shown < classes)
        fprintf(out, "  ... and %zu more; --json lists them all\n", classes - shown);
}

/* ---- The table ------------------------------------------------------------------------------- */

static void values_line(FILE *out, const temper_data_summary *summary)
{
    char share[FIGURE_LENGTH];
    double entries = (double)summary->rows * (double)summary->features;
    count_line(out, "values not 0", summary->nonzeros);
    fprintf(out, "  (%s of all)\n", figure_share(summary->nonzeros, entries, share));
    figure_title(out, "values");
    if (summary->low <= summary->high)
        fprintf(out, "from %.7g to %.7g\n", summary->low, summary->high);
    else
        fputs("none\n", out);
}

static void missing_line(FILE *out, const temper_data_summary *summary)
{
    char figure[FIGURE_LENGTH];
    figure_title(out, "missing values");
    if (summary->missing_filled == 0 && summary->missing_dropped == 0)
        fputs("none", out);
    if (summary->missing_filled > 0)
        fprintf(out, "%s filled", figure_count(summary->missing_filled, figure));
    if (summary->missing_dropped > 0)
        fprintf(out, "%s%s more row%s dropped", summary->missing_filled > 0 ? ", " : "",
                figure_count(summary->missing_dropped, figure), summary->missing_dropped == 1 ? "" : "s");
    fputc('\n', out);
}

static void size_lines(FILE *out, const struct info *info)
{
    char bytes[FIGURE_LENGTH];
    const temper_data_summary *summary = &info->summary;
    figure_title(out, "format");
    fputs(temper_data_format(info->data), out);
    if (summary->compression)
        fprintf(out, ", compressed by %s", summary->compression);
    fputc('\n', out);
    count_line(out, "rows", summary->rows);
    fputc('\n', out);
    count_line(out, "features", summary->features);
    fprintf(out, "  (%s)\n", summary->storage);
    figure_title(out, "memory");
    fprintf(out, "%s\n", figure_bytes(summary->bytes, bytes));
}

static void info_table(FILE *out, const struct info *info)
{
    const temper_data_summary *summary = &info->summary;
    size_lines(out, info);
    values_line(out, summary);
    columns_line(out, info, "constant columns", &summary->constant, 0);
    columns_line(out, info, "duplicate columns", &summary->duplicate, 1);
    missing_line(out, summary);
    if (summary->weighted)
        fprintf(out, "%-18s from %.7g to %.7g, %.7g in all\n", "weights", summary->weight_low, summary->weight_high,
                summary->weight_sum);
    if (summary->classes == 0) {
        figure_title(out, "classes");
        fputs("none: the data has no labels\n", out);
    } else {
        count_line(out, "classes", summary->classes);
        fputc('\n', out);
        class_lines(out, info);
    }
}

enum {
    MODEL_NAME_WIDTH = 16,
    NAMES_ROOM = 80 - 19 - 8 - MODEL_NAME_WIDTH - 5 /* behind title and count, before one more and ... */
};

/* ---- For people ------------------------------------------------------------------------------ */

static void model_class_line(FILE *out, const temper_model *model)
{
    char count[FIGURE_LENGTH], name[NAME_SHOWN];
    size_t classes = temper_model_classes(model);
    figure_title(out, "classes");
    fputs(figure_count(classes, count), out);
    size_t shown = 0;
    for (size_t taken = 0; shown < classes && taken < NAMES_ROOM; shown++) {
        taken += figure_name(temper_model_class_name(model, shown), MODEL_NAME_WIDTH, name) + 2;
        fprintf(out, "%s%s", shown ? ", " : ": ", name);
    }
    fputs(shown < classes ? ", ...\n" : "\n", out);
}

static void weight_lines(FILE *out, const temper_model *model, const temper_model_summary *summary)
{
    char count[FIGURE_LENGTH];
    figure_title(out, "features");
    fprintf(out, "%s\n", figure_count(temper_model_features(model), count));
    model_class_line(out, model);
    figure_title(out, "weights not 0");
    fprintf(out, "%s, norm %.7g%s\n", figure_count(summary->nonzeros, count), summary->weight_norm,
            summary->intercept ? "" : "; no intercept");
}

static void training_lines(FILE *out, const temper_model_summary *summary)
{
    char text[FIGURE_LENGTH];
    figure_title(out, "l2");
    fprintf(out, "%.7g\n", summary->l2);
    figure_title(out, "scale");
    fprintf(out, "%s, folded into the weights\n", summary->scale);
    figure_title(out, "trained on");
    fprintf(out, "%s rows, fingerprint %s\n", figure_count(summary->rows, text), summary->fingerprint);
    figure_title(out, "by");
    fprintf(out, "%s in %s from %s, seed %llu\n", summary->solver, summary->precision, summary->init, summary->seed);
    figure_title(out, "stop");
    fprintf(out, "%s after %llu iteration%s, gradient %.2e (tolerance %g)\n", summary->stop, summary->iterations,
            summary->iterations == 1 ? "" : "s", summary->gradient, summary->tolerance);
    figure_title(out, "objective");
    fprintf(out, "%.7g, of which loss %.7g\n", summary->objective, summary->train_loss);
    figure_title(out, "accuracy");
    fprintf(out, "%s on the rows of the training\n", figure_percent(summary->accuracy, text));
}

static void info_model_table(FILE *out, const temper_model *model)
{
    temper_model_summary summary;
    temper_model_summarise(model, &summary);
    figure_title(out, "format");
    fputs("temper-model\n", out);
    figure_title(out, "loss");
    figure_loss(out, temper_model_loss(model));
    fputc('\n', out);
    weight_lines(out, model, &summary);
    training_lines(out, &summary);
}

/* ---- For programs: names stay as they are once released ------------------------------------- */

static void model_sizes(FILE *out, const temper_model *model, const temper_model_summary *summary)
{
    fprintf(out, ",\n  \"features\": %llu,\n  \"classes\": %zu,\n  \"class_names\": [", temper_model_features(model),
            temper_model_classes(model));
    for (size_t c = 0; c < temper_model_classes(model); c++) {
        fputs(c ? ", " : "", out);
        json_text(out, temper_model_class_name(model, c));
    }
    fprintf(out, "],\n  \"nonzeros\": %llu", summary->nonzeros);
    json_number_field(out, "weight_norm", summary->weight_norm);
    fprintf(out, ",\n  \"intercept\": %s", summary->intercept ? "true" : "false");
}

static void loss_members(FILE *out, const temper_model_summary *summary, bool hinge)
{
    json_text_field(out, "loss", summary->method);
    json_number_field(out, "t1", hinge ? NAN : summary->t1);
    json_number_field(out, "t2", hinge ? NAN : summary->t2);
    json_number_field(out, "smoothing", hinge ? summary->smoothing : NAN);
    json_number_field(out, "l2", summary->l2);
    json_text_field(out, "scale", summary->scale);
}

static void training_members(FILE *out, const temper_model_summary *summary)
{
    fprintf(out, ",\n  \"rows\": %llu", summary->rows);
    json_text_field(out, "fingerprint", summary->fingerprint);
    json_text_field(out, "solver", summary->solver);
    json_text_field(out, "precision", summary->precision);
    json_text_field(out, "init", summary->init);
    fprintf(out, ",\n  \"seed\": %llu", summary->seed);
    json_text_field(out, "stop", summary->stop);
    json_number_field(out, "tolerance", summary->tolerance);
    fprintf(out, ",\n  \"iterations\": %llu,\n  \"evaluations\": %llu", summary->iterations, summary->evaluations);
    json_number_field(out, "objective", summary->objective);
    json_number_field(out, "train_loss", summary->train_loss);
    json_number_field(out, "gradient_norm", summary->gradient);
    json_number_field(out, "accuracy", summary->accuracy);
}

static void info_model_json(FILE *out, const char *path, const temper_model *model)
{
    temper_model_summary summary;
    temper_model_summarise(model, &summary);
    fputs("{\n  \"file\": ", out);
    json_text(out, path);
    json_text_field(out, "format", "temper-model");
    model_sizes(out, model, &summary);
    loss_members(out, &summary, temper_model_loss(model).method == TEMPER_HINGE);
    training_members(out, &summary);
    fputs("\n}\n", out);
}

static temper_status show(const struct arguments *arguments, const struct info *info)
{
    struct page page;
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    if (was_given(arguments, OPT_JSON))
        info_json(page.stream, info);
    else
        info_table(page.stream, info);
    return page_print(&page);
}

static temper_status sum_up(const struct arguments *arguments, struct info *info)
{
    temper_error error;
    double start = seconds_now();
    if (temper_data_summarise(info->data, threads_of(arguments), &info->summary, &error) != TEMPER_OK)
        return complain_error(&error);
    info->seconds_summary = seconds_now() - start;
    temper_status status = show(arguments, info);
    temper_data_summary_free(&info->summary);
    return status;
}

static temper_status show_model(const struct arguments *arguments, const char *path)
{
    struct page page;
    temper_model *model;
    temper_error error;
    if (temper_model_load(path, &model, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_status status = page_open(&page);
    if (status == TEMPER_OK && was_given(arguments, OPT_JSON))
        info_model_json(page.stream, path, model);
    else if (status == TEMPER_OK)
        info_model_table(page.stream, model);
    temper_model_free(model);
    return status == TEMPER_OK ? page_print(&page) : status;
}

/* Who says what format the data has has data. */
temper_status cmd_info(const struct arguments *arguments)
{
    struct info info = {.path = arguments->operand[0]};
    temper_data *data;
    if (!was_given(arguments, OPT_FORMAT) && temper_is_model_file(info.path))
        return show_model(arguments, info.path);
    temper_status status = read_data(arguments, info.path, &data, &info.seconds_read);
    if (status != TEMPER_OK)
        return status;
    info.data = data;
    print_notes(arguments, data);
    status = sum_up(arguments, &info);
    temper_data_free(data);
    return status;
}
