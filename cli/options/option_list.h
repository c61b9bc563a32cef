/* Every option once: its name, type and meaning, and the commands that have it. Parsing, --help, the man pages and the
 * completions of bash, zsh and fish all come from here and from command_list.h.
 *
 * Included where OPTION(id, fields of struct option) is defined; no include guard, on purpose. An
 * option whose default or meaning differs between commands has a row for each meaning, under
 * another id and the same name. They are shown in this order. */

OPTION(OUTPUT, .name = "output", .letter = 'o', .placeholder = "FILE", .type = TYPE_FILE, .is_result = true,
       .standard = "-", .commands = IN(PLOT),
       .help = "write to FILE, completely or not at all; - is the standard output")

OPTION(PANELS, .name = "panels", .placeholder = "LETTERS", .type = TYPE_LETTERS, .words = "abc", .standard = "abc",
       .commands = IN(PLOT), .help = "panels to draw: a for log_t, b for exp_t, c for the losses")

OPTION(TEMPERATURES, .name = "temperatures", .placeholder = "T,...", .type = TYPE_NUMBERS, .least = 0, .most = INFINITY,
       .standard = "0,0.5,1,1.5,2", .commands = IN(PLOT), .help = "temperatures of the curves of panels a and b")

OPTION(LOSSES, .name = "losses", .placeholder = "LOSS,...", .type = TYPE_LOSSES,
       .standard = "hinge,logistic,t-logistic:1.6,tempered", .commands = IN(PLOT),
       .help = "losses of panel c, with or without parameters")

OPTION(PLOT_T1, .name = "t1", .placeholder = "X", .type = TYPE_NUMBER, .least = 0, .most = INFINITY, .standard = "0.6",
       .commands = IN(PLOT),
       .help = "first temperature of losses without parameters: below 1 it bounds the loss; for path the default is "
               "that of 'temper train'")

OPTION(PLOT_T2, .name = "t2", .placeholder = "X", .type = TYPE_NUMBER, .least = 0, .most = INFINITY, .standard = "1.6",
       .commands = IN(PLOT),
       .help = "second temperature of losses without parameters: above 1 the tails are heavy; for path the default is "
               "that of 'temper train'")

OPTION(MARGINS, .name = "margins", .placeholder = "FROM,TO", .type = TYPE_SPAN, .least = -INFINITY, .most = INFINITY,
       .standard = "-6,4", .commands = IN(PLOT), .help = "horizontal axis of panel c")

OPTION(PATH_L2, .name = "l2", .placeholder = "FROM,TO", .type = TYPE_SPAN, .least = 1e-300, .most = 1e300,
       .standard = "1e-5,10", .commands = IN(PLOT), .help = "path: the smallest and the largest penalty")

OPTION(STEPS, .name = "steps", .placeholder = "N", .type = TYPE_WHOLE, .least = 2, .most = 1000, .standard = "25",
       .commands = IN(PLOT), .help = "path: number of penalties")

/* ---- Data in --------------------------------------------------------------------------------- */

OPTION(FORMAT, .name = "format", .placeholder = "NAME", .type = TYPE_WORD, .words = FORMAT_WORDS,
       .commands = READING | IN(ANNOTATORS) | IN(SPLIT) | IN(DEMO),
       .help =
           "format of the file: libsvm, csv, tsv, jsonl, npy, idx, cifar or tmpr; inferred from its content, then its "
           "name, if not given")

OPTION(HEADER, .name = "header", .placeholder = "yes|no|auto", .type = TYPE_WORD, .words = "yes no auto",
       .standard = "auto", .commands = READING | IN(SPLIT) | IN(DEMO),
       .help = "csv: whether the first line holds names")

OPTION(LABEL, .name = "label", .placeholder = "COLUMN", .type = TYPE_TEXT,
       .wanted = "the name or number of a column, or none", .commands = READING | IN(SPLIT) | IN(DEMO),
       .help = "csv: the column of the labels, by name or number, or none; the last column if not given")

OPTION(LABELS, .name = "labels", .placeholder = "FILE", .type = TYPE_FILE, .commands = LABELLED | IN(SPLIT) | IN(DEMO),
       .help = "read labels from a separate file: one a line, NPY or IDX (for NPY and IDX data: the file beside it, if "
               "not given)")

OPTION(IGNORE, .name = "ignore", .placeholder = "COLUMN,...", .type = TYPE_TEXT,
       .wanted = "names or numbers of columns, separated by commas", .commands = READING | IN(ANNOTATORS) | IN(DEMO),
       .help = "csv: columns to exclude")

OPTION(CATEGORICAL, .name = "categorical", .placeholder = "COLUMN,...", .type = TYPE_TEXT,
       .wanted = "names or numbers of columns, separated by commas, or all", .commands = READING | IN(ANNOTATORS),
       .help = "csv: text columns to one-hot encode; all for every text column; chosen by their cells if not given")

OPTION(TEXT, .name = "text", .placeholder = "COLUMN,...", .type = TYPE_TEXT,
       .wanted = "names or numbers of columns, separated by commas", .commands = READING,
       .help = "csv: columns of text whose words, and pairs of words, are hashed to features")

OPTION(MISSING, .name = "missing", .placeholder = "WORD", .type = TYPE_WORD, .words = "zero mean drop",
       .commands = READING | IN(ANNOTATORS),
       .help = "csv: replace missing values by zero or the column's mean, or drop their rows; if not given, the mean, "
               "and an indicator where they are frequent; an error with --strict")

