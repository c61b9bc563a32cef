/* child_read: a process, and two pipes to it. */
#include "peers/read_process.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the new process: the pipes become its input and output. */
static void become(const int to[2], const int from[2], char *const arguments[])
{
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    for (int i = 0; i < 2; i++) {
        close(to[i]);
        close(from[i]);
    }
    execv(arguments[0], arguments);
    _exit(127);
}

int child_start(struct child *child, char *const arguments[])
{
    int to[2], from[2];
    *child = (struct child){0};
    if (pipe(to) != 0)
        return 0;
    if (pipe(from) != 0) {
        close(to[0]);
        close(to[1]);
        return 0;
    }
    fflush(NULL); /* or what is not written yet is written twice */
    pid_t process = fork();
    if (process == 0)
        become(to, from, arguments);
    close(to[0]);
    close(from[1]);
    *child = (struct child){process > 0 ? process : 0, fdopen(to[1], "w"), fdopen(from[0], "r")};
    return child->process > 0 && child->to && child->from;
}

int child_answer(struct child *child, char *answer, int size)
{
    if (!child->from || !fgets(answer, size, child->from))
        return 0;
    answer[strcspn(answer, "\n")] = '\0';
    return 1;
}

int child_ask(struct child *child, const char *line, char *answer, int size)
{
    if (!child->to || fprintf(child->to, "%s\n", line) < 0 || fflush(child->to) != 0)
        return 0;
    return child_answer(child, answer, size);
}

void child_end(struct child *child)
{
    if (child->to)
        fclose(child->to);
    if (child->from)
        fclose(child->from);
    if (child->process > 0)
        waitpid(child->process, NULL, 0);
    *child = (struct child){0};
}

void child_beside(const char *name, char *path, size_t size)
{
    char self[512];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    snprintf(path, size, "%s/%s", slash ? self : ".", name);
}
