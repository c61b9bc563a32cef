/* scratch: a folder of its own for a test, and files in it. */
#ifndef TEST_SCRATCH_H
#define TEST_SCRATCH_H

#include <stddef.h>

/* Makes a folder and works in it; leaving removes it with all its files. */
void scratch_enter(void);
void scratch_leave(void);
const char *scratch_folder(void);
/* How many entries the folder has. */
size_t scratch_count(void);

void scratch_write(const char *path, const void *bytes, size_t length);
/* The beginning of a file as text, valid until the next call. */
const char *scratch_text(const char *path);

/* Calls a function as a user whom permissions stop, which the superuser is not, in a process of its
 * own; what it returned (0 ... 98), or -1 where one cannot become another user. */
int scratch_unprivileged(int (*call)(const char *path), const char *path);

#endif
