/* cmd_demo: temper demo. */
#include "demo/demo.h"
#include "message.h"
#include "options/data_options.h"
#include "output_paths.h"

enum { NAME_WIDTH = 34, FIGURE_WIDTH = 18 };

static void print_head(FILE *out, const char *title)
{
    fprintf(out, "%-*s", NAME_WIDTH, title);
    for (size_t i = 0; i < METHODS; i++)
        fprintf(out, "%*s", FIGURE_WIDTH, method_names[i]);
    fputc('\n', out);
}

static void print_accuracy(FILE *out, const struct fit fits[METHODS], const char *name, const char *labels)
{
    int width = fprintf(out, "  %s, %s", name, labels);
    fprintf(out, "%*s", NAME_WIDTH - width, "");
    for (size_t i = 0; i < METHODS; i++)
        fprintf(out, "%*.2f %%", FIGURE_WIDTH - 2, 100 * fits[i].accuracy);
    fputc('\n', out);
}

static void print_found(FILE *out, const struct story *story)
{
    fprintf(out, "  %-*s", NAME_WIDTH - 2, story->name);
    for (size_t i = 0; i < METHODS; i++)
        fprintf(out, "%*zu of %3zu", FIGURE_WIDTH - 7, story->found[i], story->flipped);
    fputc('\n', out);
}

static void print_stories(FILE *out, const struct story stories[2])
{
    print_head(out, "Accuracy on clean test rows");
    for (size_t i = 0; i < 2; i++) {
        print_accuracy(out, stories[i].on_clean, stories[i].name, "right labels");
        print_accuracy(out, stories[i].on_noisy, stories[i].name, "10 % flipped");
    }
    fputc('\n', out);
    print_head(out, "Flipped labels found");
    for (size_t i = 0; i < 2; i++)
        print_found(out, &stories[i]);
}

static void print_next(FILE *out, const char *path, double seconds)
{
    fprintf(out, "\nThe pictures are in %s: open it in a browser. (%.1f s)\n", path, seconds);
    fputs("\nWith your own rows:\n"
          "  temper train train.csv -m model.temper\n"
          "  temper eval -m model.temper test.csv\n"
          "  temper help\n",
          out);
}

static temper_status print(const struct story stories[2], const char *path, double seconds)
{
    struct page page;
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    print_stories(page.stream, stories);
    print_next(page.stream, path, seconds);
    return page_print(&page);
}

/* Nothing is printed before the page is there: a failure should not look like a success. */
temper_status cmd_demo(const struct arguments *arguments)
{
    struct story stories[2] = {{.name = "21 features"}, {.name = "2 features"}};
    const char *path = text_of(arguments, OPT_DEMO_OUTPUT);
    uint64_t seed = (uint64_t)number_of(arguments, OPT_SEED);
    size_t threads = threads_of(arguments);
    double start = seconds_now();
    temper_status status = story_tell(&stories[0], make_long_servedio, seed, threads);
    if (status == TEMPER_OK)
        status = story_tell(&stories[1], make_two_features, seed, threads);
    if (status == TEMPER_OK)
        status = demo_page(stories, threads, path);
    if (status == TEMPER_OK)
        status = print(stories, path, seconds_now() - start);
    for (size_t i = 0; i < 2; i++)
        story_free(&stories[i]);
    return status;
}
