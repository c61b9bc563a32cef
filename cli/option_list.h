/* Every option once: what it is called, takes and means, and which commands have it. Parsing,
 * --help, the man pages and the completions of bash, zsh and fish all come from here and from
 * command_list.h.
 *
 * Included where OPTION(id, fields of struct option) is defined; no include guard, on purpose. An
 * option whose default or meaning differs between commands has a row for each meaning, under
 * another id and the same name. They are shown in this order. */

OPTION(OUTPUT, .name = "output", .letter = 'o', .placeholder = "FILE", .type = TYPE_FILE, .standard = "-",
       .commands = IN(PLOT), .help = "write to FILE, whole or not at all; - is the standard output")

OPTION(PANELS, .name = "panels", .placeholder = "LETTERS", .type = TYPE_LETTERS, .words = "abc", .standard = "abc",
       .commands = IN(PLOT), .help = "panels to draw: a for log_t, b for exp_t, c for the losses")

OPTION(TEMPERATURES, .name = "temperatures", .placeholder = "T,...", .type = TYPE_NUMBERS, .least = 0, .most = INFINITY,
       .standard = "0,0.5,1,1.5,2", .commands = IN(PLOT), .help = "temperatures of the curves of panels a and b")

OPTION(LOSSES, .name = "losses", .placeholder = "LOSS,...", .type = TYPE_LOSSES,
       .standard = "hinge,logistic,t-logistic:1.6,tempered", .commands = IN(PLOT),
       .help = "losses of panel c, with or without parameters")

OPTION(PLOT_T1, .name = "t1", .placeholder = "X", .type = TYPE_NUMBER, .least = 0, .most = INFINITY, .standard = "0.6",
       .commands = IN(PLOT),
       .help = "first temperature of a loss that comes without: below 1 it caps the loss; that of "
               "'temper train' for path, if not given")

OPTION(PLOT_T2, .name = "t2", .placeholder = "X", .type = TYPE_NUMBER, .least = 0, .most = INFINITY, .standard = "1.6",
       .commands = IN(PLOT),
       .help = "second temperature of a loss that comes without: above 1 its tails are heavy; that "
               "of 'temper train' for path, if not given")

OPTION(MARGINS, .name = "margins", .placeholder = "FROM,TO", .type = TYPE_SPAN, .least = -INFINITY, .most = INFINITY,
       .standard = "-6,4", .commands = IN(PLOT), .help = "horizontal axis of panel c")

OPTION(PATH_L2, .name = "l2", .placeholder = "FROM,TO", .type = TYPE_SPAN, .least = 1e-300, .most = 1e300,
       .standard = "1e-5,10", .commands = IN(PLOT), .help = "path: the smallest and the largest penalty")

OPTION(STEPS, .name = "steps", .placeholder = "N", .type = TYPE_WHOLE, .least = 2, .most = 1000, .standard = "25",
       .commands = IN(PLOT), .help = "path: how many penalties to train with")

/* ---- Data in --------------------------------------------------------------------------------- */

OPTION(FORMAT, .name = "format", .placeholder = "NAME", .type = TYPE_WORD, .words = "libsvm csv tsv npy idx cifar tmpr",
       .commands = READING,
       .help = "what the file is: libsvm, csv, tsv, npy, idx, cifar or tmpr; told by its content, then "
               "by its name, if not given")

OPTION(HEADER, .name = "header", .placeholder = "yes|no|auto", .type = TYPE_WORD, .words = "yes no auto",
       .standard = "auto", .commands = READING, .help = "csv: whether the first line has names")

OPTION(LABEL, .name = "label", .placeholder = "COLUMN", .type = TYPE_TEXT,
       .wanted = "the name or number of a column, or none", .commands = READING,
       .help = "csv: the column of the labels, by name or number; none if there is none; the last "
               "one if not given")

OPTION(LABELS, .name = "labels", .placeholder = "FILE", .type = TYPE_FILE, .commands = LABELLED,
       .help = "labels from a file of their own: one a line, NPY or IDX (of NPY and IDX data: "
               "what is found beside it)")

OPTION(IGNORE, .name = "ignore", .placeholder = "COLUMN,...", .type = TYPE_TEXT,
       .wanted = "names or numbers of columns, with commas between them", .commands = READING,
       .help = "csv: columns to leave out")

OPTION(CATEGORICAL, .name = "categorical", .placeholder = "COLUMN,...", .type = TYPE_TEXT,
       .wanted = "names or numbers of columns, with commas between them, or all", .commands = READING,
       .help = "csv: columns of text that become a feature for each of their values; all for "
               "every column that has text")

