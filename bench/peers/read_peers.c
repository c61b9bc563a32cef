/* peers_read: the ways of reading that ours is compared with. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "peers/plain_peers.h"

struct node {
    int index;
    double value;
};

/* A line of any length: fgets into a buffer that doubles until the newline is in it. */
struct buffer {
    char *line;
    int room;
};

static char *next_line(struct buffer *buffer, FILE *file)
{
    if (!fgets(buffer->line, buffer->room, file))
        return NULL;
    while (strrchr(buffer->line, '\n') == NULL) {
        buffer->room *= 2;
        buffer->line = realloc(buffer->line, (size_t)buffer->room);
        int length = (int)strlen(buffer->line);
        if (!fgets(buffer->line + length, buffer->room - length, file))
            break;
    }
    return buffer->line;
}

static size_t count_entries(FILE *file, struct buffer *buffer)
{
    size_t entries = 0;
    char *rest;
    while (next_line(buffer, file)) {
        strtok_r(buffer->line, " \t", &rest);
        for (char *token = strtok_r(NULL, " \t", &rest); token && *token != '\n'; token = strtok_r(NULL, " \t", &rest))
            entries++;
    }
    rewind(file);
    return entries;
}

/* A number, and a look at whether all of the token was one. */
static double checked_number(char *token, char **end)
{
    errno = 0;
    double value = strtod(token, end);
    return *end == token || errno != 0 || (**end != '\0' && !isspace((unsigned char)**end)) ? 0 : value;
}

static size_t read_entries(FILE *file, struct buffer *buffer, struct node *nodes)
{
    size_t entries = 0;
    char *end, *rest;
    while (next_line(buffer, file)) {
        int last = 0;
        checked_number(strtok_r(buffer->line, " \t\n", &rest), &end);
        for (;;) {
            char *index = strtok_r(NULL, ":", &rest), *value = strtok_r(NULL, " \t", &rest);
            if (!value)
                break;
            errno = 0;
            nodes[entries].index = (int)strtol(index, &end, 10);
            if (end == index || errno != 0 || *end != '\0' || nodes[entries].index <= last)
                return 0;
            last = nodes[entries].index;
            nodes[entries++].value = checked_number(value, &end);
        }
    }
    return entries;
}

size_t line_by_line(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    struct buffer buffer = {malloc(1024), 1024};
    struct node *nodes = malloc((count_entries(file, &buffer) + 1) * sizeof *nodes);
    size_t entries = nodes ? read_entries(file, &buffer, nodes) : 0;
    free(nodes);
    free(buffer.line);
    fclose(file);
    return entries;
}

size_t only_inflate(const char *path)
{
    enum { PIECE = 1 << 18 };
    gzFile file = gzopen(path, "r");
    char *bytes = malloc(PIECE);
    size_t total = 0;
    int got;
    if (!file || !bytes)
        return 0;
    gzbuffer(file, PIECE);
    while ((got = gzread(file, bytes, PIECE)) > 0)
        total += (size_t)got;
    gzclose(file);
    free(bytes);
    return total;
}
