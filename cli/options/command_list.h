/* Every command once: its name, operands and description. Parsing, --help, the man pages and the completions of bash,
 * zsh and fish all come from here and from option_list.h.
 *
 * Included where COMMAND(id, fields of struct command) is defined; no include guard, on purpose.
 * A description is paragraphs with an empty line between them; one that begins with a space is kept
 * as it is. EXAMPLES({what it does, what to type}, ...). */

COMMAND(
    PROGRAM, .name = "temper", .operands = "COMMAND [ARGUMENT]...", .operand_completion = COMPLETE_COMMANDS,
    .summary = "logistic regression for people whose labels are partly wrong",
    .description =
        "temper implements two-temperature logistic regression: one temperature bounds the loss, which limits the "
        "influence of a wrong label, the other gives the model heavy tails, which limits the influence of "
        "outliers.\n\nOptions and arguments may follow the command in any order. If an option is given twice, the last "
        "value counts; -- ends the options. Results go to the standard output, everything else to the standard error.",
    .examples = EXAMPLES({"Fit a model, and measure it on other rows",
                          "temper train train.csv -m model.temper\ntemper eval -m model.temper test.csv"},
                         {"Describe a data file", "temper info train.csv"},
                         {"Draw Figure 1 of the paper", "temper plot losses -o losses.svg"},
                         {"Read about a command", "temper help plot"}))

COMMAND(
    TRAIN, .name = "train", .operands = "DATA", .operand_completion = COMPLETE_FILE, .fewest = 1, .most = 1,
    .run = cmd_train, .summary = "fit a model to data",
    .description =
        "Fits a linear classifier and writes it to DATA.temper, or to the file of -m. The losses:\n\n  tempered     "
        "two temperatures: --t1 below 1 bounds the loss of a row,\n               --t2 above 1 gives heavy tails\n  "
        "logistic     plain logistic regression: t1 = t2 = 1\n  t-logistic   heavy tails alone: t1 = 1\n  gce          "
        "generalised cross-entropy: t2 = 1\n  hinge        support vector machine\n  bregman      the bi-tempered loss "
        "of 2019\n  sce          symmetric cross-entropy: sce:ALPHA:BETA:LOG_ZERO\n  trimmed      logistic regression "
        "without the worst-fitting share of the\n               rows: trimmed:TRIM\n  forward      forward correction "
        "by an estimated matrix of label noise\n\nParameters may follow the name "
        "of a loss, "
        "separated by colons, as in tempered:0.3:1; otherwise they are those of the options, or standard values "
        "(sce:0.1:1:-4). Equal data, options and seed give an identical file for any number of threads. An existing "
        "model "
        "is replaced only by a complete new one. Ctrl-C or SIGTERM stop the training after the current iteration and "
        "save the best model so far; a second signal ends it at once, with nothing saved. With --checkpoint, an "
        "interrupted training can be continued by --resume and gives the same model as without the interruption; "
        "remove the checkpoint afterwards.\n\nDATA may also be a folder, a pattern such as 'parts/*.csv', or @LIST, a "
        "text file that names data files, one a line: all files are read as one.",
    .examples = EXAMPLES({"With the defaults, into iris.csv.temper", "temper train iris.csv"},
                         {"Other temperatures, and early stopping",
                          "temper train train.libsvm --t1 0.1 --t2 1.5 --valid valid.libsvm \\\n    -m model.temper"},
                         {"A long training that can be continued by the same command",
                          "temper train big.tmpr -m big.temper --checkpoint big.state --resume"}))

