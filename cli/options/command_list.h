/* Every command once: what it is called, takes and says of itself. Parsing, --help, the man pages
 * and the completions of bash, zsh and fish all come from here and from option_list.h.
 *
 * Included where COMMAND(id, fields of struct command) is defined; no include guard, on purpose.
 * A description is paragraphs with an empty line between them; one that begins with a space is kept
 * as it is. EXAMPLES({what it does, what to type}, ...). */

COMMAND(PROGRAM, .name = "temper", .operands = "COMMAND [ARGUMENT]...", .operand_completion = COMPLETE_COMMANDS,
        .summary = "logistic regression for people whose labels are partly wrong",
        .description = "temper stands for two-temperature logistic regression: one temperature caps "
                       "the loss, so that a wrong label can do only so much harm, the other gives "
                       "the model heavy tails, so that it need not bend towards outliers.\n\n"
                       "Options and arguments may come in any order behind the command. Of an option "
                       "that is given twice, the last one counts; -- ends the options. Results go "
                       "to the standard output, everything else to the standard error.",
        .examples = EXAMPLES({"Fit a model, and see how good it is on other rows",
                              "temper train train.csv -m model.temper\n"
                              "temper eval -m model.temper test.csv"},
                             {"See what a file of data holds", "temper info train.csv"},
                             {"Draw Figure 1 of the paper", "temper plot losses -o losses.svg"},
                             {"Read about a command", "temper help plot"}))

COMMAND(TRAIN, .name = "train", .operands = "DATA", .operand_completion = COMPLETE_FILE, .fewest = 1, .most = 1,
        .run = cmd_train, .summary = "fit a model to data",
        .description = "Fits a linear classifier and writes it to DATA.temper, or to what -m says. The losses:\n\n"
                       "  tempered     two temperatures: --t1 below 1 caps what a wrong label can cost,\n"
                       "               --t2 above 1 gives heavy tails\n"
                       "  logistic     plain logistic regression: t1 = t2 = 1\n"
                       "  t-logistic   heavy tails alone: t1 = 1\n"
                       "  gce          generalised cross-entropy: t2 = 1\n"
                       "  hinge        support vector machine\n"
                       "  bregman      the bi-tempered loss of 2019\n\n"
                       "Equal data, options and seed give an equal file, whatever --threads is. An old model is "
                       "replaced only by a whole new one. Ctrl-C or SIGTERM end the training after the iteration "
                       "it is in and save the best model so far; a second one ends it at once, with nothing "
                       "saved. A training that may not be lost has a --checkpoint, from which --resume goes on, "
                       "to the same model as without a stop; remove it when you are done.\n\n"
                       "@LIST in the place of DATA is a text that names files, one a line: their rows one after "
                       "another.",
        .examples = EXAMPLES({"With the defaults, into iris.csv.temper", "temper train iris.csv"},
                             {"Other temperatures, and a stop in time",
                              "temper train train.libsvm --t1 0.1 --t2 1.5 --valid valid.libsvm \\\n"
                              "    -m model.temper"},
                             {"Long, and safe from a crash: the same line again goes on",
                              "temper train big.tmpr -m big.temper --checkpoint big.state --resume"}))

COMMAND(TUNE, .name = "tune", .operands = "DATA", .operand_completion = COMPLETE_FILE, .fewest = 1, .most = 1,
        .run = cmd_tune, .summary = "choose temperatures and penalty, and fit the model",
        .description = "Fits every candidate of a grid of temperatures and penalties without some of the rows, "
                       "measures it on those, chooses one, and fits it to all rows, into DATA.temper or what -m "
                       "says. All candidates are fitted on two halves of the rows; those that are not hopeless "
                       "there (more than 2 points plus 3 standard errors below the best) also on --folds.\n\n"
                       "The accuracy on labels that are partly wrong is a good guide only if the mistakes cannot "
                       "be learnt. The criterion cv+c starts from it, and leaves it where rows that a candidate "
                       "is sure of, rows that it leaves undecided, or labels that contradict a cautious model "
                       "tell that they can; it says which step decided, and warns. Silence proves nothing. A few "
                       "rows whose labels are right settle it: --ask names the most telling ones, --trusted takes "
                       "them.\n\n"
                       "A grid is lists of t1, t2 and l2; FROM..TO:COUNT is a range, and l2 may be a multiple of "
                       "the usual one: 0.1x. Logistic regression (1, 1) and (0.1, 1.12) are always added, unless "
                       "the word 'only' is there. loss=hinge,logistic is for other losses.\n\n"
                       "Ctrl-C or SIGTERM keep what is done: the same line with --resume goes on, to the same "
                       "table as without a stop.",
        .examples = EXAMPLES({"With the defaults, into crowd.csv.temper", "temper tune crowd.csv"},
                             {"A grid of one's own",
                              "temper tune crowd.csv --grid \"t1=0.1,0.5,0.9 t2=1.12,1.5,1.9 \\\n"
                              "    l2=1e-5..1e-1:5\""},
                             {"Let ten labels decide: look at the rows, fill in the labels, tune again",
                              "temper tune crowd.csv --ask 10\n"
                              "temper tune crowd.csv --trusted crowd.csv.temper.ask.csv"}))

