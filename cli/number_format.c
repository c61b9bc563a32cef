/* number_format: formats numbers and names for tables on a terminal. */
#include "number_format.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "temper_extra.h"

enum {
    CLASSES_LISTED = 10, /* more would fill lines; 'temper info' has them all */
    CLASS_WIDTH = 20
};

/* Inserts a comma between groups of three digits. */
const char *format_count(size_t count, char out[FORMAT_LENGTH])
{
    char digits[FORMAT_LENGTH];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%zu", count), at = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

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

/* Continuation bytes of UTF-8 have the leading bits 10. */
static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

size_t format_name(const char *name, size_t width, char out[NAME_SHOWN])
{
    size_t characters = 0, at = 0, ellipsis = 0;
    const char *byte = name;
    for (; *byte && at + 4 < NAME_SHOWN; byte++) {
        if (begins_character(*byte) && characters == width)
            break;
        if (begins_character(*byte) && characters++ == width - 3)
            ellipsis = at; /* the last place where "..." fits */
        bool control = (unsigned char)*byte < ' ' || *byte == 127;
        out[at++] = control ? '?' : *byte;
    }
    out[at] = '\0';
    if (!*byte)
        return characters;
    memcpy(out + ellipsis, "...", 4);
    return width;
}

/* ---- Lines of tables ---------------------------------------------------------------------------- */

void print_title(FILE *out, const char *text)
{
    fprintf(out, "%-18s ", text);
}

void print_dropped(FILE *out, size_t rows)
{
    char count[FORMAT_LENGTH];
    if (rows > 0)
        fprintf(out, "; %s more dropped: values are missing in %s", format_count(rows, count),
                rows == 1 ? "it" : "them");
}

void print_loss(FILE *out, temper_loss_spec loss)
{
    fputs(temper_method_name(loss.method), out);
    if (loss.method != TEMPER_HINGE)
        fprintf(out, ", t1 = %.7g, t2 = %.7g", loss.t1, loss.t2);
    else if (loss.smoothing > 0)
        fprintf(out, ", smoothed over %.7g", loss.smoothing);
}

/* ": no (120), yes (80)", if there are few classes; without counts where other processes hold further rows. */
static void print_classes(FILE *out, const temper_data *data)
{
    size_t rows[CLASSES_LISTED] = {0};
    char name[NAME_SHOWN], count[FORMAT_LENGTH];
    size_t classes = temper_data_classes(data);
    const uint32_t *label = temper_data_labels(data);
    bool all_here = temper_data_rows(data) == temper_data_total_rows(data);
    if (classes > CLASSES_LISTED || !label)
        return;
    for (size_t i = 0; i < temper_data_rows(data); i++)
        rows[label[i]]++;
    for (size_t c = 0; c < classes; c++) {
        format_name(temper_data_class_name(data, c), CLASS_WIDTH, name);
        fprintf(out, "%s%s", c ? ", " : ": ", name);
        if (all_here)
            fprintf(out, " (%s)", format_count(rows[c], count));
    }
}

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
