/* bench: everything that is timed, and where the record and its files go:
 * bench RECORD.json FOLDER [train] */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "kernel/kernel.h"

/* What a training is made of. */
static void bench_parts(const char *folder)
{
    bench_margins();
    bench_softmax();
    bench_linear();
    bench_linear_many();
    bench_group();
    bench_sparse(folder);
    bench_read(folder);
}

int main(int argc, char **argv)
{
    const char *record = argc > 1 ? argv[1] : "bench.json", *folder = argc > 2 ? argv[2] : ".",
               *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    if (!kernel) {
        fprintf(stderr, "bench: TEMPER_KERNEL=%s does not run here\n", wanted);
        return 2;
    }
    printf("kernel %s, one thread; best of interleaved rounds\n", kernel->name);
    if (argc < 4 || strcmp(argv[3], "train") != 0)
        bench_parts(folder);
    bench_train();
    if (!bench_save(record)) {
        perror(record);
        return 74;
    }
    printf("\nrecord: %s\n", record);
    return 0;
}
