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

OPTION(HELP, .name = "help", .letter = 'h', .type = TYPE_FLAG, .stops = true,
       .commands = EVERYWHERE, .help = "show this help")

OPTION(VERSION, .name = "version", .type = TYPE_FLAG, .stops = true, .commands = EVERYWHERE,
       .help = "show the version")
