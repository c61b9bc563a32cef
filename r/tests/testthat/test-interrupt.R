# A process of its own is interrupted during a search that would take days: the condition arrives there, and R is well
# afterwards.
test_that("an interrupt ends a call", {
  skip_on_cran()
  skip_on_os("windows")
  folder <- tempfile("interrupt")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  script <- file.path(folder, "train.R")
  writeLines(c(
    "library(temper)", "set.seed(1)", "x <- matrix(rnorm(4e6), 2e4)", "y <- sample(letters[1:5], 2e4, TRUE)",
    sprintf("writeLines(as.character(Sys.getpid()), %s)", dQuote(file.path(folder, "pid"), FALSE)),
    "interrupted <- tryCatch(temper_tune(x, y, grid = 't1=0.1..0.9:30 t2=1..1.9:30 l2=1e-3..1:20'),",
    "                        interrupt = function(condition) condition)",
    "stopifnot(inherits(interrupted, 'interrupt'), coef(temper(Species ~ ., data = iris))[1] != 0)",
    sprintf("writeLines('interrupted', %s)", dQuote(file.path(folder, "done"), FALSE))
  ), script)
  libraries <- paste(.libPaths(), collapse = .Platform$path.sep)
  system2(file.path(R.home("bin"), "Rscript"), shQuote(script), wait = FALSE, env = paste0("R_LIBS=", libraries),
          stdout = file.path(folder, "output"), stderr = file.path(folder, "output"))
  present <- function(name) file.exists(file.path(folder, name)) && file.size(file.path(folder, name)) > 0
  for (i in 1:6000) if (present("pid")) break else Sys.sleep(0.1)
  pid <- as.integer(readLines(file.path(folder, "pid")))
  Sys.sleep(3)
  # Should that be too early, the condition is R's own. Either way the process ends by itself.
  tools::pskill(pid, tools::SIGINT)
  for (i in 1:6000) if (present("done") || !tools::pskill(pid, 0)) break else Sys.sleep(0.1)
  expect_true(present("done"), info = paste(readLines(file.path(folder, "output")), collapse = "\n"))
  if (tools::pskill(pid, 0)) tools::pskill(pid, tools::SIGKILL)
})
