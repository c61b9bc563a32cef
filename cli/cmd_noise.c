/* cmd_noise: temper noise. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "csv.h"
#include "json.h"
#include "message.h"
#include "number_format.h"
#include "options/data_options.h"
#include "options/options.h"
#include "output_paths.h"

struct spoiling {
    const struct arguments *arguments;
    const char *kind, *to;
    temper_data *data, *pool, *noisy; /* or NULL */
    temper_noise_change *changes;
    size_t count;
};

/* ---- The command line ------------------------------------------------------------------------ */

static bool is_margin(const char *kind)
{
    return strcmp(kind, "small-margin") == 0 || strcmp(kind, "large-margin") == 0;
}

static temper_status need(const struct arguments *arguments, enum option_id id, const char *why)
{
    char wanted[WANTED_LENGTH];
    if (was_given(arguments, id))
        return TEMPER_OK;
    return complain(TEMPER_USAGE, "noise: --%s is missing%s; give %s", option_table[id].name, why,
                    option_wanted(&option_table[id], wanted));
}

/* An option that this kind has no use for is a misunderstanding that would go unseen. */
static temper_status refuse_unless(const struct spoiling *spoiling, enum option_id id, const char *kind)
{
    if (!was_given(spoiling->arguments, id) || strcmp(spoiling->kind, kind) == 0)
        return TEMPER_OK;
    return complain(TEMPER_USAGE, "noise: --%s means nothing to kind %s; drop it, or pass --kind %s",
                    option_table[id].name, spoiling->kind, kind);
}

/* The standard output, a device or a pipe: a list has no place beside it. */
static bool is_stream(const char *path)
{
    struct stat there;
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0 ||
           (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode));
}

static temper_status check_options(const struct spoiling *spoiling)
{
    const struct arguments *arguments = spoiling->arguments;
    temper_error error;
    bool matrix = strcmp(spoiling->kind, "matrix") == 0;
    temper_status status = need(arguments, OPT_NOISE_OUTPUT, "");
    if (status == TEMPER_OK)
        status = matrix ? need(arguments, OPT_MATRIX, ", which kind matrix draws from") : need(arguments, OPT_RATE, "");
    if (status == TEMPER_OK)
        status = refuse_unless(spoiling, OPT_MAP, "pair");
    if (status == TEMPER_OK)
        status = refuse_unless(spoiling, OPT_MATRIX, "matrix");
    if (status == TEMPER_OK)
        status = refuse_unless(spoiling, OPT_POOL, "instance");
    if (status == TEMPER_OK && !is_margin(spoiling->kind))
        status = refuse_unless(spoiling, OPT_RANK_L2, "small-margin");
    if (status == TEMPER_OK && !is_margin(spoiling->kind))
        status = refuse_unless(spoiling, OPT_RANK_SCALE, "small-margin");
    if (status == TEMPER_OK && matrix && was_given(arguments, OPT_RATE))
        return complain(TEMPER_USAGE, "noise: --rate means nothing to kind matrix, whose file says "
                                      "how much changes; drop it");
    if (status == TEMPER_OK && is_stream(spoiling->to))
        return complain(TEMPER_USAGE, "noise: the list of changes is written beside the data; give "
                                      "a file to -o");
    if (status == TEMPER_OK && temper_data_write_check(spoiling->to, text_of(arguments, OPT_TO), &error) != TEMPER_OK)
        return complain_error(&error);
    return status;
}

/* ---- The changes ----------------------------------------------------------------------------- */

/* Where the features come from is told only where that is what changed. */
static void list_changes(FILE *out, const struct spoiling *spoiling)
{
    bool instance = strcmp(spoiling->kind, "instance") == 0;
    fputs(instance ? "row,was,is,from\n" : "row,was,is\n", out);
    for (size_t i = 0; i < spoiling->count; i++) {
        const temper_noise_change *change = &spoiling->changes[i];
        fprintf(out, "%llu,", change->row);
        csv_cell(out, temper_data_class_name(spoiling->noisy, change->was));
        fputc(',', out);
        csv_cell(out, temper_data_class_name(spoiling->noisy, change->is));
        if (instance)
            fprintf(out, ",%llu", change->from);
        fputc('\n', out);
    }
}

static temper_status write_both(const struct spoiling *spoiling, const temper_attachment *changes)
{
    temper_error error;
    if (temper_data_write_with_attachment(spoiling->noisy, spoiling->to, text_of(spoiling->arguments, OPT_TO), changes,
                                          &error) != TEMPER_OK)
        return complain_error(&error);
    return TEMPER_OK;
}

