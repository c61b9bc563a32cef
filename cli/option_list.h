/* Every option once: what it is called, takes and means, and which commands have it. Parsing,
 * --help, the man pages and the completions of bash, zsh and fish all come from here and from
 * command_list.h.
 *
 * Included where OPTION(id, fields of struct option) is defined; no include guard, on purpose. An
 * option whose default or meaning differs between commands has a row for each meaning, under
 * another id and the same name. They are shown in this order. */

OPTION(OUTPUT, .name = "output", .letter = 'o', .placeholder = "FILE", .type = TYPE_FILE,
       .standard = "-", .commands = IN(PLOT),
       .help = "write to FILE, whole or not at all; - is the standard output")

OPTION(PANELS, .name = "panels", .placeholder = "LETTERS", .type = TYPE_LETTERS, .words = "abc",
       .standard = "abc", .commands = IN(PLOT),
       .help = "panels to draw: a for log_t, b for exp_t, c for the losses")

OPTION(TEMPERATURES, .name = "temperatures", .placeholder = "T,...", .type = TYPE_NUMBERS,
       .least = 0, .most = INFINITY, .standard = "0,0.5,1,1.5,2", .commands = IN(PLOT),
       .help = "temperatures of the curves of panels a and b")

OPTION(LOSSES, .name = "losses", .placeholder = "LOSS,...", .type = TYPE_LOSSES,
       .standard = "hinge,logistic,t-logistic:1.6,tempered", .commands = IN(PLOT),
       .help = "losses of panel c, with or without parameters")

OPTION(PLOT_T1, .name = "t1", .placeholder = "X", .type = TYPE_NUMBER, .least = 0, .most = INFINITY,
       .standard = "0.6", .commands = IN(PLOT),
       .help = "first temperature of a loss that comes without: below 1 it caps the loss")

OPTION(PLOT_T2, .name = "t2", .placeholder = "X", .type = TYPE_NUMBER, .least = 0, .most = INFINITY,
       .standard = "1.6", .commands = IN(PLOT),
       .help = "second temperature of a loss that comes without: above 1 its tails are heavy")

OPTION(MARGINS, .name = "margins", .placeholder = "FROM,TO", .type = TYPE_SPAN, .least = -INFINITY,
       .most = INFINITY, .standard = "-6,4", .commands = IN(PLOT),
       .help = "horizontal axis of panel c")

/* ---- Data in --------------------------------------------------------------------------------- */

OPTION(FORMAT, .name = "format", .placeholder = "NAME", .type = TYPE_WORD,
       .words = "libsvm csv tsv npy idx cifar tmpr", .commands = READING,
       .help =
           "what the file is: libsvm, csv, tsv, npy, idx, cifar or tmpr; told by its content, then "
           "by its name, if not given")

OPTION(HEADER, .name = "header", .placeholder = "yes|no|auto", .type = TYPE_WORD,
       .words = "yes no auto", .standard = "auto", .commands = READING,
       .help = "csv: whether the first line has names")

OPTION(LABEL, .name = "label", .placeholder = "COLUMN", .type = TYPE_TEXT,
       .wanted = "the name or number of a column, or none", .commands = READING,
       .help = "csv: the column of the labels, by name or number; none if there is none; the last "
               "one if not given")

OPTION(LABELS, .name = "labels", .placeholder = "FILE", .type = TYPE_FILE, .commands = READING,
       .help = "labels from a file of their own: one a line, NPY or IDX (of NPY and IDX data: "
               "what is found beside it)")

OPTION(IGNORE, .name = "ignore", .placeholder = "COLUMN,...", .type = TYPE_TEXT,
       .wanted = "names or numbers of columns, with commas between them", .commands = READING,
       .help = "csv: columns to leave out")

OPTION(CATEGORICAL, .name = "categorical", .placeholder = "COLUMN,...", .type = TYPE_TEXT,
       .wanted = "names or numbers of columns, with commas between them, or all",
       .commands = READING,
       .help = "csv: columns of text that become a feature for each of their values; all for "
               "every column that has text")

OPTION(MISSING, .name = "missing", .placeholder = "WORD", .type = TYPE_WORD,
       .words = "zero mean drop", .commands = READING,
       .help = "csv: missing values become zero or the mean of their column, or drop their rows; "
               "refused if not given")

OPTION(CLASSES, .name = "classes", .placeholder = "A,B,...", .type = TYPE_TEXT,
       .wanted = "names of classes, with commas between them", .commands = READING,
       .help = "keep only the rows of these classes")

