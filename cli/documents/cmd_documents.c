/* cmd_documents: temper documents DIR, a hidden command for the build: writes man pages and shell completions, all
 * generated from the tables of commands and options, and checks these tables. */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "documents/documents.h"
#include "message.h"
#include "options/command_line.h"
#include "output_paths.h"

enum { PATH_LENGTH = 4096 }; /* bytes, the limit of Linux */

/* An existing folder is accepted. If the path is a file, the first write into it fails with a message. */
static temper_status make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return TEMPER_OK;
    return fail(TEMPER_IO, "%s: cannot be created: %s; create its parent folder, or choose another place", path,
                strerror(errno));
}

/* "FOLDER/LAST", truncated if it is too long, which the system refuses anyway. */
static const char *path_in(const char *folder, const char *last, char path[PATH_LENGTH])
{
    snprintf(path, PATH_LENGTH, "%s/%s", folder, last);
    return path;
}

/* "man1/temper.1" for the program, "man1/temper-plot.1" for a command. */
static temper_status save_man_page(const char *folder, const struct command *command)
{
    char path[PATH_LENGTH], name[WORD_LENGTH];
    struct output_buffer buffer;
    /* man finds the page of a command as temper-COMMAND, like git's. */
    if (command_id(command) == CMD_PROGRAM)
        snprintf(name, sizeof name, "man1/temper.1");
    else
        snprintf(name, sizeof name, "man1/temper-%s.1", command->name);
    TRY(output_open(&buffer));
    man_page(buffer.stream, command);
    return output_save(&buffer, path_in(folder, name, path));
}

/* Hidden commands have no man page. */
static temper_status save_man_pages(const char *folder)
{
    for (size_t i = 0; i < CMD_COUNT; i++)
        if (!command_table[i].hidden)
            TRY(save_man_page(folder, &command_table[i]));
    return TEMPER_OK;
}

/* cmake/install.cmake knows these names. */
static const struct {
    const char *name;
    void (*write)(FILE *out);
} completions[] = {
    {"temper.bash", bash_completion},
    {"temper.zsh", zsh_completion},
    {"temper.fish", fish_completion},
};

/* One file for each shell. */
static temper_status save_completions(const char *folder)
{
    char path[PATH_LENGTH];
    struct output_buffer buffer;
    for (size_t i = 0; i < sizeof completions / sizeof *completions; i++) {
        TRY(output_open(&buffer));
        completions[i].write(buffer.stream);
        TRY(output_save(&buffer, path_in(folder, completions[i].name, path)));
    }
    return TEMPER_OK;
}

/* Invariants of the tables, which are data and so not checked by the compiler. Every build runs this command. An option
 * is found by its name and letter, with no other row of the command before it, and a default is a legal value. */
static void check_tables(void)
{
    for (size_t i = 0; i < CMD_COUNT; i++)
        assert(command_table[i].most <= OPERAND_LIMIT);
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const struct option *option = &option_table[i];
        assert(!option->standard || check_value(option, option->standard) == TEMPER_OK);
        /* A placeholder in the help means that a value follows. */
        assert((option->type == TYPE_FLAG) == (option->placeholder == NULL));
        /* The lookup must find this very row in every command that has it. */
        for (size_t j = 0; j < CMD_COUNT; j++) {
            const struct command *command = &command_table[j];
            if (!option_belongs(option, command))
                continue;
            assert(option_find(command, option->name, strlen(option->name)) == option);
            assert(!option->letter || option_find_letter(command, option->letter) == option);
        }
    }
}

/* The command. man1 is the folder name that man expects below MANPATH. */
temper_status cmd_documents(const struct arguments *arguments)
{
    char path[PATH_LENGTH];
    const char *folder = arguments->operand[0];
    check_tables(); /* first: a wrong table must not be written */
    TRY(make_folder(folder));
    TRY(make_folder(path_in(folder, "man1", path)));
    TRY(save_man_pages(folder));
    return save_completions(folder);
}
