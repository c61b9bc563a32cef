/* option_list_tuning: the part of option_list.h for tune and audit. */

/* ---- Tuning ---------------------------------------------------------------------------------- */

OPTION(GRID, .name = "grid", .placeholder = "TEXT", .type = TYPE_TEXT, .standard = "default",
       .wanted = "default, paper, or lists such as \"t1=0.1,0.5 t2=1,1.5 l2=1e-5..1e-1:5\"", .commands = IN(TUNE),
       .help = "the candidates: default, paper, or lists and ranges")

OPTION(FOLDS, .name = "folds", .placeholder = "K", .type = TYPE_WHOLE, .least = 2, .most = 1000, .standard = "10",
       .commands = IN(TUNE), .help = "folds of the cross-validation")

OPTION(CRITERION, .name = "criterion", .placeholder = "NAME", .type = TYPE_WORD,
       .words = "cv+c accuracy log-loss bounded-loss", .standard = "cv+c", .commands = IN(TUNE),
       .help = "what decides: cv+c, accuracy, log-loss or bounded-loss")

OPTION(ASSUME, .name = "assume", .placeholder = "WORD", .type = TYPE_WORD, .words = "structured", .commands = IN(TUNE),
       .help = "structured: labels are wrong in a way that can be learnt, so lean to caution")

OPTION(TRUSTED, .name = "trusted", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(TUNE),
       .help = "rows whose labels are right, which decide: data like DATA, or what --ask has "
               "written, with labels filled in")

OPTION(ASK, .name = "ask", .placeholder = "K", .type = TYPE_WHOLE, .least = 1, .most = 100000, .commands = IN(TUNE),
       .help = "name the K rows whose true labels would settle the choice best")

OPTION(ASK_OUTPUT, .name = "ask-output", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(TUNE),
       .help = "where --ask writes them; MODEL.ask.csv if not given")

OPTION(TUNE_REPORT, .name = "report", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(TUNE),
       .help = "write a page with heat maps to FILE, or one map alone if it ends in .svg")

/* ---- Audit ----------------------------------------------------------------------------------- */

OPTION(TOP, .name = "top", .placeholder = "K", .type = TYPE_WHOLE, .least = 1, .most = 9007199254740991,
       .commands = IN(AUDIT), .help = "list the K most suspicious rows, whatever their scores")

OPTION(THRESHOLD, .name = "threshold", .placeholder = "X", .type = TYPE_NUMBER, .least = 0, .most = INFINITY,
       .commands = IN(AUDIT),
       .help = "list the rows with a score of X or more; 0.5 for labels and 3.5 for rows if "
               "neither this nor --top is given")

OPTION(AUDIT_KIND, .name = "kind", .placeholder = "label|row", .type = TYPE_WORD, .words = "label row",
       .standard = "label", .commands = IN(AUDIT),
       .help = "what to look for: wrong labels, or rows that lie far from all others")

OPTION(AUDIT_FOLDS, .name = "folds", .placeholder = "K", .type = TYPE_WHOLE, .least = 2, .most = 1000, .standard = "5",
       .commands = IN(AUDIT), .help = "folds: a row is judged by the model of all folds but its own")

OPTION(AUDIT_T1, .name = "t1", .placeholder = "X|auto", .type = TYPE_NUMBER_OR, .least = 0, .most = INFINITY,
       .words = "auto", .standard = "auto", .commands = IN(AUDIT),
       .help = "first temperature; auto: chosen with t2 and l2, as 'temper tune' does")

OPTION(AUDIT_T2, .name = "t2", .placeholder = "X|auto", .type = TYPE_NUMBER_OR, .least = 0, .most = INFINITY,
       .words = "auto", .standard = "auto", .commands = IN(AUDIT),
       .help = "second temperature; auto: chosen with t1, or 1 if that is given")

OPTION(AUDIT_L2, .name = "l2", .placeholder = "X|auto", .type = TYPE_NUMBER_OR, .least = 0, .most = INFINITY,
       .words = "auto", .standard = "auto", .commands = IN(AUDIT),
       .help = "weight of the penalty; auto: chosen with the temperatures, or by the data if those "
               "are given")

OPTION(AUDIT_GRID, .name = "grid", .placeholder = "TEXT", .type = TYPE_TEXT,
       .wanted = "default, paper, or lists such as \"t1=0.1,0.5 t2=1,1.5 l2=0.1x,1x\"", .commands = IN(AUDIT),
       .help = "what auto chooses from, as in 'temper tune'; a small one if not given")

OPTION(AUDIT_TOL, .name = "tol", .placeholder = "X|auto", .type = TYPE_NUMBER_OR, .least = 0, .most = 1,
       .words = "auto", .standard = "auto", .commands = IN(AUDIT),
       .help = "stop a fit when the gradient is that small, as a share of the gradient at weights "
               "of 0; auto: 1e-2 for two classes, 1e-3 for more, and 1e-2 to choose temperatures")

OPTION(FIX, .name = "fix", .placeholder = "OUT", .type = TYPE_FILE, .commands = IN(AUDIT),
       .help = "write the data to OUT with the rows that are listed put right, and all else as "
               "DATA has it")

OPTION(FIX_HOW, .name = "fix-how", .placeholder = "WORD", .type = TYPE_WORD, .words = "drop relabel weight",
       .standard = "drop", .commands = IN(AUDIT),
       .help = "drop them, give them the suggested labels, or multiply their weights by the "
               "importance that the loss leaves them (csv, tsv, tmpr; a new column weight if "
               "there is none)")

OPTION(AUDIT_REPORT, .name = "report", .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(AUDIT),
       .help = "write a page of HTML: margins, transition table, the list, and pictures of rows "
               "that are pictures (idx, cifar)")

OPTION(AUDIT_OUTPUT, .name = "output", .letter = 'o', .placeholder = "FILE", .type = TYPE_FILE, .commands = IN(AUDIT),
       .help = "write the list to FILE, as CSV")

OPTION(AUDIT_JSON, .name = "json", .type = TYPE_FLAG, .commands = IN(AUDIT),
       .help = "print a JSON object a line for the rows that are listed, instead of text")
