/* Every command once: what it is called, takes and says of itself. Parsing, --help, the man pages
 * and the completions of bash, zsh and fish all come from here and from option_list.h.
 *
 * Included where COMMAND(id, fields of struct command) is defined; no include guard, on purpose.
 * A description is paragraphs with an empty line between them; one that begins with a space is kept
 * as it is. EXAMPLES({what it does, what to type}, ...). */

COMMAND(
    PROGRAM, .name = "temper", .operands = "COMMAND [ARGUMENT]...", .operand_hint = HINT_COMMANDS,
    .summary = "logistic regression for people whose labels are partly wrong",
    .description = "temper stands for two-temperature logistic regression: one temperature caps "
                   "the loss, so that a wrong label can do only so much harm, the other gives "
                   "the model heavy tails, so that it need not bend towards outliers.\n\n"
                   "Options and arguments may come in any order behind the command. Of an option "
                   "that is given twice, the last one counts; -- ends the options. Results go "
                   "to the standard output, everything else to the standard error.",
    .examples = EXAMPLES({"Draw Figure 1 of the paper", "temper plot losses -o losses.svg"},
                         {"Read about a command", "temper help plot"}))

COMMAND(
    PLOT, .name = "plot", .operands = "losses", .operand_hint = HINT_WORDS,
    .operand_words = "losses", .fewest = 1, .most = 1, .run = cmd_plot,
    .summary = "draw the losses, and the functions they are made of, as SVG",
    .description =
        "Draws Figure 1 of the paper for any temperatures: panel a shows log_t, panel b exp_t, "
        "and panel c the losses as functions of the margin.\n\n"
        "A loss of panel c is a name, and may bring its parameters with it:\n\n"
        "  tempered:T1:T2   two temperatures; T1 < 1 caps it at 1/(1-T1)\n"
        "  logistic         the same with T1 = T2 = 1\n"
        "  t-logistic:T2    the same with T1 = 1\n"
        "  gce:T1           the same with T2 = 1 (generalised cross-entropy)\n"
        "  bregman:T1:T2    the bi-tempered loss of 2019\n"
        "  hinge:WIDTH      the kink rounded over WIDTH; no WIDTH, no rounding\n\n"
        "One that comes without temperatures takes them from --t1 and --t2.",
    .examples = EXAMPLES({"Figure 1 of the paper", "temper plot losses -o losses.svg"},
                         {"What temperatures do to log_t and exp_t",
                          "temper plot losses --panels ab --temperatures 0.5,1,1.4 -o logs.svg"},
                         {"Three losses with the same cap",
                          "temper plot losses --panels c --margins -8,4 --output caps.svg \\\n"
                          "    --losses gce:0.5,tempered:0.5:1.5,tempered:0.5:2"}))

COMMAND(HELP, .name = "help", .operands = "[COMMAND]", .operand_hint = HINT_COMMANDS, .most = 1,
        .run = cmd_help, .summary = "explain a command",
        .description =
            "Shows what 'temper COMMAND --help' shows, or, without a COMMAND, the list of "
            "commands.",
        .examples = EXAMPLES({"Read about plot", "temper help plot"}))

COMMAND(VERSION, .name = "version", .run = cmd_version, .summary = "tell which version this is",
        .description =
            "Prints the version, as 'temper --version' does, and which of its hot loops this "
            "processor runs: avx512, avx2, neon or plain. The environment variable "
            "TEMPER_KERNEL=NAME forces others, to compare them or to rule one out.",
        .examples = EXAMPLES({"Tell it", "temper version"}))

/* For the build, which installs what it writes. */
COMMAND(DOCUMENTS, .name = "documents", .operands = "DIR", .operand_hint = HINT_FOLDER, .fewest = 1,
        .most = 1, .hidden = true, .run = cmd_documents,
        .summary = "write man pages and shell completions into a folder",
        .description =
            "Writes man1/*.1, temper.bash, temper.zsh and temper.fish into DIR, which is "
            "made if it is not there.",
        .examples = EXAMPLES({"Write them into doc", "temper documents doc"}))