OPTION(NA, .name = "na", .placeholder = "WORD,...", .type = TYPE_TEXT, .wanted = "words, separated by commas",
       .commands = READING, .help = "csv: further words for a missing value, besides NA, null, None, ? and the like")

OPTION(SEP, .name = "sep", .placeholder = "WORD", .type = TYPE_WORD, .words = "comma semicolon tab bar space",
       .commands = READING | IN(SPLIT),
       .help = "csv: what separates the cells; inferred from the first lines if not given")

OPTION(DECIMAL, .name = "decimal", .placeholder = "point|comma", .type = TYPE_WORD, .words = "point comma",
       .commands = READING, .help = "csv: the decimal mark of numbers; inferred column by column if not given")

OPTION(DATE, .name = "date", .placeholder = "ymd|dmy|mdy", .type = TYPE_WORD, .words = "ymd dmy mdy",
       .commands = READING | IN(SPLIT),
       .help = "csv: the order of year, month and day in dates of numbers; inferred column by column if not given")

OPTION(SKIP, .name = "skip", .placeholder = "N", .type = TYPE_WHOLE, .least = 0, .most = 1000000, .standard = "0",
       .commands = READING | IN(SPLIT), .help = "csv: lines before the table; inferred if 0")

OPTION(ENCODING, .name = "encoding", .placeholder = "NAME", .type = TYPE_WORD, .words = "auto utf-8 utf-16 latin-1",
       .standard = "auto", .commands = READING | IN(SPLIT),
       .help = "encoding of a text: utf-8, utf-16 or latin-1; auto: inferred from its first bytes")

OPTION(STRICT, .name = "strict", .type = TYPE_FLAG, .commands = READING | IN(ANNOTATORS),
       .help = "csv: infer nothing about columns: text and missing values are errors unless an option handles them")

OPTION(CLASSES, .name = "classes", .placeholder = "A,B,...", .type = TYPE_TEXT,
       .wanted = "names of classes, separated by commas", .commands = LABELLED | IN(EXPERIMENT),
       .help = "keep only the rows of these classes")

OPTION(WEIGHTS, .name = "weights", .placeholder = "COLUMN|FILE", .type = TYPE_FILE, .commands = LABELLED,
       .help = "weight of each row: a column, or a file of one number a line")

OPTION(CLASS_WEIGHT, .name = "class-weight", .placeholder = "A=W,...", .type = TYPE_TEXT,
       .wanted = "balanced, or NAME=WEIGHT separated by commas", .commands = LABELLED,
       .help = "weight of the rows of each class; balanced: the same total for every class")

OPTION(CHANNEL, .name = "channel", .placeholder = "WORD", .type = TYPE_WORD, .words = "red green blue grey all",
       .standard = "all", .commands = READING, .help = "cifar: colour channel: red, green, blue, grey or all")

OPTION(ZERO_BASED, .name = "zero-based", .type = TYPE_FLAG, .commands = READING | IN(SPLIT),
       .help = "libsvm: features are numbered from 0, not 1")

OPTION(TYPE, .name = "type", .placeholder = "f32|f64", .type = TYPE_WORD, .words = "f32 f64", .standard = "f32",
       .commands = READING, .help = "precision of numbers read from text")

OPTION(THREADS, .name = "threads", .placeholder = "N", .type = TYPE_WHOLE, .least = 0, .most = 1024, .standard = "0",
       .commands = READING | IN(ANNOTATORS) | IN(SPLIT) | IN(DEMO) | IN(EXPERIMENT),
       .help = "number of threads; 0 for one per available processor")

OPTION(MEMORY, .name = "memory", .placeholder = "SIZE", .type = TYPE_SIZE, .commands = BOUNDED,
       .help = "use at most SIZE of memory (500M, 2G, 1.5GiB) for data of any size: a .tmpr file is read in blocks, "
               "other data goes to temporary files in $TMPDIR; the result is the same, or an error that states the "
               "least possible SIZE")

/* ---- Training -------------------------------------------------------------------------------- */

OPTION(TRAIN_MODEL, .name = "model", .letter = 'm', .placeholder = "FILE", .type = TYPE_FILE, .is_result = true,
       .commands = IN(TRAIN) | IN(TUNE),
       .help = "write the model to FILE, completely or not at all; DATA.temper if not given")

OPTION(MODEL, .name = "model", .letter = 'm', .placeholder = "FILE", .type = TYPE_FILE, .commands = APPLYING | IN(PLOT),
       .help = "a model written by 'temper train'")

OPTION(LOSS, .name = "loss", .placeholder = "NAME", .type = TYPE_LOSS, .words = METHOD_WORDS, .standard = "tempered",
       .commands = FITTING, .help = "the loss, optionally with its parameters, as in gce:0.5 or sce:0.1:1:-4")

OPTION(T1, .name = "t1", .placeholder = "X|auto", .type = TYPE_NUMBER_OR, .least = 0, .most = INFINITY, .words = "auto",
       .standard = "0.3", .commands = IN(TRAIN),
       .help = "first temperature: below 1 it bounds the loss of a row by 1/(1-t1); auto: chosen as by 'temper tune'")

OPTION(T2, .name = "t2", .placeholder = "X|auto", .type = TYPE_NUMBER_OR, .least = 0, .most = INFINITY, .words = "auto",
       .commands = IN(TRAIN),
       .help = "second temperature: above 1 the tails are heavy; 1 if not given, 1.6 for t-logistic; auto: chosen as "
               "by 'temper tune'")

OPTION(SMOOTHING, .name = "smoothing", .placeholder = "X", .type = TYPE_NUMBER, .least = 0, .most = INFINITY,
       .commands = FITTING, .help = "hinge: smooth the kink over this width")

