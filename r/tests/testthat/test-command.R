# The same rows and options give the same bits as the command.

same_model <- function(fit, ...) {
  folder <- withr_folder()
  on.exit(unlink(folder, recursive = TRUE))
  model <- file.path(folder, "command.temper")
  run_command("train", file.path(folder, "rows.csv"), "-m", model, "--type", "f64", ...)
  expect_identical(unname(coef(temper_load(model))), unname(coef(fit)))
  ours <- file.path(folder, "r.temper")
  temper_save(fit, ours)
  weights <- function(path) {
    lines <- readLines(path)
    lines[seq(grep('"classes"', lines), grep('"weights"', lines) + length(fit$levels))]
  }
  expect_identical(weights(ours), weights(model))
}

withr_folder <- function() {
  folder <- tempfile("temper")
  dir.create(folder)
  rows <- noisy_iris()
  write_table(rows$x, rows$y, file.path(folder, "rows.csv"))
  folder
}

test_that("three classes have the weights of the command", {
  rows <- noisy_iris()
  same_model(temper(rows$x, by_appearance(rows$y)))
})

test_that("so they have with other options", {
  rows <- noisy_iris()
  same_model(temper(rows$x, by_appearance(rows$y), t1 = 0.5, t2 = 1.4, l2 = 0.01, scale = "minmax", seed = 7),
             "--t1", "0.5", "--t2", "1.4", "--l2", "0.01", "--scale", "minmax", "--seed", "7")
})

test_that("the formula has them, too, and another loss", {
  rows <- noisy_iris()
  frame <- data.frame(rows$x, label = by_appearance(rows$y))
  same_model(temper(label ~ ., data = frame, loss = "logistic"), "--loss", "logistic")
})

test_that("two classes have the weights of the command", {
  rows <- noisy_iris()
  two <- rows$y != "setosa"
  folder <- tempfile("temper")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  write_table(rows$x[two, ], rows$y[two], file.path(folder, "two.csv"))
  model <- file.path(folder, "two.temper")
  run_command("train", file.path(folder, "two.csv"), "-m", model, "--type", "f64")
  fit <- temper(rows$x[two, ], by_appearance(rows$y[two]))
  expect_identical(unname(coef(temper_load(model))), unname(coef(fit)))
})

test_that("the audit ranks the rows as the command does", {
  rows <- noisy_iris()
  folder <- withr_folder()
  on.exit(unlink(folder, recursive = TRUE))
  table <- file.path(folder, "suspects.csv")
  run_command("audit", file.path(folder, "rows.csv"), "-o", table, "--type", "f64", "--top", "150")
  suspects <- few_rows(temper_audit(rows$x, by_appearance(rows$y)))
  expect_identical(as.integer(suspects$row), read.csv(table)$row)
})
