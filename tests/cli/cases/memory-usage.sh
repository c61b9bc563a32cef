# Sizes of memory: what is one, and what is refused.
printf '1 1:1 2:3\n0 1:2 2:1\n1 1:1.5 2:4\n0 1:2 2:0.5\n' >d.svm
for size in 0 -1 2X 1.5GBi nan inf 0x10 '' 1e400G; do
    temper_exit train d.svm -m m --memory "$size"
done
temper_exit train d.svm -m m --memory 500 --threads 1 2>&1 | sed 's/needs [0-9]*M/needs NM/'
for size in 1000M 1.5G 1.5GiB 1073741824 1000MB 1e6k; do
    temper_exit train d.svm -q -m m --memory "$size" >/dev/null && echo "$size"
done
temper_exit noise d.svm --memory 1G
