/* nearest: guesses at what was meant by a name that does not exist. */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

#include <stddef.h>

/* Start from {.wanted = what was typed} and offer every name that there is. */
struct nearest {
    const char *wanted;
    const char *name; /* the nearest so far, or NULL if none is near */
    size_t distance;
};
void nearest_offer(struct nearest *nearest, const char *name);

#endif