/* In one call: no list may lie beside data that it does not belong to. */
static temper_status save_both(const struct spoiling *spoiling)
{
    static const char extension[] = ".changes.csv";
    struct page page;
    size_t size = strlen(spoiling->to) + sizeof extension;
    char *path = malloc(size);
    if (!path)
        return complain_no_memory();
    snprintf(path, size, "%s%s", spoiling->to, extension);
    temper_status status = page_open(&page);
    if (status == TEMPER_OK) {
        list_changes(page.stream, spoiling);
        status = page_close(&page);
    }
    if (status == TEMPER_OK) {
        const temper_attachment changes = {path, page.bytes, page.length};
        status = write_both(spoiling, &changes);
        free(page.bytes);
    }
    free(path);
    return status;
}

/* ---- The report ------------------------------------------------------------------------------ */

static void report_json(FILE *out, const struct spoiling *spoiling)
{
    fprintf(out, "{\"kind\": \"%s\", \"rows\": %llu, \"changed\": %zu, \"rate\": ", spoiling->kind,
            temper_data_rows(spoiling->data), spoiling->count);
    json_number(out, (double)spoiling->count / (double)temper_data_rows(spoiling->data));
    fprintf(out, ", \"seed\": %.0f, \"file\": ", number_of(spoiling->arguments, OPT_SEED));
    json_text(out, spoiling->to);
    fputs("}\n", out);
}

static void report_text(FILE *out, const struct spoiling *spoiling)
{
    char count[FIGURE_LENGTH], rows[FIGURE_LENGTH], share[FIGURE_LENGTH];
    unsigned long long all = temper_data_rows(spoiling->data);
    bool instance = strcmp(spoiling->kind, "instance") == 0;
    fprintf(out, "%s of %s %s changed (%s)\n", figure_count(spoiling->count, count), figure_count(all, rows),
            instance ? "rows" : "labels", figure_share(spoiling->count, (double)all, share));
}

static temper_status report(const struct spoiling *spoiling)
{
    struct page page;
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    if (was_given(spoiling->arguments, OPT_JSON))
        report_json(page.stream, spoiling);
    else
        report_text(page.stream, spoiling);
    return page_print(&page);
}

/* ---- The steps ------------------------------------------------------------------------------- */

static temper_status spoil(struct spoiling *spoiling)
{
    const struct arguments *arguments = spoiling->arguments;
    temper_error error;
    temper_noise_options options = {
        .kind = spoiling->kind,
        .rate = was_given(arguments, OPT_RATE) ? number_of(arguments, OPT_RATE) : 0,
        .seed = (unsigned long long)number_of(arguments, OPT_SEED),
        .map = text_of(arguments, OPT_MAP),
        .matrix = text_of(arguments, OPT_MATRIX),
        .pool = spoiling->pool,
        .rank_l2 = number_of(arguments, OPT_RANK_L2),
        .rank_scale = text_of(arguments, OPT_RANK_SCALE),
        .threads = threads_of(arguments),
    };
    if (temper_data_add_noise(spoiling->data, &options, &spoiling->noisy, &spoiling->changes, &spoiling->count,
                              &error) != TEMPER_OK)
        return complain_error(&error);
    return TEMPER_OK;
}

/* --classes is for DATA: the pool is there for its other classes. */
static temper_status read_pool(struct spoiling *spoiling)
{
    struct arguments arguments = *spoiling->arguments;
    const char *path = text_of(&arguments, OPT_POOL);
    if (!path)
        return TEMPER_OK;
    arguments.given[OPT_CLASSES] = NULL;
    arguments.given[OPT_CLASS_WEIGHT] = NULL;
    arguments.given[OPT_WEIGHTS] = NULL;
    arguments.given[OPT_LABELS] = NULL;
    return read_data(&arguments, path, &spoiling->pool, NULL);
}

static temper_status run(struct spoiling *spoiling)
{
    temper_status status = read_data(spoiling->arguments, spoiling->arguments->operand[0], &spoiling->data, NULL);
    if (status != TEMPER_OK)
        return status;
    print_notes(spoiling->arguments, spoiling->data);
    status = read_pool(spoiling);
    if (status == TEMPER_OK)
        status = spoil(spoiling);
    if (status == TEMPER_OK)
        status = save_both(spoiling);
    return status == TEMPER_OK ? report(spoiling) : status;
}

temper_status cmd_noise(const struct arguments *arguments)
{
    struct spoiling spoiling = {
        .arguments = arguments,
        .kind = text_of(arguments, OPT_KIND),
        .to = was_given(arguments, OPT_NOISE_OUTPUT) ? text_of(arguments, OPT_NOISE_OUTPUT) : "",
    };
    temper_status status = check_options(&spoiling);
    if (status == TEMPER_OK)
        status = run(&spoiling);
    temper_data_free(spoiling.noisy); /* first: it may borrow from the others */
    temper_data_free(spoiling.pool);
    temper_data_free(spoiling.data);
    temper_free(spoiling.changes);
    return status;
}
