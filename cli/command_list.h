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
    .examples = EXAMPLES({"See what a file of data holds", "temper info train.csv"},
                         {"Draw Figure 1 of the paper", "temper plot losses -o losses.svg"},
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

COMMAND(
    INFO, .name = "info", .operands = "DATA", .operand_hint = HINT_FILE, .fewest = 1, .most = 1,
    .run = cmd_info, .summary = "tell what a file of data holds",
    .description =
        "Reads the whole file and tells its format, rows, features and classes, how much memory "
        "it takes, and what may be wrong with it: columns that never change or that repeat "
        "another one, missing values, classes of a few rows.\n\n"
        "DATA is libsvm or svmlight text, CSV or TSV, NPY, IDX (MNIST), CIFAR-10 binary or "
        "temper's own .tmpr, plain or compressed by gzip or zstd, told by content first and by "
        "name second; - is the standard input. What was assumed is said on the standard error.",
    .examples = EXAMPLES({"What is in a table", "temper info iris.csv"},
                         {"A table with names, labels in the column 'kind'",
                          "temper info --header yes --label kind --missing mean table.csv"},
                         {"For a program", "temper info --json train.libsvm.gz"}))

COMMAND(
    CONVERT, .name = "convert", .operands = "IN OUT", .operand_hint = HINT_FILE, .fewest = 2,
    .most = 2, .run = cmd_convert, .summary = "write data in another format",
    .description =
        "Reads IN in any of the formats that 'temper info' knows and writes OUT, whole or not at "
        "all, in the format that its extension or --to says. OUT may be IN itself; - is the "
        "standard input, and the standard output.\n\n"
        "A .tmpr file opens at once, whatever its size, and keeps everything: labels, weights, "
        "names, line numbers. Other formats drop what they have no place for; npy and idx keep "
        "labels in a second file, OUT.labels, for --labels; idx images of the name "
        "NAME-images-idx3-ubyte in NAME-labels-idx1-ubyte, which is found when they are read.",
    .examples = EXAMPLES({"Text to a file that opens at once",
                          "temper convert train.csv train.tmpr"},
                         {"Two classes of an image set as text",
                          "temper convert --classes 0,6 train-images-idx3-ubyte.gz pair.libsvm"},
                         {"In a pipe", "temper convert - - --to csv <train.libsvm | head"}))

COMMAND(NOISE, .name = "noise", .operands = "DATA", .operand_hint = HINT_FILE, .fewest = 1,
        .most = 1, .run = cmd_noise, .summary = "spoil data on purpose, to see what a method bears",
        .description =
            "Changes a share of the rows and writes the result, and in FILE.changes.csv a line for "
            "each row that changed: its number, the class that it was and the class that it is.\n\n"
            "  random     the label becomes any other class\n"
            "  pair       the label becomes the next class, or what --map says\n"
            "  matrix     the label is drawn from a line of --matrix\n"
            "  instance   the label stays; the features are those of another class\n\n"
            "The rate is a share of all rows: exactly that many change.",
        .examples =
            EXAMPLES({"A tenth of the labels", "temper noise train.csv --rate 0.1 -o noisy.csv"},
                     {"Cats that are called dogs",
                      "temper noise pets.csv --kind pair --map cat=dog --rate 0.2 -o noisy.tmpr"},
                     {"Shirts that show shoes",
                      "temper noise shirts.tmpr --kind instance --pool shoes.tmpr --rate 0.1 \\\n"
                      "    -o noisy.tmpr"}))

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