COMMAND(
    TUNE, .name = "tune", .operands = "DATA", .operand_completion = COMPLETE_FILE, .fewest = 1, .most = 1,
    .run = cmd_tune, .summary = "choose temperatures and penalty, and fit the model",
    .description =
        "Evaluates a grid of temperatures and penalties by cross-validation, chooses one candidate, and fits it to all "
        "rows, into DATA.temper or the file of -m. All candidates are fitted on two halves of the rows; those that are "
        "more than one point plus 2 standard errors of the difference below the best there are dropped, the others are "
        "fitted on "
        "--folds.\n\nCross-validated accuracy on partly wrong labels is a good criterion only if the label errors "
        "cannot be predicted from the features. The criterion cv+c starts from it, and departs from it where errors "
        "among confident predictions, undecided rows, or labels that contradict a cautious model indicate that they "
        "can; it reports which step decided, and warns. The absence of a warning proves nothing. A few rows with "
        "verified labels settle the question: --ask lists the most informative ones, --trusted reads them.\n\nA grid "
        "consists of lists of t1, t2 and l2; FROM..TO:COUNT is a range, and l2 may be a multiple of the default: 0.1x. "
        "Logistic regression (1, 1) and (0.1, 1.12) are always added, unless the grid contains the word 'only'. "
        "loss=hinge,sce:0.1:1:-4 chooses other losses, with their parameters.\n\nAfter Ctrl-C or SIGTERM the same "
        "command with --resume continues, "
        "and gives the same table as without the interruption.",
    .examples = EXAMPLES({"With the defaults, into crowd.csv.temper", "temper tune crowd.csv"},
                         {"A custom grid",
                          "temper tune crowd.csv --grid \"t1=0.1,0.5,0.9 t2=1.12,1.5,1.9 \\\n    l2=1e-5..1e-1:5\""},
                         {"Let ten verified labels decide: fill in their labels, tune again",
                          "temper tune crowd.csv --ask 10\ntemper tune crowd.csv --trusted crowd.csv.temper.ask.csv"}))

COMMAND(
    AUDIT, .name = "audit", .operands = "DATA", .operand_completion = COMPLETE_FILE, .fewest = 1, .most = 1,
    .run = cmd_audit, .summary = "list the rows whose labels look wrong",
    .description =
        "Predicts each row by a model that was fitted without its fold and by its nearest neighbours, and estimates "
        "from both how often each class is labelled as another. The score of a row is the probability that its label "
        "is wrong; rows are listed in descending order of the score, down to 0.5 or as set by --top or --threshold, "
        "with a suggested label. The expected share of wrong labels among the listed rows is reported; it is accurate "
        "if label errors depend on the class alone. DATA is never changed.\n\nRows that have the same features and "
        "different labels are marked as conflicts. --kind row looks for outliers, such as damaged rows. For skewed "
        "counts, such as word frequencies, try --scale log.\n\nRows are numbered from 1 (in Python from 0), including "
        "rows of classes excluded by --classes, but not those dropped by --missing drop; lines are those of the "
        "file.\n\nIf OUT has the format of DATA (CSV, JSON lines or libsvm), the corrected data is its text with only "
        "the "
        "corrections changed, including rows that were excluded. Otherwise it is written as by convert.",
    .examples = EXAMPLES(
        {"The rows that the evidence supports", "temper audit crowd.csv"},
        {"A page to review a hundred rows on, and their list",
         "temper audit train-images-idx3-ubyte.gz --top 100 --report audit.html \\\n    -o suspects.csv"},
        {"Write the labels that were decided on the page",
         "temper audit crowd.csv --report review.html\n"
         "temper audit crowd.csv --apply corrections.csv --fix clean.csv"},
        {"By the probabilities of another model, out of fold, and its embeddings of the rows",
         "temper audit labels.csv --proba probabilities.npy --features embeddings.npy"},
        {"Train without them", "temper audit crowd.csv --fix clean.csv --fix-how drop\ntemper train clean.csv"},
        {"Train with smaller weights for them",
         "temper audit crowd.csv --fix weighted.csv --fix-how weight\ntemper train weighted.csv --weights weight"}))

