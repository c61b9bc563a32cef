/* experiment_data: reads the paper's data sets from their official files, plain or compressed, and selects the two
 * classes of each. Instance noise also needs rows of other classes, the pool.
 *
 * A data set has alternative lists of file names, of which the first complete one is used, so that downloads from
 * different sources work. Most sets are files with all classes, of which the reader keeps two; some have a file for
 * each class, of which the two largest are taken unless others are named. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "experiment/experiment.h"
#include "message.h"
#include "temper_extra.h"

/* Paths of the files of one data set; the strings are owned. */
struct data_files {
    char *path[FILES_MOST];
    size_t count;
};

/* Leaves an empty list, so that another alternative of names can be tried. */
static void data_files_free(struct data_files *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->path[i]);
    list->count = 0;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* DATA/FOLDER/NAME with an ending, or DATA/FOLDER for an empty name; to be freed; NULL without memory. */
static char *join_path(const char *data, const char *folder, const char *name, const char *ending)
{
    /* Two separators and the terminating zero. */
    size_t size = strlen(data) + strlen(folder) + strlen(name) + strlen(ending) + 3;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s%s%s%s", data, folder, *name ? "/" : "", name, ending);
    return path;
}

/* Links and devices count: only directories cannot be read. */
static bool is_file(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && !S_ISDIR(there.st_mode);
}

/* The path of the file itself or of a compressed one, to be freed; NULL if there is none (or no memory). */
static char *find_file(const char *data, const char *folder, const char *name)
{
    static const char *const endings[] = {"", ".gz", ".zst"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *path = join_path(data, folder, name, endings[i]);
        if (path && is_file(path))
            return path;
        free(path);
    }
    return NULL;
}

/* For qsort of paths; bytes are compared, so the order is that of every locale. */
static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* All files with the ending, compressed or not. They are sorted by name because readdir has no fixed order, and the
 * order of rows must be the same on every machine. */
static bool find_all(const struct paper_data *source, const char *data, const char *ending, struct data_files *list)
{
    /* An absent folder is like one without matching files. */
    char *folder = join_path(data, source->folder, "", "");
    DIR *open = folder ? opendir(folder) : NULL;
    const struct dirent *entry;
    free(folder);
    while (open && (entry = readdir(open)) != NULL && list->count < FILES_MOST) {
        char plain[256];
        snprintf(plain, sizeof plain, "%s", entry->d_name); /* the name without the ending of the compression */
        if (path_ends_in(plain, ".gz"))
            plain[strlen(plain) - 3] = '\0';
        else if (path_ends_in(plain, ".zst"))
            plain[strlen(plain) - 4] = '\0';
        char *path = path_ends_in(plain, ending) ? join_path(data, source->folder, entry->d_name, "") : NULL;
        if (path)
            list->path[list->count++] = path;
    }
    if (open)
        closedir(open);
    qsort((void *)list->path, list->count, sizeof *list->path, by_name);
    return list->count > 0;
}

/* Finds all names of a blank-separated list, or "*ENDING"; an incomplete list counts as absent and leaves `list` empty.
 * */
static bool find_list(const struct paper_data *source, const char *data, const char *names, struct data_files *list)
{
    char word[WORD_LENGTH];
    if (*names == '*')
        return find_all(source, data, names + 1, list);
    for (const char *rest = names; rest;) {
        next_word(&rest, ' ', word);
        char *path = find_file(data, source->folder, word);
        if (!path) {
            data_files_free(list);
            return false;
        }
        list->path[list->count++] = path;
    }
    return true;
}

/* Tries the alternative lists of the data set in order; the first complete one is used. */
static bool find_files(const struct paper_data *source, const char *data, struct data_files *list)
{
    list->count = 0;
    for (size_t i = 0; i < sizeof source->files / sizeof *source->files && source->files[i]; i++)
        if (find_list(source, data, source->files[i], list))
            return true;
    return false;
}