OPTION(MISSING, .name = "missing", .placeholder = "WORD", .type = TYPE_WORD, .words = "zero mean drop",
       .commands = READING,
       .help = "csv: missing values become zero or the mean of their column, or drop their rows; "
               "refused if not given")

OPTION(CLASSES, .name = "classes", .placeholder = "A,B,...", .type = TYPE_TEXT,
       .wanted = "names of classes, with commas between them", .commands = LABELLED | IN(EXPERIMENT),
       .help = "keep only the rows of these classes")

OPTION(WEIGHTS, .name = "weights", .placeholder = "COLUMN|FILE", .type = TYPE_FILE, .commands = LABELLED,
       .help = "how much each row counts: a column, or a file of one number a line")

OPTION(CLASS_WEIGHT, .name = "class-weight", .placeholder = "A=W,...", .type = TYPE_TEXT,
       .wanted = "balanced, or NAME=WEIGHT with commas between them", .commands = LABELLED,
       .help = "how much rows of each class count; balanced for the same total of every class")

OPTION(CHANNEL, .name = "channel", .placeholder = "WORD", .type = TYPE_WORD, .words = "red green blue grey all",
       .standard = "all", .commands = READING, .help = "cifar: the colours to take: red, green, blue, grey or all")

OPTION(ZERO_BASED, .name = "zero-based", .type = TYPE_FLAG, .commands = READING,
       .help = "libsvm: the first feature is 0, not 1")

OPTION(TYPE, .name = "type", .placeholder = "f32|f64", .type = TYPE_WORD, .words = "f32 f64", .standard = "f32",
       .commands = READING, .help = "how numbers of text files are kept")

OPTION(THREADS, .name = "threads", .placeholder = "N", .type = TYPE_WHOLE, .least = 0, .most = 1024, .standard = "0",
       .commands = READING | IN(DEMO) | IN(EXPERIMENT),
       .help = "threads to use; 0 for as many as the machine runs at once")

OPTION(MEMORY, .name = "memory", .placeholder = "SIZE", .type = TYPE_SIZE, .commands = BOUNDED,
       .help = "take at most SIZE of memory, 500M, 2G or 1.5GiB, whatever the size of the data: a .tmpr "
               "file is read piece by piece, others go to temporary files in $TMPDIR; the result is "
               "the same, or refused with the least that would do")

/* ---- Training -------------------------------------------------------------------------------- */

OPTION(TRAIN_MODEL, .name = "model", .letter = 'm', .placeholder = "FILE", .type = TYPE_FILE,
       .commands = IN(TRAIN) | IN(TUNE),
       .help = "write the model to FILE, whole or not at all; DATA.temper if not given")

OPTION(MODEL, .name = "model", .letter = 'm', .placeholder = "FILE", .type = TYPE_FILE, .commands = APPLYING | IN(PLOT),
       .help = "the model, as 'temper train' has written it")

OPTION(LOSS, .name = "loss", .placeholder = "NAME", .type = TYPE_WORD, .words = METHOD_WORDS, .standard = "tempered",
       .commands = FITTING, .help = "tempered, logistic, t-logistic, gce, hinge or bregman")

OPTION(T1, .name = "t1", .placeholder = "X|auto", .type = TYPE_NUMBER_OR, .least = 0, .most = INFINITY, .words = "auto",
       .standard = "0.3", .commands = IN(TRAIN),
       .help = "first temperature: below 1 it caps the loss of a row at 1/(1-t1); auto: chosen as "
               "'temper tune' does")

OPTION(T2, .name = "t2", .placeholder = "X|auto", .type = TYPE_NUMBER_OR, .least = 0, .most = INFINITY, .words = "auto",
       .commands = IN(TRAIN),
       .help = "second temperature: above 1 the tails are heavy; 1 if not given, 1.6 for "
               "t-logistic; auto: chosen as 'temper tune' does")

OPTION(SMOOTHING, .name = "smoothing", .placeholder = "X", .type = TYPE_NUMBER, .least = 0, .most = INFINITY,
       .commands = FITTING, .help = "hinge: the kink is rounded over this width")

OPTION(L2, .name = "l2", .placeholder = "X|auto", .type = TYPE_NUMBER_OR, .least = 0, .most = INFINITY, .words = "auto",
       .standard = "auto", .commands = IN(TRAIN),
       .help = "weight of the penalty on squared weights; auto: 0.0002 times the total variance of "
               "the features over classes less one, or chosen with t1 and t2 where these are auto")