COMMAND(AUDIT, .name = "audit", .operands = "DATA", .operand_completion = COMPLETE_FILE, .fewest = 1, .most = 1,
        .run = cmd_audit, .summary = "list the rows whose labels look wrong",
        .description = "Fits models to all folds of the rows but one, asks them about that one, lets the nearest "
                       "neighbours of each row vote, and estimates from both which classes have become which. The "
                       "score of a row is the probability that its label is wrong; rows are listed from the "
                       "highest score down, as far as it is 0.5, or as --top and --threshold say, with the label "
                       "that is suggested instead. How many of the first rows to expect to be wrong is told, and "
                       "holds where mistakes depend on the class alone. DATA is never changed.\n\n"
                       "Rows that have the same features and different labels are marked as conflicts. --kind row "
                       "looks for rows that lie far from all others, such as damaged ones. For skewed "
                       "counts, such as word frequencies, try --scale log.\n\n"
                       "Rows are counted from 1 (Python counts from 0), those of classes that are not asked for "
                       "included, those that --missing drop leaves out not; lines are those of the file.\n\n"
                       "The data put right is the text of DATA (CSV or libsvm), but for what is fixed, if OUT has "
                       "the same format; rows that were left out stay. Otherwise it is written anew, as convert "
                       "does it.",
        .examples = EXAMPLES({"The rows that the evidence supports", "temper audit crowd.csv"},
                             {"A page with pictures, and a list of a hundred",
                              "temper audit train-images-idx3-ubyte.gz --top 100 --report audit.html \\\n"
                              "    -o suspects.csv"},
                             {"Train without them", "temper audit crowd.csv --fix clean.csv --fix-how drop\n"
                                                    "temper train clean.csv"},
                             {"Train with less of them", "temper audit crowd.csv --fix weighted.csv --fix-how weight\n"
                                                         "temper train weighted.csv --weights weight"}))

COMMAND(PREDICT, .name = "predict", .operands = "DATA", .operand_completion = COMPLETE_FILE, .fewest = 1, .most = 1,
        .run = cmd_predict, .summary = "apply a model to rows",
        .description = "Prints the most likely class of each row, a line each, or what an option below asks "
                       "for. DATA may be larger than memory; - is the standard input. It may have a label "
                       "column or not. Columns are found by name where the model has names; text and missing "
                       "values become what they became in training.\n\n"
                       "Probabilities of --proba are those of the label as it would be given, mistakes "
                       "included, not of the truth. They are the escort of order t1 of the model's own: right "
                       "where a linear model can follow the data, and not sure enough on most real data where "
                       "t1 < 1, as by default. Where they matter most, train with --loss logistic; 'temper "
                       "eval' measures them.",
        .examples = EXAMPLES({"A label a line", "temper predict -m model.temper new.csv -o labels.txt"},
                             {"How sure it is", "temper predict -m model.temper --proba new.csv"},
                             {"In a pipe", "zcat new.csv.gz | temper predict -m model.temper -"}))

COMMAND(EVAL, .name = "eval", .operands = "DATA", .operand_completion = COMPLETE_FILE, .fewest = 1, .most = 1,
        .run = cmd_eval, .summary = "tell how good a model is on labelled rows",
        .description = "Applies a model to rows with labels and tells the accuracy, also as the mean over "
                       "classes; the loss that the model was trained for; log loss, Brier score and expected "
                       "calibration error of its probabilities; and which classes it takes for which. DATA may "
                       "be larger than memory; - is the standard input. Rows of a class that the model does not "
                       "know count as mistakes.",
        .examples = EXAMPLES({"On rows that it has not seen", "temper eval -m model.temper test.csv"},
                             {"For a program", "temper eval -m model.temper --json test.csv"}))