/* Only looks for files; does not read them. */
bool data_is_there(const struct paper_data *source, const char *folder)
{
    struct data_files list;
    bool found = find_files(source, folder, &list);
    data_files_free(&list);
    return found;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Appends `more` to *whole, which may be NULL; takes ownership of `more`, also on failure. Both copies are in memory
 * for a moment. */
static temper_status append(temper_data **whole, temper_data *more)
{
    temper_data *joined;
    temper_error error;
    if (!*whole) {
        *whole = more;
        return TEMPER_OK;
    }
    temper_status status = temper_data_concat(*whole, more, &joined, &error);
    temper_data_free(more);
    if (status != TEMPER_OK)
        return fail_with(&error);
    temper_data_free(*whole);
    *whole = joined;
    return TEMPER_OK;
}

/* Reads one file. libsvm files do not state the number of columns, and a test file may lack the highest ones: later
 * files get the columns of the first. */
static temper_status read_file(const char *path, const temper_read_options *options, const temper_data *like,
                               temper_data **data)
{
    temper_error error;
    bool sparse = options->format && strcmp(options->format, "libsvm") == 0;
    temper_status status = like && sparse ? temper_data_read_like(like, path, options, data, &error)
                                          : temper_data_read(path, options, data, &error);
    return status == TEMPER_OK ? TEMPER_OK : fail_with(&error);
}

/* The rows of some classes ("A,B"; "" or NULL: all) of all files, in the order of the list. Later files are read with
 * the columns of the first, so that the same text is the same feature in all of them. */
static temper_status read_files(const struct data_files *list, temper_read_options options, const char *classes,
                                temper_data **out)
{
    temper_data *whole = NULL;
    temper_status status = TEMPER_OK;
    options.classes = classes && *classes ? classes : NULL; /* the reader drops other rows while it parses */
    for (size_t i = 0; status == TEMPER_OK && i < list->count; i++) {
        temper_data *part = NULL;
        status = read_file(list->path[i], &options, whole, &part);
        if (status == TEMPER_OK)
            status = append(&whole, part);
    }
    if (status != TEMPER_OK) {
        temper_data_free(whole);
        return status;
    }
    *out = whole;
    return TEMPER_OK;
}

/* ---- A file for each class ------------------------------------------------------------------- */

/* Whether a comma-separated list has this class. */
static bool is_named(const char *classes, const char *name)
{
    char word[WORD_LENGTH];
    for (const char *rest = classes; rest;) {
        next_word(&rest, ',', word);
        if (strcmp(word, name) == 0)
            return true;
    }
    return false;
}

/* Selection among files of one class each: the two wanted classes, and a pool of others. Files are added one at a time,
 * so that at most the two largest and the pool are in memory, not all fonts. */
struct class_files_choice {
    temper_data *pair[2]; /* the larger one first */
    temper_data *pool;    /* rows of other classes, or NULL */
    bool want_pool;
};

/* Adds the rows to the pool, or frees them. The pool is limited to about twice the rows of the data, of which each can
 * be replaced once; more would only cost memory. */
static temper_status choice_pool(struct class_files_choice *choice, temper_data *data)
{
    size_t wanted = 0;
    for (size_t i = 0; i < 2; i++)
        wanted += choice->pair[i] ? temper_data_rows(choice->pair[i]) : 0;
    if (!choice->want_pool || (choice->pool && temper_data_rows(choice->pool) > 2 * wanted)) {
        temper_data_free(data);
        return TEMPER_OK;
    }
    return append(&choice->pool, data);
}

/* Adds the rows of a file; takes ownership. Insertion into a sorted list of two: keeps the two largest of the wanted
 * classes (NULL: of all) in `pair`, and passes a displaced class on to the pool. */
static temper_status choice_add(struct class_files_choice *choice, const char *classes, temper_data *data)
{
    bool wanted = !classes || is_named(classes, temper_data_class_name(data, 0));
    for (size_t i = 0; wanted && i < 2; i++) {
        temper_data *here = choice->pair[i];
        if (here && temper_data_rows(here) >= temper_data_rows(data))
            continue;
        choice->pair[i] = data; /* the smaller one moves to the next place */
        data = here;
        if (!data)
            return TEMPER_OK;
    }
    return choice_pool(choice, data);
}

/* Joins the pair and passes pair and pool to `loaded`; what was passed is no longer in `choice`. */
static temper_status choice_finish(struct class_files_choice *choice, const struct paper_data *source,
                                   struct loaded_data *loaded)
{
    temper_status status;
    if (!choice->pair[0] || !choice->pair[1])
        return fail(TEMPER_NO_INPUT,
                    "%s: fewer than two of the wanted classes are there; give --classes A,B "
                    "with names of files, without their ending",
                    source->name);
    /* Takes ownership of the second class. */
    status = append(&choice->pair[0], choice->pair[1]);
    choice->pair[1] = NULL;
    if (status != TEMPER_OK)
        return status;
    *loaded = (struct loaded_data){choice->pair[0], choice->pool};
    choice->pair[0] = choice->pool = NULL;
    return TEMPER_OK;
}

/* Reads all files one after the other into `choice`, which the caller frees in any case. */
static temper_status read_choice(const struct paper_data *source, const struct data_files *list,
                                 const temper_read_options *options, struct class_files_choice *choice,
                                 const char *classes)
{
    temper_status status = TEMPER_OK;
    for (size_t i = 0; status == TEMPER_OK && i < list->count; i++) {
        temper_data *data = NULL;
        status = read_file(list->path[i], options, NULL, &data);
        /* The selection by files is valid only if a file is a class. */
        size_t classes_here = status == TEMPER_OK ? temper_data_classes(data) : 1;
        if (classes_here != 1) {
            temper_data_free(data);
            return fail(TEMPER_BAD_DATA,
                        "%s: has %zu classes where %s has a file for each; give the official "
                        "files",
                        list->path[i], classes_here, source->name);
        }
        if (status == TEMPER_OK)
            status = choice_add(choice, classes, data);
    }
    return status;
}

/* Data sets with a file for each class, such as the fonts. The class of a row is the file that it comes from; files of
 * other classes become the pool of instance noise. */
static temper_status read_one_class(const struct paper_data *source, const struct data_files *list,
                                    const struct data_request *how, struct loaded_data *loaded)
{
    struct class_files_choice choice = {.want_pool = how->pool};
    temper_read_options options = source->read;
    options.struct_size = sizeof options;
    options.threads = how->threads;
    temper_status status = read_choice(source, list, &options, &choice, how->classes);
    if (status == TEMPER_OK)
        status = choice_finish(&choice, source, loaded);
    temper_data_free(choice.pair[0]);
    temper_data_free(choice.pair[1]);
    temper_data_free(choice.pool);
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Reads all classes as the pool; the noise selects rows of classes that the data does not have. Without such classes
 * there is no pool. */
static temper_status read_pool(const struct data_files *list, const temper_read_options *options,
                               struct loaded_data *loaded)
{
    temper_data *pool = NULL;
    temper_status status = read_files(list, *options, NULL, &pool);
    if (status != TEMPER_OK)
        return status;
    /* As many classes as the data: the files hold no others. */
    if (temper_data_classes(pool) <= temper_data_classes(loaded->data)) {
        temper_data_free(pool);
        return TEMPER_OK;
    }
    loaded->pool = pool;
    return TEMPER_OK;
}

/* Reads the data of the list by the method of the data set. *loaded is set on success only. */
static temper_status read_found(const struct paper_data *source, const struct data_files *list,
                                const struct data_request *how, struct loaded_data *loaded)
{
    temper_read_options options = source->read;
    options.struct_size = sizeof options;
    struct loaded_data read = {NULL, NULL};
    if (source->one_class)
        return read_one_class(source, list, how, loaded);
    options.threads = how->threads;
    temper_status status = read_files(list, options, how->classes ? how->classes : source->classes, &read.data);
    if (status == TEMPER_OK && how->pool)
        status = read_pool(list, &options, &read);
    if (status != TEMPER_OK) {
        loaded_free(&read);
        return status;
    }
    *loaded = read;
    return TEMPER_OK;
}

/* Finds the files, then reads them; the message for absent files names the remedy. */
temper_status data_read(const struct paper_data *source, const struct data_request *options, struct loaded_data *loaded)
{
    struct data_files list;
    if (!find_files(source, options->folder, &list))
        return fail(TEMPER_NO_INPUT,
                    "%s/%s: the files of %s are not there (%s); get them by tools/fetch-data, "
                    "or give their folder by --data",
                    options->folder, source->folder, source->name, source->files[0]);
    temper_status status = read_found(source, &list, options, loaded);
    data_files_free(&list);
    return status;
}

/* Valid for zeros and after a previous call. */
void loaded_free(struct loaded_data *loaded)
{
    temper_data_free(loaded->data);
    temper_data_free(loaded->pool);
    *loaded = (struct loaded_data){NULL, NULL};
}
