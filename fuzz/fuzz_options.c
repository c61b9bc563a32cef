/* Any words on the command line: they parse, or are refused with advice; nothing is run. */
#include <stdarg.h>
#include <stdbool.h>

#include "bytes.h"
#include "message.h"
#include "options/command_line.h"

/* Most words of a command line, and bytes of all of them together. */
enum { WORDS = 16, BYTES = 1024 };

/* ---- In the place of cli/message.c: nothing is printed, and every message is looked at ------- */

/* Error messages since the last reset. */
static size_t complaints;

/* Every message has advice; messages that were truncated by the buffer are exempt. */
static void look_at(const char *format, va_list arguments)
{
    char message[2 * BYTES];
    int length = vsnprintf(message, sizeof message, format, arguments);
    REQUIRE(length > 0, "an empty message");
    REQUIRE((size_t)length >= sizeof message || strstr(message, "; ") || strchr(message, ':'),
            "a message that does not say what to do: %s", message);
}

temper_status fail(temper_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    look_at(format, arguments);
    va_end(arguments);
    complaints++;
    return status;
}

/* The library's messages end with their own advice; the suffix satisfies look_at for those that do not. */
temper_status fail_with(const temper_error *error)
{
    return fail(error->status, "%s; ", error->message);
}

temper_status fail_no_memory(void)
{
    return fail(TEMPER_NO_MEMORY, "out of memory; ");
}

void warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    look_at(format, arguments);
    va_end(arguments);
}

void note(const char *format, ...)
{
    (void)format; /* only what commands say once they run */
}

bool messages_have_colours(void)
{
    return false;
}

/* ---- What must hold -------------------------------------------------------------------------- */

/* Every value that the parser has accepted can be read: it passes its own check, and numbers are within the bounds of
 * the option table. */
static void read_back(const struct arguments *arguments)
{
    /* Options of other commands and flags have no value here. */
    for (size_t id = 0; id < OPT_COUNT; id++) {
        const struct option *option = &option_table[id];
        const char *text = text_of(arguments, (enum option_id)id);
        if (!option_belongs(option, arguments->command) || option->type == TYPE_FLAG || !text)
            continue;
        REQUIRE(check_value(option, text) == TEMPER_OK, "--%s=%s", option->name, text);
        if (option->type == TYPE_NUMBER || option->type == TYPE_WHOLE) {
            double number = number_of(arguments, (enum option_id)id);
            REQUIRE(number >= option->least && number <= option->most, "--%s=%s", option->name, text);
        }
    }
}

/* An option that ends the parsing, such as --help, may leave operands missing and values unread. */
static bool was_stopped(const struct arguments *arguments)
{
    for (size_t id = 0; id < OPT_COUNT; id++)
        if (option_table[id].stops && was_given(arguments, (enum option_id)id))
            return true;
    return false;
}

/* Parsing succeeds without a message or fails with one; the number of operands is that of the command. */
static void check_words(const struct command *command, char **words)
{
    /* The words outlive the arguments, which point into them. */
    struct arguments arguments;
    complaints = 0;
    temper_status status = parse_words(command, words, &arguments);
    REQUIRE(status == TEMPER_OK || status == TEMPER_USAGE, "%s", temper_status_name(status));
    REQUIRE((status == TEMPER_OK) == (complaints == 0), "%s and %zu complaints", temper_status_name(status),
            complaints);
    REQUIRE(arguments.operand_count <= command->most, "%zu operands", arguments.operand_count);
    if (status != TEMPER_OK || was_stopped(&arguments))
        return;
    REQUIRE(arguments.operand_count >= command->fewest, "%zu operands", arguments.operand_count);
    read_back(&arguments);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A byte for the command, then words that end in '\0' or a newline. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    const struct command *command = &command_table[take_byte(&bytes) % CMD_COUNT];
    char text[BYTES], *words[WORDS + 1];
    size_t count = 0, used = 0;
    /* Words are stored one after another in `text`, each with its '\0'. */
    while (bytes.left > 0 && count < WORDS && used < sizeof text - 1) {
        words[count++] = text + used;
        for (char c; used < sizeof text - 1 && (c = (char)take_byte(&bytes)) && c != '\n';)
            text[used++] = c;
        text[used++] = '\0';
    }
    words[count] = NULL;
    check_words(command, words);
    return 0;
}
