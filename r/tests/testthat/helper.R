# iris with some labels exchanged; `wrong` has the numbers of these rows.
noisy_iris <- function() {
  wrong <- c(3, 17, 28, 44, 61, 72, 89, 95, 104, 118, 131, 147)
  y <- iris$Species
  y[wrong] <- levels(y)[as.integer(y[wrong]) %% 3 + 1]
  list(x = as.matrix(iris[, 1:4]), y = y, wrong = wrong)
}

# The command of the same version, where it is known: tools/r-package of temper's repository names it.
run_command <- function(...) {
  command <- Sys.getenv("TEMPER_COMMAND")
  skip_if(command == "", "the command temper is not there")
  output <- system2(command, c(...), stdout = TRUE, stderr = TRUE)
  if (!is.null(attr(output, "status"))) stop(paste(output, collapse = "\n"))
  output
}

# Numbers with all of their digits.
write_table <- function(x, y, path) {
  numbers <- apply(x, 2, function(column) sprintf("%.17g", column))
  write.table(cbind(numbers, label = as.character(y)), path, sep = ",", quote = FALSE, row.names = FALSE)
}

# The classes of the command are in the order of the rows.
by_appearance <- function(y) factor(as.character(y), levels = unique(as.character(y)))

# 150 rows are few for an audit, which says so.
few_rows <- function(expression) {
  withCallingHandlers(expression, temper_few_rows = function(warning) invokeRestart("muffleWarning"))
}
