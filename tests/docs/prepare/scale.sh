#!/usr/bin/env bash
# Rows for the examples of MPI, which two processes run here instead of 16.
table=$ROOT/tests/docs/prepare/table
for name in clicks new test; do
    "$table" full.csv 200 1
    cut -d, -f3,4,6 full.csv >$name.csv
done
gzip -c clicks.csv >big.csv.gz
temper convert clicks.csv clicks.tmpr
temper convert new.csv new.svm
temper convert test.csv test.svm
mpirun=$(command -v mpirun.openmpi || command -v mpirun || true)
if [ -n "$mpirun" ]; then
    mkdir -p bin
    command -v temper-mpi >/dev/null || ln -s "${TEMPER}-mpi.openmpi" bin/temper-mpi
    cat >bin/mpirun <<SCRIPT
#!/bin/sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
shift 2 # -n 16
exec $mpirun --oversubscribe -n 2 "\$@"
SCRIPT
    chmod +x bin/mpirun
fi