OPTION(TRAIN_SCALE, .name = "scale", .placeholder = "NAME", .type = TYPE_WORD,
       .words = "none standard minmax maxabs log pixels", .commands = SOLVING,
       .help = "bring features to a common size, for training only: the model applies to rows as "
               "they are; standard for dense data, none for sparse, if not given")

OPTION(VALID, .name = "valid", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(TRAIN),
       .help = "stop when the loss on these rows falls no more")

OPTION(PATIENCE, .name = "patience", .placeholder = "N", .type = TYPE_WHOLE, .least = 1, .most = 1000000000,
       .standard = "10", .commands = IN(TRAIN), .help = "iterations that --valid waits for a lower loss")

OPTION(SOLVER, .name = "solver", .placeholder = "NAME", .type = TYPE_WORD, .words = "auto newton lbfgs tron",
       .standard = "auto", .commands = SOLVING,
       .help = "how to minimise: newton, lbfgs or tron; auto picks one by the size of the data")

OPTION(PRECISION, .name = "precision", .placeholder = "NAME", .type = TYPE_WORD, .words = "auto f32 f64",
       .standard = "auto", .commands = SOLVING, .help = "precision of the sums over rows: f32 or f64")

OPTION(INIT, .name = "init", .placeholder = "zero|normal:STD", .type = TYPE_TEXT,
       .wanted = "zero, or normal:STD with a deviation > 0", .standard = "zero", .commands = IN(TRAIN),
       .help = "weights to start from: all 0, or random ones")

OPTION(WARM_START, .name = "warm-start", .placeholder = "MODEL", .type = TYPE_FILE, .commands = IN(TRAIN),
       .help = "start from the weights of another model")

OPTION(STARTS, .name = "starts", .placeholder = "K", .type = TYPE_WHOLE, .least = 1, .most = 3, .standard = "1",
       .commands = IN(TRAIN), .help = "try so many starts, keep the best, and warn if they disagree")

OPTION(NO_INTERCEPT, .name = "no-intercept", .type = TYPE_FLAG, .commands = SOLVING, .help = "no constant term")

OPTION(TOL, .name = "tol", .placeholder = "X", .type = TYPE_NUMBER, .least = 0, .most = 1, .standard = "1e-4",
       .commands = SOLVING & ~IN(AUDIT),
       .help = "stop when the gradient is that small, as a share of the gradient at weights of 0")

OPTION(MAX_ITER, .name = "max-iter", .placeholder = "N", .type = TYPE_WHOLE, .least = 1, .most = 1000000000,
       .standard = "1000", .commands = SOLVING, .help = "stop after so many iterations")

OPTION(CHECKPOINT, .name = "checkpoint", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(TRAIN),
       .help = "save the state of the training there now and then")

OPTION(TUNE_CHECKPOINT, .name = "checkpoint", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(TUNE),
       .help = "save what is known of the candidates there; MODEL.tuning, which goes when all is "
               "done, if not given")

OPTION(TUNE_CHECKPOINT_SECONDS, .name = "checkpoint-seconds", .placeholder = "X", .type = TYPE_NUMBER, .least = 0,
       .most = INFINITY, .standard = "2", .commands = IN(TUNE),
       .help = "at least so long between two savings; 0 for every candidate")

OPTION(CHECKPOINT_SECONDS, .name = "checkpoint-seconds", .placeholder = "X", .type = TYPE_NUMBER, .least = 0,
       .most = INFINITY, .standard = "30", .commands = IN(TRAIN),
       .help = "at least so long between two savings; 0 for every iteration")

OPTION(RESUME, .name = "resume", .type = TYPE_FLAG, .commands = IN(TRAIN) | IN(TUNE),
       .help = "go on from the checkpoint, if there is one; the result is the same as without a "
               "stop")

#include "option_list_tuning.h"

/* ---- Prediction ------------------------------------------------------------------------------ */

OPTION(PREDICT_OUTPUT, .name = "output", .letter = 'o', .placeholder = "FILE", .type = TYPE_FILE, .standard = "-",
       .commands = IN(PREDICT), .help = "write to FILE, whole or not at all; - is the standard output")

OPTION(PROBA, .name = "proba", .type = TYPE_FLAG, .commands = IN(PREDICT),
       .help = "probabilities, not sure enough for t1 < 1 (see above): a line of class names, then "
               "tab-separated numbers")

OPTION(RAW_PROBA, .name = "raw-proba", .type = TYPE_FLAG, .commands = IN(PREDICT),
       .help = "the same, as the model has them, which is too sure of itself for t1 < 1")

