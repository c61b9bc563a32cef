/* output_paths: text is made in memory, then written at once, so that a failure is seen and reported. */
#ifndef CLI_OUTPUT_PATHS_H
#define CLI_OUTPUT_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "options/options.h"
#include "temper.h"

/* A page in the making: write to `stream`, then finish it in one of the ways below. */
struct page {
    FILE *stream;
    char *bytes;
    size_t length;
};

/* Nothing to free on failure, which has been complained about. */
temper_status page_open(struct page *page);
/* What was written is in `bytes`, for the caller to free; nothing to free on failure, which has
 * been complained about. */
temper_status page_close(struct page *page);
/* Each frees the page; of one that could not be opened they say so once more. */
temper_status page_print(struct page *page);
temper_status page_print_as_message(struct page *page); /* to the standard error */
temper_status page_save(struct page *page, const char *path);

/* "-" is the standard output; if its reader has gone, that is no failure to be told. */
temper_status output_write(const char *path, const char *bytes, size_t length);
/* The same for what the library has failed to write. */
temper_status output_failed(const char *path, const temper_error *error);
/* Whether what is written there fills somebody's screen. */
bool output_is_terminal(const char *path);

/* Before anything else: no signal where an error can be reported, and no file in the place of a
 * standard stream that the caller has closed. */
void output_prepare(void);

/* DATA.temper, or what -m asks for; to be freed. What is wrong has been complained about. */
temper_status name_model(const struct arguments *arguments, char **path);

/* Whether model and checkpoint (or NULL) can be written, and are nothing that is read: better now
 * than after hours. */
temper_status check_targets(const struct arguments *arguments, const char *model, const char *checkpoint);
/* The same for one more file. */
temper_status check_target(const struct arguments *arguments, const char *path);

/* Whether there is a file of that name, which a result would replace. */
bool is_file(const char *path);

/* The two texts as one, to be freed; NULL, and complained, if there is no memory. */
char *joined(const char *first, const char *second);

#endif
