/* bench: everything that is timed, and where the record and its files go:
 * bench RECORD.json FOLDER [SECTION]... */
#include <stdio.h>
#include <string.h>

#include "kernel/dispatch/kernel.h"
#include "kernels/bench.h"

static const struct section {
    const char *name;
    void (*run)(const char *folder);
} sections[] = {
    {"limits", bench_limits},     {"margins", bench_margins},     {"softmax", bench_softmax}, {"linear", bench_linear},
    {"many", bench_linear_many},  {"group", bench_group},         {"sparse", bench_sparse},   {"read", bench_read},
    {"evaluate", bench_evaluate}, {"below-one", bench_below_one}, {"passes", bench_passes},
};

/* All of them unless some are named. */
static int is_wanted(const char *name, char *const *wanted, int count)
{
    int found = count == 0;
    for (int i = 0; i < count; i++)
        found |= strcmp(name, wanted[i]) == 0;
    return found;
}

int main(int argc, char **argv)
{
    const char *record = argc > 1 ? argv[1] : "bench.json", *folder = argc > 2 ? argv[2] : ".", *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    if (!kernel) {
        fprintf(stderr, "bench: TEMPER_KERNEL=%s does not run here\n", wanted);
        return 2;
    }
    printf("kernel %s, one thread; best of interleaved rounds\n", kernel->name);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (is_wanted(sections[i].name, argv + 3, argc > 3 ? argc - 3 : 0))
            sections[i].run(folder);
    if (!bench_save(record)) {
        perror(record);
        return 74;
    }
    printf("\nrecord: %s\n", record);
    return 0;
}
