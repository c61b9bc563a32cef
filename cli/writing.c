/* writing: what is written is checked before anything is read. */
#include "writing.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "message.h"
#include "team.h"

char *joined(const char *first, const char *second)
{
    size_t size = strlen(first) + strlen(second) + 1;
    char *both = malloc(size);
    if (both)
        snprintf(both, size, "%s%s", first, second);
    else
        complain_no_memory();
    return both;
}

static bool is_stream(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

temper_status name_model(const struct arguments *arguments, char **path)
{
    const char *given = text_of(arguments, OPT_TRAIN_MODEL), *data = arguments->operand[0];
    const char *command = arguments->command->name;
    data += data[0] == '@'; /* a list of files has the name of the list */
    if (!given && strcmp(data, "-") == 0)
        return complain(TEMPER_USAGE,
                        "%s: the standard input has no name that the model could have; give one "
                        "by -m",
                        command);
    if (given && is_stream(given))
        return complain(TEMPER_USAGE, "%s: the standard output has the report; give a file to -m", command);
    *path = joined(given ? given : data, given ? "" : ".temper");
    return *path ? TEMPER_OK : TEMPER_NO_MEMORY;
}

bool is_file(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && S_ISREG(there.st_mode);
}

/* Devices are nobody's only copy. */
static bool same_file(const char *a, const char *b)
{
    struct stat first, second;
    return a && b && stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* What is read must not be what is written. */
static temper_status check_not_input(const struct arguments *arguments, const char *written)
{
    const char *data = arguments->operand[0];
    const char *list = data && data[0] == '@' ? data + 1 : NULL;
    const char *const inputs[] = {data,
                                  list,
                                  text_of(arguments, OPT_VALID),
                                  text_of(arguments, OPT_LABELS),
                                  text_of(arguments, OPT_WEIGHTS),
                                  text_of(arguments, OPT_TRUSTED)};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (same_file(written, inputs[i]))
            return complain(TEMPER_USAGE,
                            "%s: %s is read, and would be written over; choose another name for "
                            "the result",
                            arguments->command->name, written);
    return TEMPER_OK;
}

/* To open a pipe would begin a conversation with its reader. */
static temper_status check_writable(const char *path)
{
    struct stat there;
    temper_file *file;
    temper_error error;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
        return TEMPER_OK;
    if (temper_file_open(path, &file, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_file_drop(file);
    return TEMPER_OK;
}

temper_status check_target(const struct arguments *arguments, const char *path)
{
    temper_status status = check_not_input(arguments, path);
    if (status == TEMPER_OK && team_is_first())
        status = check_writable(path);
    return team_agree(status);
}

temper_status check_targets(const struct arguments *arguments, const char *model, const char *checkpoint)
{
    temper_status status = check_not_input(arguments, model);
    if (status == TEMPER_OK && checkpoint)
        status = check_not_input(arguments, checkpoint);
    if (status == TEMPER_OK && checkpoint && (strcmp(checkpoint, model) == 0 || same_file(checkpoint, model)))
        return complain(TEMPER_USAGE,
                        "%s: the checkpoint cannot be the model itself; give --checkpoint another "
                        "file",
                        arguments->command->name);
    if (status == TEMPER_OK && team_is_first())
        status = check_writable(model);
    if (status == TEMPER_OK && checkpoint && team_is_first())
        status = check_writable(checkpoint);
    return team_agree(status);
}