OPTION(L2, .name = "l2", .placeholder = "X|auto", .type = TYPE_NUMBER_OR, .least = 0, .most = INFINITY, .words = "auto",
       .standard = "auto", .commands = IN(TRAIN),
       .help = "weight of the penalty on squared weights; auto: 0.0002 times the total variance of the features "
               "divided by the number of classes less one, or chosen with t1 and t2 if these are auto; 0 with --l1")

OPTION(L1, .name = "l1", .placeholder = "X", .type = TYPE_NUMBER, .least = 0, .most = INFINITY, .standard = "0",
       .commands = IN(TRAIN),
       .help = "weight of the penalty on absolute weights, which makes weights exactly 0; with --l2 an elastic net")

OPTION(TRAIN_SCALE, .name = "scale", .placeholder = "NAME", .type = TYPE_WORD,
       .words = "none standard minmax maxabs log pixels", .commands = SOLVING,
       .help = "scale the features in training; the model applies to unscaled rows; standard for dense data, none for "
               "sparse, if not given")

OPTION(VALID, .name = "valid", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(TRAIN),
       .help = "stop when the loss on these rows no longer decreases")

OPTION(PATIENCE, .name = "patience", .placeholder = "N", .type = TYPE_WHOLE, .least = 1, .most = 1000000000,
       .standard = "10", .commands = IN(TRAIN), .help = "iterations without a lower loss after which --valid stops")

OPTION(
    SOLVER, .name = "solver", .placeholder = "NAME", .type = TYPE_WORD,
    .words = "auto newton lbfgs tron proximal owlqn", .standard = "auto", .commands = SOLVING,
    .help = "optimiser: newton, lbfgs or tron, with --l1 proximal or owlqn; auto chooses one by the size of the data")

OPTION(PRECISION, .name = "precision", .placeholder = "NAME", .type = TYPE_WORD, .words = "auto f32 f64",
       .standard = "auto", .commands = SOLVING, .help = "precision of the sums over rows: f32 or f64")

OPTION(INIT, .name = "init", .placeholder = "zero|normal:STD", .type = TYPE_TEXT,
       .wanted = "zero, or normal:STD with a standard deviation > 0", .standard = "zero", .commands = IN(TRAIN),
       .help = "initial weights: all 0, or random")

OPTION(WARM_START, .name = "warm-start", .placeholder = "MODEL", .type = TYPE_FILE, .commands = IN(TRAIN),
       .help = "initial weights from another model")

OPTION(STARTS, .name = "starts", .placeholder = "K", .type = TYPE_WHOLE, .least = 1, .most = 3, .standard = "1",
       .commands = IN(TRAIN), .help = "number of starts; the best is kept, with a warning if they disagree")

OPTION(NO_INTERCEPT, .name = "no-intercept", .type = TYPE_FLAG, .commands = SOLVING, .help = "fit no intercept")

OPTION(TOL, .name = "tol", .placeholder = "X", .type = TYPE_NUMBER, .least = 1e-15, .most = 1, .standard = "1e-4",
       .commands = SOLVING & ~IN(AUDIT),
       .help = "stop when the norm of the gradient is below X times that at weights of 0, and the objective is "
               "estimated to be within X/1000 of its minimum")

OPTION(MAX_ITER, .name = "max-iter", .placeholder = "N", .type = TYPE_WHOLE, .least = 1, .most = 1000000000,
       .standard = "1000", .commands = SOLVING, .help = "maximal number of iterations")

OPTION(CALIBRATE, .name = "calibrate", .placeholder = "NAME", .type = TYPE_WORD, .words = "auto none folds train",
       .standard = "auto", .commands = IN(TRAIN) | IN(TUNE),
       .help = "fit the probabilities to rows that models of other folds have scored, or to the training rows; none: "
               "they are those that the loss implies; auto: folds unless rows are many; labels do not change")

OPTION(ESTIMATE_NOISE, .name = "estimate-noise", .type = TYPE_FLAG, .commands = IN(TRAIN) | IN(TUNE),
       .help = "audit the rows after training, and keep in the model how often each class is labelled as another, for "
               "'temper predict --proba-of true'")

OPTION(CLEAN, .name = "clean", .placeholder = "WORD", .type = TYPE_WORD, .words = "drop weigh relabel",
       .commands = IN(TRAIN),
       .help = "audit the rows first, as 'temper audit' does, and train on what is believed: without the rows that it "
               "lists, with each row weighted by the probability that its label is right, or with suggested labels")

OPTION(HOLDOUT, .name = "holdout", .placeholder = "SHARE|cv|auto|none", .type = TYPE_NUMBER_OR, .least = 0, .most = 1,
       .words = "cv auto none", .standard = "auto", .commands = IN(TRAIN),
       .help =
           "estimate the accuracy on new rows, by models that are fitted without some of the rows: a share of them, "
           "as 0.2, or in turn each fifth (cv); auto: by the fits that calibrate the probabilities, or by others if "
           "they are fast; the model itself is always fitted to all rows, and is the same with none")

OPTION(CHECKPOINT, .name = "checkpoint", .placeholder = "FILE", .type = TYPE_FILE, .is_result = true,
       .commands = IN(TRAIN), .help = "save the state of the training to FILE at intervals")

OPTION(TUNE_CHECKPOINT, .name = "checkpoint", .placeholder = "FILE", .type = TYPE_FILE, .is_result = true,
       .commands = IN(TUNE),
       .help = "save the results of the candidates to FILE; MODEL.tuning if not given, which is removed at the end")