COMMAND(
    ANNOTATORS, .name = "annotators", .operands = "VOTES [DATA]", .operand_completion = COMPLETE_FILE, .fewest = 1,
    .most = 2, .run = cmd_annotators, .summary = "consensus labels from several annotators",
    .description =
        "Reads labels that several annotators have given to the same items, estimates how often each annotator takes "
        "which class for which (Dawid and Skene), and reports the most probable class of each item, the accuracy of "
        "each annotator, and the items that one more label would help most. An annotator with few labels is judged "
        "mostly by what all have in common. Remarks: random (labels hardly depend on the class), inverted (wrong more "
        "often than by chance), constant (always the same label).\n\nVOTES is a CSV table, long (a line has an item, "
        "an annotator and a label) or wide (a line has an item, and each annotator a column; an empty cell is no "
        "label). The layout is inferred, and a note states it.\n\nWith DATA, whose rows are the items, models are "
        "fitted to the consensus out of fold, and their probabilities count as one more source, as far as they prove "
        "right; --proba FILE takes those of any other model. Items are numbers of rows from 1, or texts of the column "
        "of --id.\n\nThe estimates assume that annotators err independently of each other, and that most votes are "
        "better than chance.",
    .examples =
        EXAMPLES({"Consensus, and a table of the annotators",
                  "temper annotators votes.csv -o consensus.csv --annotators people.csv"},
                 {"With the features of the items, and then train",
                  "temper annotators votes.csv data.csv --id name --labelled labelled.csv\ntemper train labelled.csv"},
                 {"The hundred items to label again", "temper annotators votes.csv --again 100 --json"}))

COMMAND(PREDICT, .name = "predict", .operands = "DATA", .operand_completion = COMPLETE_FILE, .fewest = 1, .most = 1,
        .run = cmd_predict, .summary = "apply a model to rows",
        .description =
            "Prints the most likely class of each row, one a line, or the numbers selected by an option below. "
            "DATA may be larger than memory; - is the standard input. It may have a label column or not. "
            "Columns are matched by name where the model has names; text and missing values are encoded as in "
            "training. A file without rows gives no lines, but the header of a table.\n\nThe probabilities of --proba "
            "are those of the given label, label errors included, not "
            "of the true one: where a tenth of the labels is wrong, none is much above 0.9. They were calibrated after "
            "training, on rows that the scores were not fitted to; 'temper eval' measures how well. --proba-of true "
            "gives the probabilities of the true label, by the noise that 'temper train --estimate-noise' has "
            "estimated.",
        .examples = EXAMPLES({"A label a line", "temper predict -m model.temper new.csv -o labels.txt"},
                             {"A table with the column id, the predicted class and probabilities",
                              "temper predict -m model.temper new.csv --keep id -o predicted.csv"},
                             {"All columns and the predictions, an object a line",
                              "temper predict -m model.temper new.csv --keep all --output jsonl"},
                             {"Probabilities", "temper predict -m model.temper --proba new.csv"},
                             {"In a pipe", "zcat new.csv.gz | temper predict -m model.temper -"}))

COMMAND(EVAL, .name = "eval", .operands = "DATA", .operand_completion = COMPLETE_FILE, .fewest = 1, .most = 1,
        .run = cmd_eval, .summary = "measure a model on labelled rows",
        .description =
            "Applies a model to labelled rows and reports the accuracy, also as the mean over classes; the "
            "loss that the model was trained with; log loss, Brier score and expected calibration error of "
            "its probabilities; precision, recall, F1, area under the ROC curve and average precision of each "
            "class against all others, with their means; the confusion matrix; and for two classes what "
            "other thresholds than one half would do. DATA may be larger than memory; - is the standard "
            "input. Rows of a class that the model does not know count as errors.",
        .examples = EXAMPLES({"On test rows", "temper eval -m model.temper test.csv"},
                             {"Thresholds for the class 'ill'", "temper eval -m model.temper --positive ill test.csv"},
                             {"For a program", "temper eval -m model.temper --json test.csv"}))

