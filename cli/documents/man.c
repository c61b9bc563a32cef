/* man: writes the man page of a command in the man macros of groff (.TH, .SH, .TP), from the same tables as the help.
 * */
#include <ctype.h>
#include <string.h>

#include "documents/documents.h"
#include "documents/wrap_text.h"
#include "options/command_line.h"
#include "progress.h"

/* The escape for a character that groff would interpret or print as a typographic variant (a plain - becomes a hyphen,
 * which cannot be copied to a shell); NULL for ordinary ones. */
static const char *escape(char character)
{
    static const struct {
        char character;
        const char *escaped;
    } escapes[] = {{'\\', "\\e"}, {'-', "\\-"}, {'\'', "\\(aq"}, {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (escapes[i].character == character)
            return escapes[i].escaped;
    return NULL;
}

/* Writes text of that length with escapes. */
static void man_span(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char *escaped = escape(text[i]);
        if (text[i] == '.' && (i == 0 || text[i - 1] == '\n'))
            fputs("\\&", out); /* a dot that begins a line would begin a command */
        if (escaped)
            fputs(escaped, out);
        else
            fputc(text[i], out);
    }
}

/* The same for a whole string. */
static void man_text(FILE *out, const char *text)
{
    man_span(out, text, strlen(text));
}

/* In capitals, as man pages have their titles. */
static void man_upper(FILE *out, const char *text)
{
    for (; *text; text++)
        fputc(toupper((unsigned char)*text), out);
}

/* Title line and NAME section. The date is left empty: the same source gives the same page on every day (reproducible
 * builds). */
static void man_title(FILE *out, const struct command *command)
{
    fprintf(out, ".\\\" Written by 'temper documents' from its tables of commands and options.\n.TH ");
    man_upper(out, command_table[CMD_PROGRAM].name);
    if (command_id(command) != CMD_PROGRAM) {
        fputs("\\-", out);
        man_upper(out, command->name);
    }
    fprintf(out, " 1 \"\" \"temper %s\" \"User Commands\"\n.SH NAME\n", temper_version());
    command_full_name(out, command, "\\-");
    fputs(" \\- ", out);
    man_text(out, command->summary);
}

/* A word in capitals is a placeholder (italics), others are typed as they are (bold). */
static void man_synopsis_word(FILE *out, const char *word, size_t length)
{
    /* An optional operand is written [NAME]: the letter after the bracket decides. */
    bool bracket = word[0] == '[';
    fputs(isupper((unsigned char)word[bracket]) ? " \\fI" : " \\fB", out);
    man_span(out, word, length);
    fputs("\\fR", out);
}

/* "temper plot losses [OPTION]...", what is typed in bold, what is replaced in italics. */
static void man_synopsis(FILE *out, const struct command *command)
{
    fputs("\n.SH SYNOPSIS\n\\fB", out);
    command_full_name(out, command, " ");
    fputs("\\fR", out);
    /* Operands are separated by blanks in the table. */
    for (const char *word = command->operands; word && *word;) {
        size_t length = strcspn(word, " ");
        man_synopsis_word(out, word, length);
        word += length + strspn(word + length, " ");
    }
    fputs(" [\\fIOPTION\\fR]...\n", out);
}

/* An example (.EX to .EE): groff keeps its line breaks and uses a fixed-width font. */
static void man_verbatim(FILE *out, const char *text, size_t length)
{
    fputs(".EX\n", out);
    man_span(out, text, length);
    fputs("\n.EE", out);
}

/* The description; .PP separates paragraphs. A paragraph that begins with a blank is preformatted. */
static void man_description(FILE *out, const struct command *command)
{
    const char *text = command->description, *paragraph, *before = ".SH DESCRIPTION\n";
    size_t length;
    while (paragraph = next_paragraph(&text, &length), length > 0) {
        fputs(before, out);
        if (*paragraph == ' ')
            man_verbatim(out, paragraph, length);
        else
            man_span(out, paragraph, length);
        fputc('\n', out);
        before = ".PP\n";
    }
}

/* Only in the page of the program; each command has its own page. */
static void man_commands(FILE *out)
{
    /* The names are cross references: man1 has a page for each. */
    fputs(".SH COMMANDS\n", out);
    for (size_t i = CMD_PROGRAM + 1; i < CMD_COUNT; i++) {
        if (command_table[i].hidden)
            continue;
        fprintf(out, ".TP\n\\fBtemper\\-%s\\fR(1)\n", command_table[i].name);
        man_text(out, command_table[i].summary);
        fputc('\n', out);
    }
}

/* "-o, --output FILE", and indented below it its meaning. */
static void man_option(FILE *out, const struct option *option)
{
    char meaning[MEANING_LENGTH];
    fputs(".TP\n", out);
    if (option->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", out);
    man_text(out, option->name);
    fputs("\\fR", out);
    if (option->placeholder)
        fprintf(out, " \\fI%s\\fR", option->placeholder);
    fputc('\n', out);
    /* The same text as in the help, unfilled: groff fills it. */
    option_meaning(option, meaning);
    man_text(out, meaning);
    fputc('\n', out);
}

/* The options of the command, in the same order as in the help. */
static void man_options(FILE *out, const struct command *command)
{
    fputs(".SH OPTIONS\nIf an option is given twice, the last value counts.\n", out);
    for (size_t i = 0; i < OPT_COUNT; i++)
        if (option_belongs(&option_table[i], command))
            man_option(out, &option_table[i]);
}

/* Exit codes, generated from the list of statuses. */
static void man_exit_status(FILE *out)
{
    fputs(".SH EXIT STATUS\n", out);
#define MAN_STATUS(name, code, text) fprintf(out, ".TP\n\\fB%d\\fR\n%s\n", code, text);
    TEMPER_STATUS_LIST(MAN_STATUS)
    MAN_STATUS(, INTERRUPT_BY_READER, "the reader of the standard output has closed it")
    MAN_STATUS(, INTERRUPT_TERMINATED, "interrupted by SIGTERM")
#undef MAN_STATUS
}

/* Each example: a sentence, and indented below it the command. */
static void man_examples(FILE *out, const struct command *command)
{
    const char *before = ".SH EXAMPLES\n";
    for (const struct command_example *example = command->examples; example->what; example++) {
        fputs(before, out);
        man_text(out, example->what);
        /* .RS to .RE indents by four columns. */
        fputs(":\n.PP\n.RS 4\n", out);
        man_verbatim(out, example->typed, strlen(example->typed));
        fputs("\n.RE\n", out);
        before = ".PP\n";
    }
}

/* References to the pages of all other visible commands. */
static void man_see_also(FILE *out, const struct command *command)
{
    /* groff joins the lines, so each reference has a line of its own. */
    const char *comma = "";
    fputs(".SH SEE ALSO\n", out);
    for (size_t i = CMD_PROGRAM; i < CMD_COUNT; i++) {
        const struct command *other = &command_table[i];
        if (other == command || other->hidden)
            continue;
        fprintf(out, "%s\\fB", comma);
        command_full_name(out, other, "\\-");
        fputs("\\fR(1)", out);
        comma = ",\n";
    }
    fputc('\n', out);
}

/* Sections in the order of man-pages(7). */
void man_page(FILE *out, const struct command *command)
{
    man_title(out, command);
    man_synopsis(out, command);
    man_description(out, command);
    if (command_id(command) == CMD_PROGRAM)
        man_commands(out);
    man_options(out, command);
    /* On every page, unlike in the help: scripts consult the page of one command. */
    man_exit_status(out);
    man_examples(out, command);
    man_see_also(out, command);
}