OPTION(TUNE_CHECKPOINT_SECONDS, .name = "checkpoint-seconds", .placeholder = "X", .type = TYPE_NUMBER, .least = 0,
       .most = INFINITY, .standard = "2", .commands = IN(TUNE),
       .help = "least time between two checkpoints; 0 for every candidate")

OPTION(CHECKPOINT_SECONDS, .name = "checkpoint-seconds", .placeholder = "X", .type = TYPE_NUMBER, .least = 0,
       .most = INFINITY, .standard = "30", .commands = IN(TRAIN),
       .help = "least time between two checkpoints; 0 for every iteration")

OPTION(RESUME, .name = "resume", .type = TYPE_FLAG, .commands = IN(TRAIN) | IN(TUNE),
       .help = "continue from the checkpoint, if there is one; the result is the same as without the interruption")

/* ---- Tuning ---------------------------------------------------------------------------------- */

OPTION(GRID, .name = "grid", .placeholder = "TEXT", .type = TYPE_TEXT, .standard = "default",
       .wanted = "default, small, full, paper, or lists such as \"t1=0.1,0.5 t2=1,1.5 l2=1e-5..1e-1:5\"",
       .commands = IN(TUNE), .help = "the candidates: default (by the number of rows), small, full, paper, or lists")

OPTION(FOLDS, .name = "folds", .placeholder = "K", .type = TYPE_WHOLE, .least = 2, .most = 1000, .standard = "10",
       .commands = IN(TUNE), .help = "folds of the cross-validation")

OPTION(CRITERION, .name = "criterion", .placeholder = "NAME", .type = TYPE_WORD,
       .words = "cv+c accuracy log-loss bounded-loss", .standard = "cv+c", .commands = IN(TUNE),
       .help = "selection criterion: cv+c, accuracy, log-loss or bounded-loss")

OPTION(ASSUME, .name = "assume", .placeholder = "WORD", .type = TYPE_WORD, .words = "structured", .commands = IN(TUNE),
       .help = "structured: label errors can be predicted from the features; choose cautiously")

OPTION(TRUSTED, .name = "trusted", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(TUNE),
       .help = "rows with verified labels, which decide: data like DATA, or the file of --ask with labels filled in")

OPTION(ASK, .name = "ask", .placeholder = "K", .type = TYPE_WHOLE, .least = 1, .most = 100000, .commands = IN(TUNE),
       .help = "list the K rows whose true labels would be most informative")

OPTION(ASK_OUTPUT, .name = "ask-output", .placeholder = "FILE", .type = TYPE_FILE, .is_result = true,
       .commands = IN(TUNE), .help = "file of --ask; MODEL.ask.csv if not given")

OPTION(AVERAGE, .name = "average", .type = TYPE_FLAG, .commands = IN(TUNE),
       .help = "save the mean of all candidates within one standard error of the choice, as one linear model")

OPTION(
    TUNE_REPORT, .name = "report", .placeholder = "FILE", .type = TYPE_FILE, .is_result = true, .commands = IN(TUNE),
    .help =
        "write a page with heat maps to FILE, and with the rows of --ask to be labelled on it; or a single map if it "
        "ends in .svg")

/* ---- Audit ----------------------------------------------------------------------------------- */

OPTION(TOP, .name = "top", .placeholder = "K", .type = TYPE_WHOLE, .least = 1, .most = 9007199254740991,
       .commands = IN(AUDIT), .help = "list the K most suspicious rows, whatever their scores")

OPTION(
    THRESHOLD, .name = "threshold", .placeholder = "X", .type = TYPE_NUMBER, .least = 0, .most = INFINITY,
    .commands = IN(AUDIT),
    .help =
        "list the rows with a score of X or more; 0.5 for labels and 3.5 for rows if neither this nor --top is given")

OPTION(AUDIT_KIND, .name = "kind", .placeholder = "label|row", .type = TYPE_WORD, .words = "label row",
       .standard = "label", .commands = IN(AUDIT), .help = "what to look for: wrong labels, or outliers")

OPTION(AUDIT_FOLDS, .name = "folds", .placeholder = "K", .type = TYPE_WHOLE, .least = 2, .most = 1000, .standard = "5",
       .commands = IN(AUDIT), .help = "folds; each row is predicted by the model of the other folds")

OPTION(AUDIT_T1, .name = "t1", .placeholder = "X|auto", .type = TYPE_NUMBER_OR, .least = 0, .most = INFINITY,
       .words = "auto", .standard = "auto", .commands = IN(AUDIT),
       .help = "first temperature; auto: chosen with t2 and l2, as by 'temper tune'")

OPTION(AUDIT_T2, .name = "t2", .placeholder = "X|auto", .type = TYPE_NUMBER_OR, .least = 0, .most = INFINITY,
       .words = "auto", .standard = "auto", .commands = IN(AUDIT),
       .help = "second temperature; auto: chosen with t1, or 1 if that is given")

OPTION(AUDIT_L2, .name = "l2", .placeholder = "X|auto", .type = TYPE_NUMBER_OR, .least = 0, .most = INFINITY,
       .words = "auto", .standard = "auto", .commands = IN(AUDIT),
       .help = "weight of the penalty; auto: chosen with the temperatures, or from the data if those are given")

OPTION(AUDIT_GRID, .name = "grid", .placeholder = "TEXT", .type = TYPE_TEXT,
       .wanted = "default, small, full, paper, or lists such as \"t1=0.1,0.5 t2=1,1.5 l2=0.1x,1x\"",
       .commands = IN(AUDIT), .help = "candidates of auto, as in 'temper tune'; a few candidates if not given")

