suppressMessages(library(Matrix))
for (f in commandArgs(TRUE)) {
  x <- tryCatch(readRDS(f), error=function(e) NULL); 
  m <- if (is(x,"sparseVector")) as.matrix(as(x,"sparseMatrix")) else as.matrix(x)
  m <- unname(m)*1
  w <- which(m!=0, arr.ind=TRUE); w <- w[order(w[,1],w[,2]),,drop=FALSE]
  cat(sub(".rds","",basename(f)), paste(dim(m),collapse="x"), paste(sprintf("%d,%d=%s", w[,1]-1, w[,2]-1, format(m[w],digits=17,trim=TRUE)), collapse=" "), "\n")
}