COMMAND(EXPLAIN, .name = "explain", .operands = "[DATA]", .operand_completion = COMPLETE_FILE, .fewest = 0, .most = 1,
        .run = cmd_explain, .summary = "show which features a model decides by",
        .description =
            "Without DATA, lists the strongest features of a model, for each class: the effect on its score of a step "
            "of the feature, which is a standard deviation in the training rows if the model was trained with --scale "
            "standard, as is the default for tables; the report names the step of other models.\n\nWith DATA, lists "
            "for each row the features that moved its decision: the predicted class, the runner-up, and the "
            "contribution of each feature to the difference of their scores, relative to a row that has the mean of "
            "the training rows in all features (0 where the model has no means). A positive contribution speaks for "
            "the predicted class. The base, which is the difference at those means, and all contributions add up to "
            "the difference of the scores. All features of a column of categories are one contribution, shown as "
            "colour = red. Values are in the units of DATA.\n\nWeights describe the model, not causes: features that "
            "go together share an effect, or cancel each other's.",
        .examples = EXAMPLES({"The strongest features of a model", "temper explain -m model.temper"},
                             {"The three features that decided each row, as CSV",
                              "temper explain -m model.temper test.csv --top 3 --output csv -o reasons.csv"},
                             {"A page", "temper explain -m model.temper test.csv --report explain.html"}))

COMMAND(
    PLOT, .name = "plot", .operands = "losses|path|report [DATA]", .operand_completion = COMPLETE_WORDS,
    .operand_words = "losses path report", .rest_completion = COMPLETE_FILE, .fewest = 1, .most = 2, .run = cmd_plot,
    .summary = "draw losses, the weights along a path of penalties, or a report",
    .description =
        "plot losses draws Figure 1 of the paper for any temperatures, as SVG: panel a shows log_t, panel b exp_t, and "
        "panel c the losses as functions of the margin. A loss of panel c is a name, optionally with parameters:\n\n  "
        "tempered:T1:T2   two temperatures; T1 < 1 bounds it by 1/(1-T1)\n  logistic         the same with T1 = T2 = "
        "1\n  t-logistic:T2    the same with T1 = 1\n  gce:T1           the same with T2 = 1 (generalised "
        "cross-entropy)\n  bregman:T1:T2    the bi-tempered loss of 2019\n  hinge:SMOOTHING  the kink rounded over "
        "SMOOTHING; without it, no rounding\n  sce:ALPHA:BETA:LOG_ZERO\n                   symmetric cross-entropy; "
        "LOG_ZERO replaces log 0\n\nA loss without "
        "temperatures takes them from --t1 and --t2.\n\nplot path DATA "
        "trains for a sequence of penalties, from the strongest to the weakest, each time starting from the previous "
        "weights, and draws weights and accuracy against the penalty, as SVG. Weights are those of scaled features, so "
        "that they can be compared.\n\nplot report -m MODEL DATA reports on a model on labelled rows: its scores, the "
        "margins of the given labels with the loss, calibration, figures of each class, thresholds, the confusion "
        "matrix, "
        "and its largest weights; as a "
        "self-contained page of HTML, or as the figures alone if FILE ends in .svg.",
    .examples =
        EXAMPLES({"Figure 1 of the paper", "temper plot losses -o losses.svg"},
                 {"What temperatures do to log_t and exp_t",
                  "temper plot losses --panels ab --temperatures 0.5,1,1.4 -o logs.svg"},
                 {"Three losses with the same bound", "temper plot losses --panels c --margins -8,4 --output caps.svg "
                                                      "\\\n    --losses gce:0.5,tempered:0.5:1.5,tempered:0.5:2"},
                 {"Weights along penalties from 10 to 0.0001", "temper plot path train.csv --l2 1e-4,10 -o path.svg"},
                 {"A page about a model", "temper plot report -m model.temper test.csv -o report.html"}))

COMMAND(
    EXPERIMENT, .name = "experiment", .operands = "figure1|figure2|table1|table2|starts|selection",
    .operand_completion = COMPLETE_WORDS, .operand_words = "figure1 figure2 table1 table2 starts selection",
    .fewest = 1, .most = 1, .run = cmd_experiment, .summary = "repeat the paper's experiments, or variations of them",
    .description = "Runs one of the paper's experiments on those of its data sets that are available, prints a table, "
                   "and writes a page that compares it with the paper's figures and gives a verdict on each claim:\n\n "
                   " figure1     the functions and the losses\n  figure2     accuracy against instance noise, 0 to 40 "
                   "%\n  table1      accuracy with 10 % of wrong labels, for three kinds of noise\n  table2      run "
                   "time of one training\n  starts      random initial weights: when are poor local minima reached?\n  "
                   "selection   the regret of choosing temperatures on noisy labels\n\nThe protocol is that of the "
                   "paper: a tenth of the rows is for testing, cross-validation on the others chooses the parameters "
                   "of each method, over ten random splits. Every part of it can be changed by an option. Each result "
                   "is saved in a file; an interrupted run continues from it and gives the same tables.",
    .examples = EXAMPLES({"Table 1 in minutes", "temper experiment table1 --quick --data ../data"},
                         {"As in the paper, in hours", "temper experiment table1 --data ../data --report table1.html"},
                         {"Other losses on one set",
                          "temper experiment figure2 --sets fashion-mnist --rates 0,0.2,0.4 \\\n    --methods "
                          "logistic,gce,bregman,tempered:0.1:1.12 --splits 3"}))