OPTION(AUDIT_TOL, .name = "tol", .placeholder = "X|auto", .type = TYPE_NUMBER_OR, .least = 1e-15, .most = 1,
       .words = "auto", .standard = "auto", .commands = IN(AUDIT),
       .help = "stop a fit when the norm of the gradient is below X times that at weights of 0; auto: 1e-2 for two "
               "classes, 1e-3 for more, and 1e-2 to choose temperatures")

OPTION(AUDIT_PROBA, .name = "proba", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(AUDIT),
       .help =
           "audit by the probabilities of any model instead of fitting models: csv, tsv (as 'temper predict --proba' "
           "prints) or npy, a row for each row of DATA, a column for each class, named as the class and in any "
           "order; without names in ascending order of the classes. Each row must be predicted by a model that was "
           "fitted without it (out of fold). DATA may hold the labels alone")

OPTION(AUDIT_FEATURES, .name = "features", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(AUDIT),
       .help =
           "the same rows in another form, such as embeddings: csv or npy without labels; neighbours are found in it "
           "instead of DATA's own features")

OPTION(FIX, .name = "fix", .placeholder = "OUT", .type = TYPE_FILE, .is_result = true, .commands = IN(AUDIT),
       .help = "write the data to OUT with the listed rows corrected, and everything else as in DATA")

OPTION(FIX_HOW, .name = "fix-how", .placeholder = "WORD", .type = TYPE_WORD, .words = "drop relabel weight",
       .standard = "drop", .commands = IN(AUDIT),
       .help = "drop them, use the suggested labels, or multiply their weights by their importance under the loss, "
               "or by 1 - score where t1 = t2 = 1 (csv, tsv, jsonl, tmpr; adds a column weight if there is none)")

OPTION(APPLY, .name = "apply", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(AUDIT),
       .help =
           "audit nothing, and write DATA to the OUT of --fix with the labels that FILE decides: the corrections.csv "
           "of a review page (--report)")

OPTION(
    AUDIT_REPORT, .name = "report", .placeholder = "FILE", .type = TYPE_FILE, .is_result = true, .commands = IN(AUDIT),
    .help =
        "write a page of HTML to review the listed rows on: values, evidence, neighbours, images of rows that are "
        "images (idx, cifar, npy of bytes); decisions are exported as corrections.csv, for --apply; with the health of "
        "the data set")

OPTION(AUDIT_HEALTH, .name = "health", .type = TYPE_FLAG, .commands = IN(AUDIT),
       .help = "also print the health of the data set: for each class how many labels are probably wrong, classes that "
               "overlap, near duplicates and outliers; with --json as a last line {\"health\": {...}}")

OPTION(AUDIT_OUTPUT, .name = "output", .letter = 'o', .placeholder = "FILE", .type = TYPE_FILE, .is_result = true,
       .commands = IN(AUDIT), .help = "write the list to FILE, as CSV")

OPTION(AUDIT_JSON, .name = "json", .type = TYPE_FLAG, .commands = IN(AUDIT),
       .help = "print the listed rows as JSON objects, one a line, instead of text")

/* ---- Annotators ------------------------------------------------------------------------------ */

OPTION(LAYOUT, .name = "layout", .placeholder = "long|wide|auto", .type = TYPE_WORD, .words = "long wide auto",
       .standard = "auto", .commands = IN(ANNOTATORS),
       .help = "VOTES: long has item, annotator and label on a line; wide has an item on a line, and a column for each "
               "annotator")

OPTION(COLUMNS, .name = "columns", .placeholder = "COLUMN,...", .type = TYPE_TEXT,
       .wanted = "the columns ITEM,ANNOTATOR,LABEL of a long table, or the column of the items of a wide one, or none",
       .commands = IN(ANNOTATORS),
       .help =
           "VOTES: ITEM,ANNOTATOR,LABEL of a long table, or the column that names the items of a wide one, or none; "
           "by name or number")

OPTION(VOTES_HEADER, .name = "header", .placeholder = "yes|no|auto", .type = TYPE_WORD, .words = "yes no auto",
       .standard = "auto", .commands = IN(ANNOTATORS), .help = "VOTES: whether the first line holds names")

OPTION(ID, .name = "id", .placeholder = "COLUMN", .type = TYPE_TEXT, .wanted = "the name or number of a column",
       .commands = IN(ANNOTATORS),
       .help =
           "the column of DATA, or of the file of --proba, that names the items; if not given, items are numbers of "
           "rows, from 1")

OPTION(ANNOTATORS_LABEL, .name = "label", .placeholder = "COLUMN", .type = TYPE_TEXT,
       .wanted = "the name or number of a column, or none", .standard = "none", .commands = IN(ANNOTATORS),
       .help = "csv: a column of DATA with labels, which the consensus replaces")

OPTION(ANNOTATORS_PROBA, .name = "proba", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(ANNOTATORS),
       .help = "class probabilities of another model, a row for each item and a column for each class, in place of "
               "temper's own model")

OPTION(ANNOTATORS_METHOD, .name = "method", .placeholder = "NAME", .type = TYPE_WORD,
       .words = "dawid-skene one-coin majority", .standard = "dawid-skene", .commands = IN(ANNOTATORS),
       .help = "dawid-skene: a confusion matrix for each annotator, as far as its labels suffice; one-coin: an ability "
               "for each; majority: most votes")

OPTION(AGAIN, .name = "again", .placeholder = "K", .type = TYPE_WHOLE, .least = 0, .most = 9007199254740991,
       .commands = IN(ANNOTATORS),
       .help = "name K items to label again; if not given, as many as the consensus has wrong labels, by expectation")

