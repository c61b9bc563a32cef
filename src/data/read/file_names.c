/* file_names: reads lists, and searches folders. */
#include "data/read/file_names.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/path.h"
#include "base/text.h"
#include "data/dist/distributed_read.h"
#include "data/quote_text.h"
#include "data/schema.h"

/* A list of a hundred thousand long names is smaller. */
static const size_t MOST_LIST_BYTES = (size_t)16 << 20;

/* ---- Which paths ------------------------------------------------------------------------------- */

static bool is_list(const char *path)
{
    return path[0] == '@';
}

static bool is_folder(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* Whether it has wildcards, and is not the name of a file. */
static bool is_pattern(const char *path)
{
    struct stat found;
    return path[strcspn(path, "*?[")] != '\0' && stat(path, &found) != 0;
}

bool names_several_files(const char *path)
{
    return is_list(path) || is_folder(path) || is_pattern(path);
}

/* ---- Names ------------------------------------------------------------------------------------- */

/* Adds the name `name` in a folder, whose path may be empty; false without memory. */
static bool add_name(struct names *names, const char *folder, size_t folder_length, const char *name)
{
    size_t length = strlen(name) + 1;
    char **grown = (char **)mem_resize((void *)names->name, names->count + 1, sizeof *grown);
    if (!grown)
        return false;
    names->name = grown;
    char *joined = mem_alloc(folder_length + length, 1);
    if (!joined)
        return false;
    memcpy(joined, folder, folder_length);
    memcpy(joined + folder_length, name, length);
    grown[names->count++] = joined;
    return true;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* ---- Lists ------------------------------------------------------------------------------------- */

/* The next name of the list, terminated within the text and without blanks around it; NULL at the end. Blank lines and
 * lines that begin with '#' are skipped. *at advances past the line. */
static char *next_name(char **at)
{
    while (**at) {
        char *line = *at + strspn(*at, " \t\r\n"), *end = line + strcspn(line, "\n");
        *at = *end ? end + 1 : end;
        /* Trailing blanks, and the \r of a list that was written on Windows. */
        while (end > line && strchr(" \t\r", end[-1]))
            end--;
        *end = '\0';
        if (*line && *line != '#')
            return line;
    }
    return NULL;
}

/* Whether the path is a pipe, a socket or a device. A list and the files that it names are opened more than once: to
 * compare them with the results, to infer columns, to read rows. A pipe gives its bytes to the first of these, and the
 * second one would wait for ever. */
static bool is_stream(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode);
}

/* Collects the names of a list. Lists within lists and the standard input are refused: the files may be read in any
 * order by several processes. Names are relative to the folder of the list, not to the working directory, unless they
 * are absolute. */
static temper_status add_lines(const char *path, char *text, struct names *out, temper_error *error)
{
    const char *slash = path_last_separator(path);
    size_t folder = slash ? (size_t)(slash + 1 - (path + 1)) : 0;
    for (char *name; (name = next_name(&text));) {
        if (name[0] == '@' || strcmp(name, "-") == 0)
            return error_set(error, TEMPER_BAD_DATA, "%s: '%.64s' is not a file; name files, one per line",
                             place_text(path).text, name);
        if (!add_name(out, path + 1, name[0] == '/' ? 0 : folder, name))
            return error_no_memory(error);
        if (is_stream(out->name[out->count - 1]))
            return error_set(error, TEMPER_BAD_DATA,
                             "%s: '%.64s' is a pipe or a device, and the files of a list are opened more than once; "
                             "copy it to a file",
                             place_text(path).text, name);
    }
    return TEMPER_OK;
}

/* Only rank 0 reads the list. */
static temper_status check_list(const char *path, const temper_comm *comm, temper_error *error)
{
    temper_status status = TEMPER_OK;
    if (comm_rank(comm) == 0 && is_stream(path + 1))
        status = error_set(error, TEMPER_BAD_DATA,
                           "%s: is a pipe or a device, and a list is opened more than once; write it to a file",
                           place_text(path).text);
    return comm_agree(comm, status, error);
}

/* Collects the names in the bytes of a list. A NUL byte within the text would hide the names after it, and such a list
 * counts as empty. */
static temper_status add_text(const char *path, const struct text *text, struct names *out, temper_error *error)
{
    /* An empty text has no terminator to search. */
    if (text->length && strlen(text->bytes) == text->length)
        TRY(add_lines(path, text->bytes, out, error));
    if (out->count > 0)
        return TEMPER_OK;
    return error_set(error, TEMPER_BAD_DATA, "%s: names no files; write a text with a file a line",
                     place_text(path).text);
}

/* Reads the list. With several processes one of them reads it and broadcasts the text, so that all agree on the files
 * even if the list changes meanwhile. */
static temper_status find_listed(const char *path, const temper_comm *comm, struct names *out, temper_error *error)
{
    const struct whole_file expected = {.most = MOST_LIST_BYTES};
    struct text text = {0};
    TRY(check_list(path, comm, error));
    temper_status status = comm_read_file(comm, path + 1, &expected, &text, error);
    if (status == TEMPER_OK)
        status = comm_agree(comm, add_text(path, &text, out, error), error);
    text_free(&text);
    return status;
}

/* ---- Folders and patterns ---------------------------------------------------------------------- */

/* Whether a name in a folder is that of data. */
static bool is_data(const char *name)
{
    return name[0] != '.' && name[0] != '_' && !path_ends_in(name, ".labels");
}

/* What is searched for: the rest of a pattern, or all data of a folder. */
struct name_search {
    const char *rest; /* NULL: the folder is to be listed */
    struct names *found;
    temper_error *error;
};

static temper_status search_part(const struct name_search *search, const char *folder);

/* A name of a folder that has matched a part of the pattern: a file at its end, a folder before. */
static temper_status take_match(const struct name_search *search, const char *folder, const char *name,
                                const char *rest)
{
    struct names one = {0};
    struct stat found;
    temper_status status = TEMPER_OK;
    if (!add_name(&one, folder, strlen(folder), name)) {
        names_free(&one);
        return error_no_memory(search->error);
    }
    bool there = stat(one.name[0], &found) == 0;
    if (there && !rest && S_ISREG(found.st_mode) && !add_name(search->found, "", 0, one.name[0]))
        status = error_no_memory(search->error);
    if (there && rest && S_ISDIR(found.st_mode)) {
        struct names deeper = {0};
        const struct name_search next = {*rest ? rest : NULL, search->found, search->error};
        status = add_name(&deeper, one.name[0], strlen(one.name[0]), "/") ? search_part(&next, deeper.name[0])
                                                                          : error_no_memory(search->error);
        names_free(&deeper);
    }
    names_free(&one);
    return status;
}

/* Searches a folder, whose path ends in '/' or is empty, for the first part of the pattern. */
static temper_status search_part(const struct name_search *search, const char *folder)
{
    char part[256] = "*";
    const char *rest = search->rest, *slash = rest ? strchr(rest, '/') : NULL;
    if (rest)
        snprintf(part, sizeof part, "%.*s", (int)(slash ? (size_t)(slash - rest) : strlen(rest)), rest);
    if (slash && part[strcspn(part, "*?[")] == '\0') /* a plain name: no need to list the folder */
        return take_match(search, folder, part, slash + 1);
    DIR *listing = opendir(*folder ? folder : ".");
    if (!listing)
        return TEMPER_OK; /* a folder that cannot be read has no matches */
    temper_status status = TEMPER_OK;
    for (struct dirent *entry; status == TEMPER_OK && (entry = readdir(listing));) {
        bool matches = rest ? fnmatch(part, entry->d_name, FNM_PERIOD) == 0 : is_data(entry->d_name);
        if (matches)
            status = take_match(search, folder, entry->d_name, slash ? slash + 1 : NULL);
    }
    closedir(listing);
    return status;
}

/* All files of a folder. */
static temper_status find_in_folder(const char *path, struct names *out, temper_error *error)
{
    struct names folder = {0};
    size_t length = strlen(path);
    const struct name_search all = {NULL, out, error};
    DIR *listing = opendir(path);
    if (!listing) {
        char cause[CAUSE_LENGTH];
        return error_set(error, TEMPER_IO, "%s: the folder cannot be read: %s; check the permissions",
                         place_text(path).text, cause_shown(errno, cause));
    }
    closedir(listing);
    bool slash = length > 0 && path[length - 1] == '/';
    temper_status status =
        add_name(&folder, path, length, slash ? "" : "/") ? search_part(&all, folder.name[0]) : error_no_memory(error);
    names_free(&folder);
    if (status == TEMPER_OK && out->count == 0)
        status =
            error_set(error, TEMPER_NO_INPUT, "%s: the folder has no files; give one with data", place_text(path).text);
    return status;
}

static temper_status find_matches(const char *path, struct names *out, temper_error *error)
{
    const struct name_search search = {path[0] == '/' ? path + 1 : path, out, error};
    TRY(search_part(&search, path[0] == '/' ? "/" : ""));
    if (out->count == 0)
        return error_set(error, TEMPER_NO_INPUT, "%s: no file has a name of this pattern; check it",
                         place_text(path).text);
    return TEMPER_OK;
}

temper_status file_names_find(const char *path, const temper_comm *comm, struct names *out, temper_error *error)
{
    struct names found = {0};
    temper_status status = is_list(path)     ? find_listed(path, comm, &found, error)
                           : is_folder(path) ? find_in_folder(path, &found, error)
                                             : find_matches(path, &found, error);
    if (status != TEMPER_OK) {
        names_free(&found);
        return status;
    }
    if (!is_list(path) && found.name)
        qsort((void *)found.name, found.count, sizeof *found.name, compare_names);
    *out = found;
    return TEMPER_OK;
}
