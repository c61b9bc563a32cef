/* arm_faults: arms fault_injection.h from the environment before main, for the program temper-faults.
 *
 * TEMPER_FAULT is a kind of call and a number, "allocation 17"; 0 only counts. TEMPER_FAULT_REPORT names a file that
 * gets "COUNT FIRED" when the program exits: how many calls of the kind there were, and whether one has failed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/fault_injection.h"

static const struct {
    const char *name;
    void (*arm)(size_t n);
} kinds[] = {
    {"allocation", fault_arm}, {"thread", fault_arm_threads}, {"file", fault_arm_files},
    {"read", fault_arm_reads}, {"map", fault_arm_maps},
};

static void report_faults(void)
{
    const char *path = getenv("TEMPER_FAULT_REPORT");
    fault_disarm();
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%zu %d\n", fault_count(), fault_fired() ? 1 : 0);
    fclose(file);
}

__attribute__((constructor)) static void arm_from_environment(void)
{
    const char *text = getenv("TEMPER_FAULT");
    const char *blank = text ? strchr(text, ' ') : NULL;
    if (!blank)
        return;
    size_t n = strtoull(blank, NULL, 10);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].name) == (size_t)(blank - text) &&
            strncmp(text, kinds[i].name, (size_t)(blank - text)) == 0) {
            atexit(report_faults);
            kinds[i].arm(n > 0 ? n : (size_t)-1);
            return;
        }
    fprintf(stderr, "TEMPER_FAULT: unknown kind '%s'\n", text);
    exit(2);
}