OPTION(ANNOTATORS_OUTPUT, .name = "output", .letter = 'o', .placeholder = "FILE", .type = TYPE_FILE, .is_result = true,
       .commands = IN(ANNOTATORS), .help = "write the consensus to FILE, as CSV: a line for each item")

OPTION(ANNOTATORS_FILE, .name = "annotators", .placeholder = "FILE", .type = TYPE_FILE, .is_result = true,
       .commands = IN(ANNOTATORS), .help = "write the annotators to FILE, as CSV")

OPTION(LABELLED, .name = "labelled", .placeholder = "OUT", .type = TYPE_FILE, .is_result = true,
       .commands = IN(ANNOTATORS),
       .help = "write the rows of DATA that have votes to OUT, with the consensus as their label")

/* ---- Prediction ------------------------------------------------------------------------------ */

OPTION(PREDICT_OUTPUT, .name = "output", .placeholder = "csv|jsonl|labels|FILE", .type = TYPE_FILE,
       .words = "csv jsonl labels", .is_result = true, .commands = IN(PREDICT),
       .help =
           "csv: a table of the columns of --keep, the predicted class and the probability of each class; jsonl: the "
           "same as a JSON object a line; labels: a class a line, as without this option; any other word is a file "
           "to write to, as for -o")

OPTION(KEEP, .name = "keep", .placeholder = "COLUMN,...|all", .type = TYPE_TEXT,
       .wanted = "names or numbers of columns, separated by commas, or all", .commands = IN(PREDICT),
       .help = "tables: columns of DATA to copy as they are, be they features or not, before the predicted class; "
               "implies --output csv unless that is jsonl")

OPTION(PREDICT_FILE, .name = "output-file", .letter = 'o', .placeholder = "FILE", .type = TYPE_FILE, .is_result = true,
       .commands = IN(PREDICT),
       .help = "write to FILE, completely or not at all; the standard output if not given, or -")

OPTION(PROBA, .name = "proba", .type = TYPE_FLAG, .commands = IN(PREDICT),
       .help = "print calibrated probabilities: a line of class names, then tab-separated numbers")

OPTION(PROBA_OF, .name = "proba-of", .placeholder = "given|true", .type = TYPE_WORD, .words = "given true",
       .commands = IN(PREDICT),
       .help = "print probabilities of the given label, as --proba does, or of the true one, for which the model must "
               "have been trained with --estimate-noise")

OPTION(RAW_PROBA, .name = "raw-proba", .type = TYPE_FLAG, .commands = IN(PREDICT),
       .help = "print the probabilities of the loss itself, not calibrated")

OPTION(
    DECISION, .name = "decision", .type = TYPE_FLAG, .commands = IN(PREDICT),
    .help = "print decision values: one number a row for two classes, positive for the second; else one for each class")

OPTION(POSITIVE, .name = "positive", .placeholder = "CLASS", .type = TYPE_TEXT, .wanted = "the name of a class",
       .commands = IN(EVAL),
       .help = "two classes: the one that the table of thresholds is about; the second if not given")

/* ---- Explanation ----------------------------------------------------------------------------- */

OPTION(EXPLAIN_TOP, .name = "top", .placeholder = "N", .type = TYPE_WHOLE, .least = 1, .most = 10000, .standard = "10",
       .commands = IN(EXPLAIN), .help = "list so many features, the strongest ones")

OPTION(EXPLAIN_OUTPUT, .name = "output", .placeholder = "table|csv|jsonl|FILE", .type = TYPE_FILE,
       .words = "table csv jsonl", .is_result = true, .commands = IN(EXPLAIN),
       .help = "table: for people, as without this option; csv: a line for each feature of each row or class; jsonl: a "
               "JSON object for each row or class; any other word is a file to write to, as for -o")

OPTION(EXPLAIN_FILE, .name = "output-file", .letter = 'o', .placeholder = "FILE", .type = TYPE_FILE, .is_result = true,
       .commands = IN(EXPLAIN),
       .help = "write the list to FILE, completely or not at all; the standard output if not given, or -")

OPTION(EXPLAIN_REPORT, .name = "report", .placeholder = "FILE", .type = TYPE_FILE, .is_result = true,
       .commands = IN(EXPLAIN),
       .help = "write a page of HTML instead: the strongest features, those that moved the decisions on DATA, and its "
               "first rows")

/* ---- Data out -------------------------------------------------------------------------------- */

OPTION(TO, .name = "to", .placeholder = "NAME", .type = TYPE_WORD, .words = FORMAT_WORDS,
       .commands = IN(CONVERT) | IN(NOISE) | IN(AUDIT) | IN(ANNOTATORS),
       .help = "format of OUT: libsvm, csv, tsv, jsonl, npy, idx, cifar or tmpr; inferred from its name if not given")

OPTION(CONVERT_SCALE, .name = "scale", .placeholder = "NAME", .type = TYPE_WORD,
       .words = "none standard minmax maxabs log pixels", .standard = "none", .commands = IN(CONVERT),
       .help = "scale the features: standard (mean 0, deviation 1), minmax (0 to 1), maxabs (within -1 and 1), log "
               "(log(1 + x), then standard) or pixels (divided by 255)")

/* ---- Splitting ------------------------------------------------------------------------------- */

OPTION(SHARE, .name = "share", .placeholder = "X", .type = TYPE_NUMBER, .least = 0, .most = 1, .standard = "0.2",
       .commands = IN(SPLIT), .help = "share of the rows for testing")

