/* option_list_experiment: the part of option_list.h for experiment. */

/* ---- Experiments ----------------------------------------------------------------------------- */

OPTION(EXPERIMENT_DATA, .name = "data", .placeholder = "DIR", .type = TYPE_FILE, .commands = IN(EXPERIMENT),
       .help = "the folder of the data sets, each in a folder of its own; $TEMPER_DATA, else data, "
               "if not given")

OPTION(SETS, .name = "sets", .placeholder = "NAME,...", .type = TYPE_TEXT,
       .wanted = "names of data sets, with commas between them", .commands = IN(EXPERIMENT),
       .help = "data sets: fashion-mnist, cifar10, fonts, covtype, fashion-mnist-0v6, "
               "fashion-mnist-10, a9a or amazon-kitchen; those of the paper that are there if not "
               "given")

OPTION(METHODS, .name = "methods", .placeholder = "LOSS,...", .type = TYPE_LOSSES, .commands = IN(EXPERIMENT),
       .help = "losses to compare; one with temperatures of its own, as tempered:0.1:1.12, keeps "
               "them")

OPTION(NOISE_KINDS, .name = "noise", .placeholder = "KIND,...", .type = TYPE_TEXT,
       .wanted = "kinds of noise, with commas between them", .commands = IN(EXPERIMENT),
       .help = "noise in the training rows: random, pair, small-margin, large-margin, instance")

OPTION(RATES, .name = "rates", .placeholder = "R,...", .type = TYPE_NUMBERS, .least = 0, .most = 1,
       .commands = IN(EXPERIMENT), .help = "shares of the training rows that it changes, rising")

OPTION(SPLITS, .name = "splits", .placeholder = "N", .type = TYPE_WHOLE, .least = 1, .most = 100,
       .commands = IN(EXPERIMENT), .help = "random splits into training and test rows")

OPTION(EXPERIMENT_FOLDS, .name = "folds", .placeholder = "K", .type = TYPE_WHOLE, .least = 2, .most = 1000,
       .commands = IN(EXPERIMENT), .help = "folds of the cross-validation")

OPTION(EXPERIMENT_GRID, .name = "grid", .placeholder = "TEXT", .type = TYPE_TEXT,
       .wanted = "default, paper, or lists such as \"t1=0.1,0.5 t2=1.12,1.5 l2=1e-5..1e-1:5\"",
       .commands = IN(EXPERIMENT), .help = "what the methods are tuned over: default, paper, or lists and ranges")

OPTION(EXPERIMENT_CRITERION, .name = "criterion", .placeholder = "NAME", .type = TYPE_WORD,
       .words = "cv+c accuracy log-loss bounded-loss", .standard = "accuracy", .commands = IN(EXPERIMENT),
       .help = "what decides in tuning: accuracy, as in the paper, cv+c, log-loss or bounded-loss")

OPTION(WHOSE_TEMPERATURES, .name = "temperatures", .placeholder = "tuned|paper", .type = TYPE_WORD,
       .words = "tuned paper", .standard = "tuned", .commands = IN(EXPERIMENT),
       .help = "tuned with the penalty, or those that the paper gives for each data set")

OPTION(DEVIATIONS, .name = "deviations", .placeholder = "X,...", .type = TYPE_NUMBERS, .least = 0, .most = 1e6,
       .commands = IN(EXPERIMENT),
       .help = "starts: standard deviations of the weights to start from, rising; 0 is a start "
               "from zero")

OPTION(ROWS, .name = "rows", .placeholder = "N", .type = TYPE_WHOLE, .least = 0, .most = 1e15,
       .commands = IN(EXPERIMENT), .help = "rows of each data set to take at most, at random; 0 for all")

OPTION(EXPERIMENT_SCALE, .name = "scale", .placeholder = "NAME", .type = TYPE_WORD,
       .words = "none standard minmax maxabs log pixels", .commands = IN(EXPERIMENT),
       .help = "how features are scaled; if not given, images are divided by 255, tables are "
               "standardised, and sparse data stays as it is")

OPTION(QUICK, .name = "quick", .type = TYPE_FLAG, .commands = IN(EXPERIMENT),
       .help = "fewer splits, folds, candidates and rows: minutes instead of hours")

OPTION(RECORDS, .name = "records", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(EXPERIMENT),
       .help = "results, a line of JSON each; those that are there are not measured again; "
               "temper-NAME.jsonl if not given")

OPTION(REPORT, .name = "report", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(EXPERIMENT),
       .help = "write the page to FILE, whole or not at all; temper-NAME.html if not given")