COMMAND(PLOT, .name = "plot", .operands = "losses|path|report [DATA]", .operand_completion = COMPLETE_WORDS,
        .operand_words = "losses path report", .rest_completion = COMPLETE_FILE, .fewest = 1, .most = 2,
        .run = cmd_plot, .summary = "draw losses, the weights along a path of penalties, or a report",
        .description = "plot losses draws Figure 1 of the paper for any temperatures, as SVG: panel a shows "
                       "log_t, "
                       "panel b exp_t, and panel c the losses as functions of the margin. A loss of panel c is a "
                       "name, and may bring its parameters with it:\n\n"
                       "  tempered:T1:T2   two temperatures; T1 < 1 caps it at 1/(1-T1)\n"
                       "  logistic         the same with T1 = T2 = 1\n"
                       "  t-logistic:T2    the same with T1 = 1\n"
                       "  gce:T1           the same with T2 = 1 (generalised cross-entropy)\n"
                       "  bregman:T1:T2    the bi-tempered loss of 2019\n"
                       "  hinge:WIDTH      the kink rounded over WIDTH; no WIDTH, no rounding\n\n"
                       "One that comes without temperatures takes them from --t1 and --t2.\n\n"
                       "plot path DATA trains once for each of several penalties, from the strongest to the "
                       "weakest, each time from the weights before, and draws the weights and the accuracy along "
                       "them, as SVG. Weights are those of scaled features, so that they can be compared.\n\n"
                       "plot report -m MODEL DATA shows what a model does on labelled rows: how good it is, the "
                       "margins of the given labels with the loss over them, how sure it is against how right, "
                       "which classes it takes for which, and its strongest weights; as a page of HTML that needs "
                       "nothing else, or as the pictures alone if FILE ends in .svg.",
        .examples = EXAMPLES(
            {"Figure 1 of the paper", "temper plot losses -o losses.svg"},
            {"What temperatures do to log_t and exp_t",
             "temper plot losses --panels ab --temperatures 0.5,1,1.4 -o logs.svg"},
            {"Three losses with the same cap", "temper plot losses --panels c --margins -8,4 --output caps.svg \\\n"
                                               "    --losses gce:0.5,tempered:0.5:1.5,tempered:0.5:2"},
            {"Weights along penalties from 10 to 0.0001", "temper plot path train.csv --l2 1e-4,10 -o path.svg"},
            {"A page about a model", "temper plot report -m model.temper test.csv -o report.html"}))

COMMAND(EXPERIMENT, .name = "experiment", .operands = "figure1|figure2|table1|table2|starts|selection",
        .operand_completion = COMPLETE_WORDS, .operand_words = "figure1 figure2 table1 table2 starts selection",
        .fewest = 1, .most = 1, .run = cmd_experiment, .summary = "repeat the paper's experiments, or others like them",
        .description = "Runs one of the paper's experiments on its data sets, or on those of them that are there, "
                       "prints a table, and writes a page that sets it beside the paper's figures with a verdict "
                       "on each claim:\n\n"
                       "  figure1     the functions and the losses\n"
                       "  figure2     accuracy against instance noise, 0 to 40 %\n"
                       "  table1      accuracy with 10 % of the labels wrong, in three ways\n"
                       "  table2      run time of one training\n"
                       "  starts      random starts: where do bad minima begin?\n"
                       "  selection   what choosing temperatures with noisy labels costs\n\n"
                       "The protocol is that of the paper: a tenth of the rows tests, cross-validation on the "
                       "others chooses the parameters of each method, ten random splits. Every part of it can be "
                       "changed by an option. Each result is a record in a file; a run that was interrupted goes "
                       "on from there, to the same tables.",
        .examples =
            EXAMPLES({"Table 1 in minutes", "temper experiment table1 --quick --data ../data"},
                     {"As in the paper, in hours", "temper experiment table1 --data ../data --report table1.html"},
                     {"Other losses on one set", "temper experiment figure2 --sets fashion-mnist --rates 0,0.2,0.4 \\\n"
                                                 "    --methods logistic,gce,bregman,tempered:0.1:1.12 --splits 3"}))

COMMAND(DEMO, .name = "demo", .run = cmd_demo, .summary = "show what wrong labels do, with no data at all",
        .description = "Makes up two small sets of rows, flips one label in ten, trains plain logistic "
                       "regression and the two-temperature loss on them, and compares both on clean test "
                       "rows and in finding the flipped labels. Writes a page with pictures of it; takes a "
                       "few seconds.",
        .examples = EXAMPLES({"See it", "temper demo"},
                             {"Other rows, another page", "temper demo --seed 2 -o second.html"}))