OPTION(SPLIT_FOLDS, .name = "folds", .placeholder = "K", .type = TYPE_WHOLE, .least = 2, .most = 1000,
       .commands = IN(SPLIT),
       .help = "write K pairs of files, NAME.fold1.train and so on, in which each row is for testing once; with --time "
               "each is tested after a training on the rows before it")

OPTION(STRATIFY, .name = "stratify", .placeholder = "COLUMN|none", .type = TYPE_TEXT,
       .wanted = "the name or number of a column, or none", .commands = IN(SPLIT),
       .help =
           "the column whose values have the same share in all files; the label if not given; none: rows are divided "
           "without regard to it")

OPTION(GROUP, .name = "group", .placeholder = "COLUMN", .type = TYPE_TEXT, .wanted = "the name or number of a column",
       .commands = IN(SPLIT), .help = "rows with the same value in this column stay together")

OPTION(TIME, .name = "time", .placeholder = "COLUMN", .type = TYPE_TEXT, .wanted = "the name or number of a column",
       .commands = IN(SPLIT),
       .help = "a column of numbers or dates: the last rows by it are for testing; rows of the same time stay together")

OPTION(SPLIT_OUTPUT, .name = "output", .letter = 'o', .placeholder = "NAME", .type = TYPE_FILE, .commands = IN(SPLIT),
       .help = "write NAME.train and NAME.test, with the extension of DATA; DATA without its extension if not given")

OPTION(TRAIN_FILE, .name = "train", .placeholder = "FILE", .type = TYPE_FILE, .is_result = true, .commands = IN(SPLIT),
       .help = "the file for training, by its whole name")

OPTION(TEST_FILE, .name = "test", .placeholder = "FILE", .type = TYPE_FILE, .is_result = true, .commands = IN(SPLIT),
       .help = "the file for testing, by its whole name")

/* ---- Noise ----------------------------------------------------------------------------------- */

OPTION(KIND, .name = "kind", .placeholder = "NAME", .type = TYPE_WORD,
       .words = "random pair matrix small-margin large-margin instance", .standard = "random", .commands = IN(NOISE),
       .help = "kind of noise: random, pair, matrix, small-margin, large-margin or instance")

OPTION(RATE, .name = "rate", .placeholder = "R", .type = TYPE_NUMBER, .least = 0, .most = 1, .commands = IN(NOISE),
       .help = "share of all rows that change; not for matrix")

OPTION(MAP, .name = "map", .placeholder = "A=B,...", .type = TYPE_TEXT,
       .wanted = "pairs of classes A=B, separated by commas", .commands = IN(NOISE),
       .help = "pair: new class of each class; the next one if not given")

OPTION(MATRIX, .name = "matrix", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(NOISE),
       .help = "matrix: a CSV file of transition probabilities, a line for each class")

OPTION(RANK_L2, .name = "rank-l2", .placeholder = "X", .type = TYPE_NUMBER, .least = 0, .most = INFINITY,
       .standard = "1e-4", .commands = IN(NOISE) | IN(EXPERIMENT),
       .help = "margins: l2 of the logistic regression that ranks the rows")

OPTION(RANK_SCALE, .name = "rank-scale", .placeholder = "NAME", .type = TYPE_WORD,
       .words = "none standard minmax maxabs log pixels", .commands = IN(NOISE) | IN(EXPERIMENT),
       .help = "margins: scaling for that regression; as for training if not given")

OPTION(POOL, .name = "pool", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(NOISE),
       .help = "instance: take features from rows of FILE whose class DATA does not have")

OPTION(SEED, .name = "seed", .placeholder = "N", .type = TYPE_WHOLE, .least = 0, .most = 9007199254740991,
       .standard = "1", .commands = IN(NOISE) | IN(SPLIT) | SOLVING | IN(ANNOTATORS) | IN(DEMO) | IN(EXPERIMENT),
       .help = "random seed; equal seeds give equal results")

OPTION(NOISE_OUTPUT, .name = "output", .letter = 'o', .placeholder = "FILE", .type = TYPE_FILE, .is_result = true,
       .commands = IN(NOISE), .help = "write the noisy data to FILE, and the list of changes to FILE.changes.csv")

/* ---- Experiments ----------------------------------------------------------------------------- */

OPTION(EXPERIMENT_DATA, .name = "data", .placeholder = "DIR", .type = TYPE_FILE, .commands = IN(EXPERIMENT),
       .help = "the folder of the data sets, each in its own folder; $TEMPER_DATA, else data, if not given")

OPTION(SETS, .name = "sets", .placeholder = "NAME,...", .type = TYPE_TEXT,
       .wanted = "names of data sets, separated by commas", .commands = IN(EXPERIMENT),
       .help = "data sets: fashion-mnist, cifar10, fonts, covtype, fashion-mnist-0v6, fashion-mnist-10, a9a or "
               "amazon-kitchen; those of the paper that are available if not given")

OPTION(METHODS, .name = "methods", .placeholder = "LOSS,...", .type = TYPE_LOSSES, .commands = IN(EXPERIMENT),
       .help = "losses to compare; given temperatures, as in tempered:0.1:1.12, are not tuned")

OPTION(NOISE_KINDS, .name = "noise", .placeholder = "KIND,...", .type = TYPE_TEXT,
       .wanted = "kinds of noise, separated by commas", .commands = IN(EXPERIMENT),
       .help = "noise in the training rows: random, pair, small-margin, large-margin, instance")

OPTION(RATES, .name = "rates", .placeholder = "R,...", .type = TYPE_NUMBERS, .least = 0, .most = 1,
       .commands = IN(EXPERIMENT), .help = "shares of the training rows that it changes, ascending")

