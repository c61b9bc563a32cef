/* memory_stream: a stream whose bytes are collected in memory. */
#ifndef CLI_MEMORY_STREAM_H
#define CLI_MEMORY_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* NULL without memory. *bytes and *length are set by memory_stream_close. */
FILE *memory_stream_open(char **bytes, size_t *length);

/* Closes the stream; *bytes, of *length, is then the caller's to free(), also on failure. False if not all bytes could
 * be kept. */
bool memory_stream_close(FILE *stream, char **bytes, size_t *length);

#endif
