/* number_format: formats numbers and names for tables on a terminal. The functions return their buffer, so that they
 * can be arguments of fprintf; two of them in one call need two buffers. */
#include "number_format.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/display/display_width.h"
#include "base/text.h"
#include "temper_extra.h"

enum {
    CLASSES_LISTED = 10, /* more would fill lines; 'temper info' has them all */
    CLASS_WIDTH = 20
};

/* The library's messages have them in the same way. */
const char *format_count(size_t count, char out[FORMAT_LENGTH])
{
    snprintf(out, FORMAT_LENGTH, "%s", count_shown(count).text);
    return out;
}

/* Decimal units with three significant digits, as disks and the library's messages have them. */
const char *format_bytes(size_t bytes, char out[FORMAT_LENGTH])
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    double amount = (double)bytes / 1000;
    size_t unit = 0;
    if (bytes < 1000) {
        snprintf(out, FORMAT_LENGTH, "%zu bytes", bytes);
        return out;
    }
    /* 999.5 would be rounded to 1e+03 by %.3g */
    for (; amount >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        amount /= 1000;
    snprintf(out, FORMAT_LENGTH, "%.3g %s", amount, units[unit]);
    return out;
}

/* The two exceptional cases keep rounding from hiding the interesting fact: that something exists, or that something is
 * missing. */
const char *format_share(size_t part, double whole, char out[FORMAT_LENGTH])
{
    double percent = whole > 0 ? 100 * (double)part / whole : 0;
    if (part > 0 && percent < 0.001)
        snprintf(out, FORMAT_LENGTH, "< 0.001 %%");
    else if ((double)part < whole && percent > 99.9)
        snprintf(out, FORMAT_LENGTH, "> 99.9 %%");
    else
        snprintf(out, FORMAT_LENGTH, percent < 1 ? "%.2g %%" : "%.3g %%", percent);
    return out;
}

/* Four digits, as accuracies of models are compared to hundredths of a point; NAN is a measure that does not exist. */
const char *format_percent(double share, char out[FORMAT_LENGTH])
{
    if (isnan(share))
        snprintf(out, FORMAT_LENGTH, "none");
    else if (share < 1 && share > 0.9999)
        snprintf(out, FORMAT_LENGTH, "> 99.99 %%");
    else
        snprintf(out, FORMAT_LENGTH, "%.4g %%", 100 * share);
    return out;
}

/* Copies whole characters only, so that the result is valid UTF-8 if the name is. */
size_t format_name(const char *name, size_t width, char out[NAME_SHOWN])
{
    const char *end = name + strlen(name);
    size_t columns = 0, at = 0, ellipsis = 0, ellipsis_columns = 0;
    while (name < end) {
        struct shown_character next = display_character(name, end);
        if (columns + next.columns > width || at + next.bytes + sizeof "..." > NAME_SHOWN)
            break;
        if (next.columns > 0 && columns + 3 <= width) { /* the last place where "..." fits */
            ellipsis = at;
            ellipsis_columns = columns;
        }
        memcpy(out + at, next.control ? "?" : name, next.control ? 1 : next.bytes);
        at += next.control ? 1 : next.bytes;
        name += next.bytes;
        columns += next.columns;
    }
    out[at] = '\0';
    /* The whole name fits; otherwise its end gives way to the ellipsis. */
    if (name == end)
        return columns;
    memcpy(out + ellipsis, "...", sizeof "...");
    return ellipsis_columns + 3;
}

/* printf itself would count bytes, which misaligns names with accents or wide characters. */
void print_whole_name(FILE *out, const char *name, int width)
{
    const char *end = name + strlen(name);
    size_t columns = display_width(name), most = (size_t)(width < 0 ? -width : width);
    int blanks = columns < most ? (int)(most - columns) : 0;
    fprintf(out, "%*s", width < 0 ? 0 : blanks, "");
    for (struct shown_character next; name < end; name += next.bytes) {
        next = display_character(name, end);
        fwrite(next.control ? "?" : name, 1, next.control ? 1 : next.bytes, out);
    }
    fprintf(out, "%*s", width < 0 ? blanks : 0, "");
}