OPTION(SPLITS, .name = "splits", .placeholder = "N", .type = TYPE_WHOLE, .least = 1, .most = 100,
       .commands = IN(EXPERIMENT), .help = "random splits into training and test rows")

OPTION(EXPERIMENT_FOLDS, .name = "folds", .placeholder = "K", .type = TYPE_WHOLE, .least = 2, .most = 1000,
       .commands = IN(EXPERIMENT), .help = "folds of the cross-validation")

OPTION(EXPERIMENT_GRID, .name = "grid", .placeholder = "TEXT", .type = TYPE_TEXT,
       .wanted = "default, small, full, paper, or lists such as \"t1=0.1,0.5 t2=1.12,1.5 l2=1e-5..1e-1:5\"",
       .commands = IN(EXPERIMENT), .help = "grid for tuning: default, small, full, paper, or lists and ranges")

OPTION(EXPERIMENT_CRITERION, .name = "criterion", .placeholder = "NAME", .type = TYPE_WORD,
       .words = "cv+c accuracy log-loss bounded-loss", .standard = "accuracy", .commands = IN(EXPERIMENT),
       .help = "selection criterion: accuracy, as in the paper, cv+c, log-loss or bounded-loss")

OPTION(WHOSE_TEMPERATURES, .name = "temperatures", .placeholder = "tuned|paper", .type = TYPE_WORD,
       .words = "tuned paper", .standard = "tuned", .commands = IN(EXPERIMENT),
       .help = "tuned with the penalty, or those that the paper gives for each data set")

OPTION(DEVIATIONS, .name = "deviations", .placeholder = "X,...", .type = TYPE_NUMBERS, .least = 0, .most = 1e6,
       .commands = IN(EXPERIMENT),
       .help = "starts: standard deviations of the initial weights, ascending; 0 starts from zero")

OPTION(ROWS, .name = "rows", .placeholder = "N", .type = TYPE_WHOLE, .least = 0, .most = 1e15,
       .commands = IN(EXPERIMENT), .help = "maximal number of rows of each data set, chosen at random; 0 for all")

OPTION(EXPERIMENT_SCALE, .name = "scale", .placeholder = "NAME", .type = TYPE_WORD,
       .words = "none standard minmax maxabs log pixels", .commands = IN(EXPERIMENT),
       .help = "scaling of features; if not given, images are divided by 255, tables are standardised, and sparse data "
               "is not scaled")

OPTION(QUICK, .name = "quick", .type = TYPE_FLAG, .commands = IN(EXPERIMENT),
       .help = "fewer splits, folds, candidates and rows: minutes instead of hours")

OPTION(
    RECORDS, .name = "records", .placeholder = "FILE", .type = TYPE_FILE, .is_result = true, .commands = IN(EXPERIMENT),
    .help =
        "file of results, a line of JSON each; existing results are not measured again; temper-NAME.jsonl if not given")

OPTION(REPORT, .name = "report", .placeholder = "FILE", .type = TYPE_FILE, .is_result = true,
       .commands = IN(EXPERIMENT),
       .help = "write the page to FILE, completely or not at all; temper-NAME.html if not given")

/* ---- Demo ------------------------------------------------------------------------------------ */

OPTION(DEMO_DATA, .name = "data", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(DEMO),
       .help = "a table of yours instead of synthetic rows: part of its labels is flipped")

OPTION(DEMO_RATE, .name = "rate", .placeholder = "R", .type = TYPE_NUMBER, .least = 0.001, .most = 0.5,
       .standard = "0.1", .commands = IN(DEMO), .help = "with --data: share of the training labels to flip")

OPTION(DEMO_KIND, .name = "kind", .placeholder = "NAME", .type = TYPE_WORD,
       .words = "random pair small-margin large-margin", .standard = "random", .commands = IN(DEMO),
       .help = "with --data: which labels are flipped: random ones, each class to the next one (pair), or those near "
               "to or far from the boundary of a logistic regression")

OPTION(PLAYGROUND, .name = "playground", .placeholder = "ADDRESS", .type = TYPE_TEXT,
       .wanted = "the address of the playground's page", .commands = IN(DEMO),
       .help = "link from the page to the playground at ADDRESS, with these settings")

OPTION(DEMO_OUTPUT, .name = "output", .letter = 'o', .placeholder = "FILE", .type = TYPE_FILE, .is_result = true,
       .standard = "temper-demo.html", .commands = IN(DEMO), .help = "write the page to FILE, completely or not at all")

/* ---- Everywhere ------------------------------------------------------------------------------ */

OPTION(JSON, .name = "json", .type = TYPE_FLAG,
       .commands = (READING & ~IN(PLOT) & ~IN(AUDIT)) | IN(SPLIT) | IN(ANNOTATORS) | IN(EXPERIMENT),
       .help = "print one JSON object instead of text")

OPTION(QUIET, .name = "quiet", .letter = 'q', .type = TYPE_FLAG,
       .commands = READING | IN(SPLIT) | IN(ANNOTATORS) | IN(EXPERIMENT) | IN(DEMO),
       .help = "print no notes, only results, warnings and errors")

OPTION(VERBOSE, .name = "verbose", .letter = 'v', .type = TYPE_FLAG, .commands = IN(TRAIN),
       .help = "print a line for each iteration on the standard error")

OPTION(HELP, .name = "help", .letter = 'h', .type = TYPE_FLAG, .stops = true, .commands = EVERYWHERE,
       .help = "show this help")

OPTION(VERSION, .name = "version", .type = TYPE_FLAG, .stops = true, .commands = EVERYWHERE, .help = "show the version")