COMMAND(INFO, .name = "info", .operands = "FILE", .operand_completion = COMPLETE_FILE, .fewest = 1, .most = 1,
        .run = cmd_info, .summary = "tell what a file of data, or a model, holds",
        .description = "Reads the whole file and tells its format, rows, features and classes, how much memory "
                       "it takes, and what may be wrong with it: columns that never change or that repeat "
                       "another one, missing values, classes of a few rows. Of a model: what it is made of, and "
                       "how "
                       "it was trained.\n\n"
                       "Data is libsvm or svmlight text, CSV or TSV, NPY, IDX (MNIST), CIFAR-10 binary or "
                       "temper's own .tmpr, plain or compressed by gzip or zstd, told by content first and by "
                       "name second; - is the standard input. What was assumed is said on the standard error.",
        .examples = EXAMPLES({"What is in a table", "temper info iris.csv"},
                             {"A table with names, labels in the column 'kind'",
                              "temper info --header yes --label kind --missing mean table.csv"},
                             {"How a model was trained", "temper info iris.csv.temper"},
                             {"For a program", "temper info --json train.libsvm.gz"}))

COMMAND(CONVERT, .name = "convert", .operands = "IN OUT", .operand_completion = COMPLETE_FILE, .fewest = 2, .most = 2,
        .run = cmd_convert, .summary = "write data in another format, or a model as a program",
        .description = "Reads IN in any of the formats that 'temper info' knows and writes OUT, whole or not at "
                       "all, in the format that its extension or --to says. OUT may be IN itself; - is the "
                       "standard input, and the standard output.\n\n"
                       "A .tmpr file opens at once, whatever its size, and keeps everything: labels, weights, "
                       "names, line numbers. Other formats drop what they have no place for; npy and idx keep "
                       "labels in a second file, OUT.labels, for --labels; idx images of the name "
                       "NAME-images-idx3-ubyte in NAME-labels-idx1-ubyte, which is found when they are read.\n\n"
                       "If IN is a model, OUT is NAME.c, a C file that needs nothing but libm, or NAME.onnx.",
        .examples = EXAMPLES({"Text to a file that opens at once", "temper convert train.csv train.tmpr"},
                             {"Two classes of an image set as text",
                              "temper convert --classes 0,6 train-images-idx3-ubyte.gz pair.libsvm"},
                             {"In a pipe", "temper convert - - --to csv <train.libsvm | head"},
                             {"A model for another program", "temper convert model.temper model.onnx"}))

COMMAND(NOISE, .name = "noise", .operands = "DATA", .operand_completion = COMPLETE_FILE, .fewest = 1, .most = 1,
        .run = cmd_noise, .summary = "spoil data on purpose, to see what a method bears",
        .description = "Changes a share of the rows and writes the result, and in FILE.changes.csv a line for "
                       "each row that changed: its number, the class that it was and the class that it is.\n\n"
                       "  random         the label becomes any other class\n"
                       "  pair           the label becomes the next class, or what --map says\n"
                       "  matrix         the label is drawn from a line of --matrix\n"
                       "  small-margin   of rows that a logistic regression classifies rightly, the\n"
                       "                 least clear ones get the label of the runner-up\n"
                       "  large-margin   the same with the clearest ones\n"
                       "  instance       the label stays; the features are those of another class\n\n"
                       "The rate is a share of all rows: exactly that many change.",
        .examples = EXAMPLES(
            {"A tenth of the labels", "temper noise train.csv --rate 0.1 -o noisy.csv"},
            {"Cats that are called dogs", "temper noise pets.csv --kind pair --map cat=dog --rate 0.2 -o noisy.tmpr"},
            {"Shirts that show shoes", "temper noise shirts.tmpr --kind instance --pool shoes.tmpr --rate 0.1 \\\n"
                                       "    -o noisy.tmpr"}))

COMMAND(HELP, .name = "help", .operands = "[COMMAND]", .operand_completion = COMPLETE_COMMANDS, .most = 1,
        .run = cmd_help, .summary = "explain a command",
        .description = "Shows what 'temper COMMAND --help' shows, or, without a COMMAND, the list of "
                       "commands.",
        .examples = EXAMPLES({"Read about plot", "temper help plot"}))

COMMAND(VERSION, .name = "version", .run = cmd_version, .summary = "tell which version this is",
        .description = "Prints the version, as 'temper --version' does, and which of its hot loops this "
                       "processor runs: avx512, avx2, neon or plain. The environment variable "
                       "TEMPER_KERNEL=NAME forces others, to compare them or to rule one out.",
        .examples = EXAMPLES({"Tell it", "temper version"}))

/* For the build, which installs what it writes. */
COMMAND(DOCUMENTS, .name = "documents", .operands = "DIR", .operand_completion = COMPLETE_FOLDER, .fewest = 1,
        .most = 1, .hidden = true, .run = cmd_documents,
        .summary = "write man pages and shell completions into a folder",
        .description = "Writes man1/*.1, temper.bash, temper.zsh and temper.fish into DIR, which is "
                       "made if it is not there.",
        .examples = EXAMPLES({"Write them into doc", "temper documents doc"}))
