/* peak_read: the most memory that reading a file takes, in a process that does nothing else.
 *
 *     peak_read FILE THREADS     prints the peak beyond what the process had before, and the size
 * of the matrix, both in bytes */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/read/read.h"
#include "temper.h"

/* A line of what the kernel says of this process, in kilobytes: VmHWM, its peak, is reset by a
 * program, which ru_maxrss does not. */
static double kilobytes(const char *name)
{
    char line[256];
    double value = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            value = strtod(line + strlen(name), NULL);
    if (file)
        fclose(file);
    return value;
}

int main(int argc, char **argv)
{
    struct dataset *data;
    temper_error error;
    if (argc != 3)
        return 2;
    const temper_read_options options = {.threads = (size_t)strtoul(argv[2], NULL, 10)};
    double before = kilobytes("VmHWM:");
    if (dataset_read(argv[1], &options, &data, &error) != TEMPER_OK) {
        fprintf(stderr, "peak_read: %s\n", error.message);
        return 1;
    }
    printf("%.0f %.0f\n", 1024 * (kilobytes("VmHWM:") - before), (double)matrix_bytes(&data->x));
    dataset_free(data);
    return 0;
}