OPTION(WEIGHTS, .name = "weights", .placeholder = "COLUMN|FILE", .type = TYPE_FILE,
       .commands = READING,
       .help = "how much each row counts: a column, or a file of one number a line")

OPTION(CLASS_WEIGHT, .name = "class-weight", .placeholder = "A=W,...", .type = TYPE_TEXT,
       .wanted = "balanced, or NAME=WEIGHT with commas between them", .commands = READING,
       .help = "how much rows of each class count; balanced for the same total of every class")

OPTION(CHANNEL, .name = "channel", .placeholder = "WORD", .type = TYPE_WORD,
       .words = "red green blue grey all", .standard = "all", .commands = READING,
       .help = "cifar: the colours to take: red, green, blue, grey or all")

OPTION(ZERO_BASED, .name = "zero-based", .type = TYPE_FLAG, .commands = READING,
       .help = "libsvm: the first feature is 0, not 1")

OPTION(TYPE, .name = "type", .placeholder = "f32|f64", .type = TYPE_WORD, .words = "f32 f64",
       .standard = "f32", .commands = READING, .help = "how numbers of text files are kept")

OPTION(THREADS, .name = "threads", .placeholder = "N", .type = TYPE_WHOLE, .least = 0, .most = 1024,
       .standard = "0", .commands = READING,
       .help = "threads to use; 0 for as many as the machine runs at once")

/* ---- Data out -------------------------------------------------------------------------------- */

OPTION(TO, .name = "to", .placeholder = "NAME", .type = TYPE_WORD,
       .words = "libsvm csv tsv npy idx cifar tmpr", .commands = IN(CONVERT) | IN(NOISE),
       .help = "what OUT becomes: libsvm, csv, tsv, npy, idx, cifar or tmpr; told by its name if "
               "not given")

OPTION(CONVERT_SCALE, .name = "scale", .placeholder = "NAME", .type = TYPE_WORD,
       .words = "none standard minmax maxabs log", .standard = "none", .commands = IN(CONVERT),
       .help = "bring features to a common size: standard (mean 0, deviation 1), minmax (0 to 1), "
               "maxabs (within -1 and 1) or log (log(1 + x), then standard)")

/* ---- Noise ----------------------------------------------------------------------------------- */

OPTION(KIND, .name = "kind", .placeholder = "NAME", .type = TYPE_WORD,
       .words = "random pair matrix instance", .standard = "random", .commands = IN(NOISE),
       .help = "kind of noise: random, pair, matrix or instance")

OPTION(RATE, .name = "rate", .placeholder = "R", .type = TYPE_NUMBER, .least = 0, .most = 1,
       .commands = IN(NOISE), .help = "share of all rows that change; matrix has none")

OPTION(MAP, .name = "map", .placeholder = "A=B,...", .type = TYPE_TEXT,
       .wanted = "pairs of classes A=B, with commas between them", .commands = IN(NOISE),
       .help = "pair: which class becomes which; each the next one if not given")

OPTION(MATRIX, .name = "matrix", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(NOISE),
       .help = "matrix: a CSV file with a line for each class: the probabilities of becoming each "
               "class")

OPTION(POOL, .name = "pool", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(NOISE),
       .help = "instance: take the features from rows of FILE whose class DATA does not have")

OPTION(SEED, .name = "seed", .placeholder = "N", .type = TYPE_WHOLE, .least = 0,
       .most = 9007199254740991, .standard = "1", .commands = IN(NOISE),
       .help = "the same seed, the same result")

OPTION(NOISE_OUTPUT, .name = "output", .letter = 'o', .placeholder = "FILE", .type = TYPE_FILE,
       .commands = IN(NOISE),
       .help = "write the noisy data to FILE, and what was changed to FILE.changes.csv")

/* ---- Everywhere ------------------------------------------------------------------------------ */

OPTION(JSON, .name = "json", .type = TYPE_FLAG, .commands = READING,
       .help = "print one JSON object instead of text")

OPTION(QUIET, .name = "quiet", .letter = 'q', .type = TYPE_FLAG, .commands = READING,
       .help = "print no notes, only results and errors")

OPTION(HELP, .name = "help", .letter = 'h', .type = TYPE_FLAG, .stops = true,
       .commands = EVERYWHERE, .help = "show this help")

OPTION(VERSION, .name = "version", .type = TYPE_FLAG, .stops = true, .commands = EVERYWHERE,
       .help = "show the version")
