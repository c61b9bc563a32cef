/* api_core: version, memory and options shared by all public calls; files and numbers as text. */
#include <string.h>

#include "api/api_internal.h"
#include "base/atomic_file.h"
#include "base/memory.h"
#include "base/number.h"
#include "kernel/dispatch/kernel.h"

#define TEXT_OF(x) #x
#define VERSION(x) TEXT_OF(x)

const char *temper_version(void)
{
    return VERSION(TEMPER_VERSION_MAJOR) "." VERSION(TEMPER_VERSION_MINOR) "." VERSION(TEMPER_VERSION_PATCH);
}

const char *temper_kernel_name(void)
{
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    return kernel ? kernel->name : NULL;
}

/* ---- Memory that the caller owns --------------------------------------------------------------------------------- */

void temper_free(void *block)
{
    mem_free(block);
}

void temper_text_free(temper_text *text)
{
    if (!text)
        return;
    mem_free(text->bytes);
    *text = (temper_text){0};
}

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

temper_status api_options(void *full, size_t full_size, const void *given, const char *name, temper_error *error)
{
    size_t size;
    if (!given)
        return TEMPER_OK;
    memcpy(&size, given, sizeof size);
    TRY(check_size(size, full_size, name, error));
    memcpy(full, given, size);
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

temper_status api_nested_options(void *full, size_t full_size, const void *given, const char *name, temper_error *error)
{
    const size_t head = sizeof(size_t), known = sizeof(temper_train_options);
    size_t size, inner;
    if (!given)
        return TEMPER_OK;
    memcpy(&size, given, sizeof size);
    TRY(check_size(size, full_size, name, error));
    if (size < 2 * head) /* a struct that ends before its second field */
        return TEMPER_OK;
    const char *train = (const char *)given + head;
    memcpy(&inner, train, sizeof inner);
    TRY(api_options((char *)full + head, known, train, "train", error));
    if (size < head + inner || size - inner > full_size - known)
        return error_set(error, TEMPER_USAGE,
                         "temper_%s_options has struct_size %zu, too %s for its train options; "
                         "begin with temper_%s_defaults()",
                         name, size, size < head + inner ? "small" : "large", name);
    memcpy((char *)full + head + known, train + inner, size - head - inner);
    return TEMPER_OK;
}

/* ---- Files and numbers ------------------------------------------------------------------------------------------- */

static temper_status check_path(const char *path, temper_error *error)
{
    if (path && path[0] != '\0')
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE, "the name of the file is empty; give one");
}

temper_status temper_file_save(const char *path, const char *bytes, size_t length, temper_error *error)
{
    TRY(check_path(path, error));
    if (!bytes && length > 0)
        return error_set(error, TEMPER_USAGE, "%s: there are no bytes to save; give some", path);
    return atomic_file_save(path, bytes, length, error);
}

temper_status temper_file_open(const char *path, temper_file **file, temper_error *error)
{
    struct atomic_file *opened;
    TRY(check_path(path, error));
    TRY(atomic_file_open(path, &opened, error));
    *file = (temper_file *)opened;
    return TEMPER_OK;
}

temper_status temper_file_write(temper_file *file, const char *bytes, size_t length, temper_error *error)
{
    if (!bytes && length > 0)
        return error_set(error, TEMPER_USAGE, "there are no bytes to write; give some");
    return atomic_file_write((struct atomic_file *)file, bytes, length, error);
}

temper_status temper_file_commit(temper_file *file, temper_error *error)
{
    return atomic_file_commit((struct atomic_file *)file, error);
}

void temper_file_discard(temper_file *file)
{
    atomic_file_drop((struct atomic_file *)file);
}

_Static_assert(TEMPER_NUMBER_LENGTH == NUMBER_LENGTH, "the public and the internal buffer for a number are equal");

size_t temper_format_number(double number, char text[TEMPER_NUMBER_LENGTH])
{
    return number_write_f64(number, text);
}
