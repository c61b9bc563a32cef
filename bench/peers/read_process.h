/* child_read: programs that the bench starts, and talks to line by line. */
#ifndef CHILD_READ_H
#define CHILD_READ_H

#include <stdio.h>
#include <sys/types.h>

struct child {
    pid_t process; /* 0: none */
    FILE *to, *from;
};

/* Starts a program; its last argument is NULL. False where it cannot even be tried. */
int child_start(struct child *child, char *const arguments[]);
/* Its next line, without the newline, into `answer`; false at its end. */
int child_answer(struct child *child, char *answer, int size);
/* Says a line and waits for one. */
int child_ask(struct child *child, const char *line, char *answer, int size);
/* Closes what it reads from, and waits for it. */
void child_end(struct child *child);

/* A program in the folder of this one. */
void child_beside(const char *name, char *path, size_t size);

#endif