/* ---- Lines of tables ---------------------------------------------------------------------------- */

/* 18 columns and a blank: the values of all tables of the command begin at the same column. */
void print_title(FILE *out, const char *text)
{
    fprintf(out, "%-18s ", text);
}

/* Printed after the number of rows that were used, since a table about fewer rows than the file has must not be
 * mistaken for one about all of them. */
void print_dropped(FILE *out, size_t rows)
{
    char count[FORMAT_LENGTH];
    if (rows > 0)
        fprintf(out, "; %s more dropped: values are missing in %s", format_count(rows, count),
                rows == 1 ? "it" : "them");
}

/* The name of the loss with the parameters that it has. */
void print_loss(FILE *out, temper_loss_spec loss)
{
    fputs(temper_method_name(loss.method), out);
    if (loss.method == TEMPER_HINGE) {
        if (loss.smoothing > 0)
            fprintf(out, ", smoothed over %.7g", loss.smoothing);
        return;
    }
    const temper_loss_parameter *own = temper_method_parameter(loss.method, 0);
    if (!own)
        fprintf(out, ", t1 = %.7g, t2 = %.7g", loss.t1, loss.t2);
    for (size_t k = 0; (own = temper_method_parameter(loss.method, k)); k++)
        fprintf(out, ", %s = %.7g", own->name, *temper_loss_parameter_field(&loss, own));
}

/* On what the probabilities were calibrated, and the share of wrong labels that training has estimated. */
void print_probabilities(FILE *out, const temper_model *model)
{
    char text[FORMAT_LENGTH];
    temper_model_summary summary;
    temper_model_summarise(model, &summary);
    print_title(out, "probabilities");
    if (summary.calibration_order > 0)
        fprintf(out, "calibrated on %s %s\n", format_count(summary.calibration_rows, text),
                summary.calibration_folds ? "rows out of fold" : "rows");
    else
        fputs("not calibrated\n", out);
    if (isnan(summary.noise_rate))
        return;
    print_title(out, "label noise");
    fprintf(out, "about %.2g %% of the labels are wrong\n", 100 * summary.noise_rate);
}

/* Prints ": no (120), yes (80)" if there are few classes. The counts are omitted where other processes hold further
 * rows: only the rows of this process could be counted. */
static void print_classes(FILE *out, const temper_data *data)
{
    size_t rows[CLASSES_LISTED] = {0};
    char name[NAME_SHOWN], count[FORMAT_LENGTH];
    size_t classes = temper_data_classes(data);
    const uint32_t *label = temper_data_labels(data);
    /* Under MPI each process has a part of the rows. */
    bool all_here = temper_data_rows(data) == temper_data_total_rows(data);
    if (classes > CLASSES_LISTED || !label)
        return;
    for (size_t i = 0; i < temper_data_rows(data); i++)
        /* Labels are class numbers below `classes`, hence below CLASSES_LISTED here. */
        rows[label[i]]++;
    for (size_t c = 0; c < classes; c++) {
        format_name(temper_data_class_name(data, c), CLASS_WIDTH, name);
        fprintf(out, "%s%s", c ? ", " : ": ", name);
        if (all_here)
            fprintf(out, " (%s)", format_count(rows[c], count));
    }
}

/* The first lines of the reports of train and tune. The number of rows is that of all processes. */
void print_data_size(FILE *out, const temper_data *data)
{
    char count[FORMAT_LENGTH];
    print_title(out, "rows");
    fputs(format_count(temper_data_total_rows(data), count), out);
    print_dropped(out, temper_data_dropped_rows(data));
    fputc('\n', out);
    print_title(out, "features");
    fprintf(out, "%s\n", format_count(temper_data_features(data), count));
    print_title(out, "classes");
    fputs(format_count(temper_data_classes(data), count), out);
    print_classes(out, data);
    fputc('\n', out);
}
