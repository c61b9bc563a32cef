/* cmd_documents: temper documents DIR, for the build. */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "documents/documents.h"
#include "message.h"
#include "options/options.h"
#include "output_paths.h"

enum { PATH_LENGTH = 4096 };

/* One that is there already will do; if it is a file, the next step says so. */
static temper_status make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return TEMPER_OK;
    return complain(TEMPER_IO, "%s: cannot be made: %s; make its parent folder, or choose another place", path,
                    strerror(errno));
}

/* "FOLDER/LAST", cut where it is too long: the system will refuse that by itself. */
static const char *path_in(const char *folder, const char *last, char path[PATH_LENGTH])
{
    snprintf(path, PATH_LENGTH, "%s/%s", folder, last);
    return path;
}

/* "man1/temper.1" for the program, "man1/temper-plot.1" for a command. */
static temper_status save_man_page(const char *folder, const struct command *command)
{
    char path[PATH_LENGTH], name[WORD_LENGTH];
    struct page page;
    if (command_id(command) == CMD_PROGRAM)
        snprintf(name, sizeof name, "man1/temper.1");
    else
        snprintf(name, sizeof name, "man1/temper-%s.1", command->name);
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    man_page(page.stream, command);
    return page_save(&page, path_in(folder, name, path));
}

/* Hidden commands have none: who builds the program reads its source. */
static temper_status save_man_pages(const char *folder)
{
    temper_status status = TEMPER_OK;
    for (size_t i = 0; i < CMD_COUNT && status == TEMPER_OK; i++)
        if (!command_table[i].hidden)
            status = save_man_page(folder, &command_table[i]);
    return status;
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

static temper_status save_completions(const char *folder)
{
    char path[PATH_LENGTH];
    struct page page;
    for (size_t i = 0; i < sizeof completions / sizeof *completions; i++) {
        temper_status status = page_open(&page);
        if (status != TEMPER_OK)
            return status;
        completions[i].write(page.stream);
        status = page_save(&page, path_in(folder, completions[i].name, path));
        if (status != TEMPER_OK)
            return status;
    }
    return TEMPER_OK;
}

/* Here, where the build passes by, the tables themselves are checked: a name or a letter finds its
 * own row, and a default is a legal value. */
static void check_tables(void)
{
    for (size_t i = 0; i < CMD_COUNT; i++)
        assert(command_table[i].most <= OPERAND_LIMIT);
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const struct option *option = &option_table[i];
        assert(!option->standard || check_value(option, option->standard) == TEMPER_OK);
        assert((option->type == TYPE_FLAG) == (option->placeholder == NULL));
        for (size_t j = 0; j < CMD_COUNT; j++) {
            const struct command *command = &command_table[j];
            if (!option_belongs(option, command))
                continue;
            assert(option_find(command, option->name, strlen(option->name)) == option);
            assert(!option->letter || option_find_letter(command, option->letter) == option);
        }
    }
}

temper_status cmd_documents(const struct arguments *arguments)
{
    char path[PATH_LENGTH];
    const char *folder = arguments->operand[0];
    check_tables();
    temper_status status = make_folder(folder);
    if (status == TEMPER_OK)
        status = make_folder(path_in(folder, "man1", path));
    if (status == TEMPER_OK)
        status = save_man_pages(folder);
    if (status == TEMPER_OK)
        status = save_completions(folder);
    return status;
}
