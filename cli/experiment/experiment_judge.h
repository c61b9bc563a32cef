/* experiment_judge: what the claims about all experiments have in common. */
#ifndef CLI_EXPERIMENT_JUDGE_H
#define CLI_EXPERIMENT_JUDGE_H

#include <stddef.h>

struct draft;
struct plan;
struct records;

/* What is judged, and where the words go: two cells for each claim. */
struct judge {
    struct draft *draft;
    const struct plan *plan;
    const struct records *records;
};

/* Sentences, one behind the other; cut off when they are too many. */
struct words {
    char text[3072];
};

void words_add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "Reproduced", "Reproduced in part" or "Not reproduced". */
const char *in_part(size_t found, size_t all);

void judge_times(const struct judge *judge);
void judge_starts(const struct judge *judge);
void judge_rule(const struct judge *judge);

#endif
