/* info_table: for people, in a terminal of 80 columns. */
#include <math.h>
#include <stdio.h>

#include "figure.h"
#include "info.h"

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
static void columns(FILE *out, const struct info *info, const temper_columns *found, int same_as)
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

static void columns_line(FILE *out, const struct info *info, const char *text, const temper_columns *found, int same_as)
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

static unsigned long long most_rows(const temper_summary *summary)
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
    const temper_summary *summary = &info->summary;
    size_t taken = figure_name(temper_data_class_name(info->data, number), NAME_WIDTH, name);
    fprintf(out, "  %s%*s %13s %10s  ", name, (int)(width - taken), "", figure_count(summary->class_rows[number], rows),
            figure_share(summary->class_rows[number], (double)summary->rows, share));
    bar(out, summary->class_rows[number], most_rows(summary));
    fputc('\n', out);
}

static void class_lines(FILE *out, const struct info *info)
{
    const temper_summary *summary = &info->summary;
    size_t classes = summary->classes;
    size_t shown = classes > CLASSES_SHOWN ? CLASSES_SHOWN : classes;
    size_t width = name_width(info, shown);
    for (size_t c = 0; c < shown; c++)
        class_line(out, info, c, width);
    if (shown < classes)
        fprintf(out, "  ... and %zu more; --json lists them all\n", classes - shown);
}

/* ---- The table ------------------------------------------------------------------------------- */

static void values_line(FILE *out, const temper_summary *summary)
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

static void missing_line(FILE *out, const temper_summary *summary)
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
    const temper_summary *summary = &info->summary;
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

void info_table(FILE *out, const struct info *info)
{
    const temper_summary *summary = &info->summary;
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
