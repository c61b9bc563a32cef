# One glmnet fit: peer_glmnet.R FOLDER LAMBDA TOL: reads what peer_glmnet.py has written into FOLDER, and writes the
# intercepts and weights of each class there. Prints the seconds of the fit, of the processor.
suppressPackageStartupMessages({library(Matrix); library(glmnet)})
words <- commandArgs(trailingOnly = TRUE)
folder <- words[1]
shape <- scan(file.path(folder, "glmnet-shape"), quiet = TRUE)
numbers <- function(name, what, count) readBin(file.path(folder, name), what, count)
entries <- shape[3]
x <- if (entries < 0) matrix(numbers("glmnet-x", "double", shape[1] * shape[2]), shape[1], shape[2]) else
    new("dgCMatrix", Dim = as.integer(shape[1:2]), p = numbers("glmnet-p", "integer", shape[2] + 1),
        i = numbers("glmnet-i", "integer", entries), x = numbers("glmnet-x", "double", entries))
y <- numbers("glmnet-y", "integer", shape[1])
family <- if (length(unique(y)) > 2) "multinomial" else "binomial"
lambda <- as.double(words[2])
spent <- function() sum(proc.time()[1:2])
start <- spent()
fit <- glmnet(x, factor(y), family = family, alpha = 0, lambda = lambda, standardize = FALSE,
              thresh = as.double(words[3]), maxit = 1e6)
seconds <- spent() - start
found <- if (family == "binomial") list(coef(fit)) else coef(fit)
writeBin(unlist(lapply(found, as.vector)), file.path(folder, "glmnet-w"))
cat(seconds, as.character(packageVersion("glmnet")), "\n")