OPTION(DECISION, .name = "decision", .type = TYPE_FLAG, .commands = IN(PREDICT),
       .help = "activations: one number a row for two classes, above 0 for the second; else one "
               "for each class")

/* ---- Data out -------------------------------------------------------------------------------- */

OPTION(TO, .name = "to", .placeholder = "NAME", .type = TYPE_WORD, .words = "libsvm csv tsv npy idx cifar tmpr",
       .commands = IN(CONVERT) | IN(NOISE) | IN(AUDIT),
       .help = "what OUT becomes: libsvm, csv, tsv, npy, idx, cifar or tmpr; told by its name if "
               "not given")

OPTION(CONVERT_SCALE, .name = "scale", .placeholder = "NAME", .type = TYPE_WORD,
       .words = "none standard minmax maxabs log pixels", .standard = "none", .commands = IN(CONVERT),
       .help = "bring features to a common size: standard (mean 0, deviation 1), minmax (0 to 1), "
               "maxabs (within -1 and 1), log (log(1 + x), then standard) or pixels (divided by 255)")

/* ---- Noise ----------------------------------------------------------------------------------- */

OPTION(KIND, .name = "kind", .placeholder = "NAME", .type = TYPE_WORD,
       .words = "random pair matrix small-margin large-margin instance", .standard = "random", .commands = IN(NOISE),
       .help = "kind of noise: random, pair, matrix, small-margin, large-margin or instance")

OPTION(RATE, .name = "rate", .placeholder = "R", .type = TYPE_NUMBER, .least = 0, .most = 1, .commands = IN(NOISE),
       .help = "share of all rows that change; matrix has none")

OPTION(MAP, .name = "map", .placeholder = "A=B,...", .type = TYPE_TEXT,
       .wanted = "pairs of classes A=B, with commas between them", .commands = IN(NOISE),
       .help = "pair: which class becomes which; each the next one if not given")

OPTION(MATRIX, .name = "matrix", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(NOISE),
       .help = "matrix: a CSV file with a line for each class: the probabilities of becoming each "
               "class")

OPTION(RANK_L2, .name = "rank-l2", .placeholder = "X", .type = TYPE_NUMBER, .least = 0, .most = INFINITY,
       .standard = "1e-4", .commands = IN(NOISE), .help = "margins: l2 of the logistic regression that ranks the rows")

OPTION(RANK_SCALE, .name = "rank-scale", .placeholder = "NAME", .type = TYPE_WORD,
       .words = "none standard minmax maxabs log pixels", .commands = IN(NOISE),
       .help = "margins: how that regression scales the features; as train does if not given")

OPTION(POOL, .name = "pool", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(NOISE),
       .help = "instance: take the features from rows of FILE whose class DATA does not have")

OPTION(SEED, .name = "seed", .placeholder = "N", .type = TYPE_WHOLE, .least = 0, .most = 9007199254740991,
       .standard = "1", .commands = IN(NOISE) | SOLVING | IN(DEMO) | IN(EXPERIMENT),
       .help = "the same seed, the same result")

OPTION(NOISE_OUTPUT, .name = "output", .letter = 'o', .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(NOISE),
       .help = "write the noisy data to FILE, and what was changed to FILE.changes.csv")

#include "option_list_experiment.h"

/* ---- Demo ------------------------------------------------------------------------------------ */

OPTION(DEMO_OUTPUT, .name = "output", .letter = 'o', .placeholder = "FILE", .type = TYPE_FILE,
       .standard = "temper-demo.html", .commands = IN(DEMO), .help = "write the page to FILE, whole or not at all")

/* ---- Everywhere ------------------------------------------------------------------------------ */

OPTION(JSON, .name = "json", .type = TYPE_FLAG, .commands = (READING & ~IN(PLOT) & ~IN(AUDIT)) | IN(EXPERIMENT),
       .help = "print one JSON object instead of text")

OPTION(QUIET, .name = "quiet", .letter = 'q', .type = TYPE_FLAG, .commands = READING | IN(EXPERIMENT),
       .help = "print no notes, only results, warnings and errors")

OPTION(VERBOSE, .name = "verbose", .letter = 'v', .type = TYPE_FLAG, .commands = IN(TRAIN),
       .help = "print a line for each iteration on the standard error")

OPTION(HELP, .name = "help", .letter = 'h', .type = TYPE_FLAG, .stops = true, .commands = EVERYWHERE,
       .help = "show this help")

OPTION(VERSION, .name = "version", .type = TYPE_FLAG, .stops = true, .commands = EVERYWHERE, .help = "show the version")
