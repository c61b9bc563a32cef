/* api_core: version, memory and options shared by all public calls; files and numbers as text. */
#include <assert.h>
#include <string.h>

#include "api/api_internal.h"
#include "base/atomic_file.h"
#include "base/memory.h"
#include "base/number.h"
#include "kernel/dispatch/kernel.h"

#define TEXT_OF(x) #x
#define VERSION(x) TEXT_OF(x)

/* "MAJOR.MINOR.PATCH", a constant of the compiled library. */
const char *temper_version(void)
{
    return VERSION(TEMPER_VERSION_MAJOR) "." VERSION(TEMPER_VERSION_MINOR) "." VERSION(TEMPER_VERSION_PATCH);
}

/* Chosen by the CPU or by $TEMPER_KERNEL; NULL if that names kernels which this machine cannot run. */
const char *temper_kernel_name(void)
{
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    return kernel ? kernel->name : NULL;
}

/* ---- Memory that the caller owns --------------------------------------------------------------------------------- */

/* For arrays that public functions return. A program must not pass them to its own free(): on some systems library and
 * program have different heaps. */
void temper_free(void *block)
{
    mem_free(block);
}

/* Resets the fields, so that freeing twice is harmless. */
void temper_text_free(temper_text *text)
{
    if (!text)
        return;
    mem_free(text->bytes);
    *text = (temper_text){0};
}

/* Passes ownership of the bytes to the caller if `status` is TEMPER_OK and no append ran out of memory; else frees them
 * and leaves *out untouched. */
temper_status api_publish_text(struct text *made, temper_status status, temper_text *out, temper_error *error)
{
    if (status == TEMPER_OK && made->failed)
        status = error_no_memory(error);
    if (status == TEMPER_OK)
        *out = (temper_text){made->bytes, made->length};
    else
        text_free(made);
    return status;
}

/* ---- Options of earlier versions --------------------------------------------------------------------------------- */

/* Anything below the size field itself was never set by temper_*_defaults(). */
static temper_status check_size(size_t given, size_t known, const char *name, temper_error *error)
{
    if (given < sizeof(size_t))
        return error_set(error, TEMPER_USAGE, "temper_%s_options has struct_size %zu; begin with temper_%s_defaults()",
                         name, given, name);
    if (given > known)
        return error_set(error, TEMPER_USAGE,
                         "temper_%s_options has struct_size %zu, and this library knows %zu bytes; link the version "
                         "of temper that the header belongs to",
                         name, given, known);
    return TEMPER_OK;
}

/* Completes options from a program that was compiled with an earlier header: `full` has the defaults of this version on
 * entry, and the fields that the caller knows, the first struct_size bytes, overwrite them. New fields are only ever
 * added at the end. `given` NULL: all defaults. */
temper_status api_options(void *full, size_t full_size, const void *given, const char *name, temper_error *error)
{
    size_t size;
    if (!given)
        return TEMPER_OK;
    memcpy(&size, given, sizeof size);
    TRY(check_size(size, full_size, name, error));
    memcpy(full, given, size);
    /* Layers below see the current layout only. */
    memcpy(full, &full_size, sizeof full_size);
    return TEMPER_OK;
}

temper_status api_read_options(temper_read_options *full, const temper_read_options *given, temper_error *error)
{
    *full = temper_read_defaults();
    return api_options(full, sizeof *full, given, "read", error);
}

temper_status api_train_options(temper_train_options *full, const temper_train_options *given, temper_error *error)
{
    *full = temper_train_defaults();
    return api_options(full, sizeof *full, given, "train", error);
}

/* Where pointers have 32 bits, there is padding between struct_size and the train options, which contain doubles. */
static_assert(offsetof(temper_tune_options, train) == offsetof(temper_audit_options, train),
              "api_nested_options is for both");

/* The same for structs whose second field is temper_train_options, which may have grown too: head, train options and
 * the remaining fields are copied one after the other, each to its place in the current layout. */
temper_status api_nested_options(void *full, size_t full_size, const void *given, const char *name, temper_error *error)
{
    const size_t head = offsetof(temper_tune_options, train), known = sizeof(temper_train_options);
    size_t size, inner;
    if (!given)
        return TEMPER_OK;
    memcpy(&size, given, sizeof size);
    TRY(check_size(size, full_size, name, error));
    if (size < head + sizeof inner) /* a struct that ends before its second field */
        return TEMPER_OK;
    const char *train = (const char *)given + head;
    memcpy(&inner, train, sizeof inner);
    TRY(api_options((char *)full + head, known, train, "train", error));
    if (size < head + inner || size - inner > full_size - known)
        return error_set(error, TEMPER_USAGE,
                         "temper_%s_options has struct_size %zu, too %s for its train options; "
                         "begin with temper_%s_defaults()",
                         name, size, size < head + inner ? "small" : "large", name);
    /* The remaining fields begin after the train options as the caller knows them. */
    memcpy((char *)full + head + known, train + inner, size - head - inner);
    return TEMPER_OK;
}

/* ---- Files and numbers ------------------------------------------------------------------------------------------- */

/* An empty name would fail later with a message of the operating system about the folder. */
static temper_status check_path(const char *path, temper_error *error)
{
    if (path && path[0] != '\0')
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE, "the name of the file is empty; give one");
}

/* Atomic: the old file is replaced when the new one is complete on the disk. */
temper_status temper_file_save(const char *path, const char *bytes, size_t length, temper_error *error)
{
    TRY(check_path(path, error));
    if (!bytes && length > 0)
        return error_set(error, TEMPER_USAGE, "%s: there are no bytes to save; give some", path);
    return atomic_file_save(path, bytes, length, error);
}

/* Opens a temporary file beside `path`; `path` itself changes only by temper_file_commit. */
temper_status temper_file_open(const char *path, temper_file **file, temper_error *error)
{
    struct atomic_file *opened;
    TRY(check_path(path, error));
    TRY(atomic_file_open(path, &opened, error));
    *file = (temper_file *)opened;
    return TEMPER_OK;
}

/* Appends to the temporary file. */
temper_status temper_file_write(temper_file *file, const char *bytes, size_t length, temper_error *error)
{
    if (!bytes && length > 0)
        return error_set(error, TEMPER_USAGE, "there are no bytes to write; give some");
    return atomic_file_write((struct atomic_file *)file, bytes, length, error);
}

/* Flushes to the disk and renames: readers see the old file or the complete new one. Frees `file` in both cases. */
temper_status temper_file_commit(temper_file *file, temper_error *error)
{
    return atomic_file_commit((struct atomic_file *)file, error);
}

/* Removes the temporary file; `path` is as it was. */
void temper_file_discard(temper_file *file)
{
    atomic_file_drop((struct atomic_file *)file);
}

_Static_assert(TEMPER_NUMBER_LENGTH == NUMBER_LENGTH, "the public and the internal buffer for a number are equal");

/* The shortest decimal text that reads back as the same double, with a point in every locale. Returns its length. */
size_t temper_format_number(double number, char text[TEMPER_NUMBER_LENGTH])
{
    return number_write_f64(number, text);
}