COMMAND(DEMO, .name = "demo", .run = cmd_demo,
        .summary = "show the effect of wrong labels on synthetic data, or on yours",
        .description =
            "Makes two small synthetic data sets, flips one label in ten, trains plain logistic regression and the "
            "two-temperature loss on them, and compares both on clean test rows and in finding the flipped labels. "
            "Writes a page with figures; takes a few seconds.\n\nWith --data FILE the rows are yours: three tenths "
            "are held out, and part of the other labels is flipped. Logistic regression, the two-temperature loss and "
            "the same with tuned temperatures are trained on the labels as given and on the flipped ones, and compared "
            "on the held-out rows with their labels as given, which may be wrong as well. An audit of the training "
            "rows shows how many of the flipped labels it finds, and what else it lists. Of a large table a random "
            "part is used. FILE is not changed.",
        .examples = EXAMPLES({"Run it", "temper demo"},
                             {"Other rows, another page", "temper demo --seed 2 -o second.html"},
                             {"With rows of yours, a fifth of the labels flipped",
                              "temper demo --data crowd.csv --rate 0.2"}))

COMMAND(INFO, .name = "info", .operands = "FILE", .operand_completion = COMPLETE_FILE, .fewest = 1, .most = 1,
        .run = cmd_info, .summary = "describe a data file or a model",
        .description =
            "Reads the whole file and reports its format, rows, features and classes, the memory it takes, and "
            "possible problems: constant and duplicate columns, missing values, classes of few rows. For a model: its "
            "contents and how it was trained.\n\nData is libsvm or svmlight text, CSV or TSV, JSON lines, NPY, IDX "
            "(MNIST), "
            "CIFAR-10 binary or temper's own .tmpr, plain or compressed by gzip or zstd; the format is inferred from "
            "the content, then from the name; - is the standard input. Assumptions are printed on the standard error.",
        .examples = EXAMPLES({"Describe a table", "temper info iris.csv"},
                             {"A table with names, labels in the column 'kind'",
                              "temper info --header yes --label kind --missing mean table.csv"},
                             {"How a model was trained", "temper info iris.csv.temper"},
                             {"For a program", "temper info --json train.libsvm.gz"}))

COMMAND(CONVERT, .name = "convert", .operands = "IN OUT", .operand_completion = COMPLETE_FILE, .fewest = 2, .most = 2,
        .run = cmd_convert, .summary = "write data in another format, or a model as a program",
        .description = "Reads IN in any of the formats that 'temper info' knows and writes OUT, completely or not at "
                       "all, in the format given by its extension or --to. OUT may be IN itself; - is the standard "
                       "input, and the standard output.\n\nA .tmpr file opens without parsing, whatever its size, and "
                       "keeps everything: labels, weights, names, line numbers. Other formats drop what they cannot "
                       "represent; npy and idx keep labels in a second file, OUT.labels, for --labels; labels of idx "
                       "images NAME-images-idx3-ubyte go to NAME-labels-idx1-ubyte, which is found when they are "
                       "read.\n\nIf IN is a model, OUT is NAME.c, a C file that needs nothing but libm, or NAME.onnx.",
        .examples = EXAMPLES({"Text to a file that opens without parsing", "temper convert train.csv train.tmpr"},
                             {"Two classes of an image set as text",
                              "temper convert --classes 0,6 train-images-idx3-ubyte.gz pair.libsvm"},
                             {"In a pipe", "temper convert - - --to csv <train.libsvm | head"},
                             {"A model for another program", "temper convert model.temper model.onnx"}))

COMMAND(
    SPLIT, .name = "split", .operands = "DATA", .operand_completion = COMPLETE_FILE, .fewest = 1, .most = 1,
    .run = cmd_split, .summary = "divide data into files for training and testing",
    .description =
        "Divides the rows of DATA at random into two files, DATA.train and DATA.test with the extension of DATA, or "
        "those of --train and --test. Every class has the same share in both, as far as possible. A model is to be "
        "measured on rows that it was not trained on, and rows that belong together should be in one file: give "
        "--group if several rows are of one person, device or document, and --time if the model is to predict rows "
        "of the future.\n\nRows of CSV, libsvm and JSON lines are copied byte for byte in their order, whatever they "
        "hold, with the header in both files; both files appear, or neither does. Other formats are written as by "
        "convert. Equal data, options and seed give equal files.",
    .examples = EXAMPLES({"A fifth of the rows for testing", "temper split crowd.csv\ntemper train crowd.train.csv\n"
                                                             "temper eval -m crowd.train.csv.temper crowd.test.csv"},
                         {"All rows of a person in one file", "temper split visits.csv --group person --share 0.3"},
                         {"The last tenth of the year for testing", "temper split sales.csv --time date --share 0.1"},
                         {"Five folds", "temper split crowd.csv --folds 5 -o folds/crowd"}))

COMMAND(NOISE, .name = "noise", .operands = "DATA", .operand_completion = COMPLETE_FILE, .fewest = 1, .most = 1,
        .run = cmd_noise, .summary = "add noise to data, to test robustness",
        .description =
            "Changes a share of the rows and writes the result, and in FILE.changes.csv a line for each row that "
            "changed: its number, its old class and its new class.\n\n  random         the label becomes a random "
            "other class\n  pair           the label becomes the next class, or that of --map\n  matrix         the "
            "label is drawn from a line of --matrix\n  small-margin   of rows that a logistic regression classifies "
            "correctly, the\n                 ones with the smallest margin get the second most likely label\n  "
            "large-margin   the same with the largest margins\n  instance       the label stays; the features become "
            "those of another class\n\nThe rate is a share of all rows: exactly that many change.",
        .examples =
            EXAMPLES({"A tenth of the labels", "temper noise train.csv --rate 0.1 -o noisy.csv"},
                     {"Cats that are labelled as dogs",
                      "temper noise pets.csv --kind pair --map cat=dog --rate 0.2 -o noisy.tmpr"},
                     {"Shirts that show shoes",
                      "temper noise shirts.tmpr --kind instance --pool shoes.tmpr --rate 0.1 \\\n    -o noisy.tmpr"}))

COMMAND(HELP, .name = "help", .operands = "[COMMAND]", .operand_completion = COMPLETE_COMMANDS, .most = 1,
        .run = cmd_help, .summary = "describe a command",
        .description = "Shows what 'temper COMMAND --help' shows, or, without a COMMAND, the list of commands.",
        .examples = EXAMPLES({"Read about plot", "temper help plot"}))

COMMAND(VERSION, .name = "version", .run = cmd_version, .summary = "print the version",
        .description = "Prints the version, as 'temper --version' does, and the kernels that it uses on this "
                       "processor: avx512, avx2, neon or plain. The environment variable TEMPER_KERNEL=NAME selects "
                       "others, to compare them or to find an error.",
        .examples = EXAMPLES({"Print it", "temper version"}))

/* For the build, which installs what it writes. */
COMMAND(DOCUMENTS, .name = "documents", .operands = "DIR", .operand_completion = COMPLETE_FOLDER, .fewest = 1,
        .most = 1, .hidden = true, .run = cmd_documents,
        .summary = "write man pages and shell completions into a folder",
        .description =
            "Writes man1/*.1, temper.bash, temper.zsh and temper.fish into DIR, which is created if it does not exist.",
        .examples = EXAMPLES({"Write them into doc", "temper documents doc"}))
