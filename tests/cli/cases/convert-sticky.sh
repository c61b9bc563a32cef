#!/usr/bin/env bash
# A folder where files of others may not be replaced, as /tmp is: the labels are ours and new already
# when the numbers cannot follow, and are put back.
[ "$(id -u)" = 0 ] || skip "needs root, to make files of two users"
printf '1,a\n2,b\n' >data.csv
become_unprivileged
mkdir sticky && echo "old data" >sticky/x.npy && echo "old labels" >sticky/x.npy.labels
chown 65534:65534 sticky/x.npy.labels && chmod 666 sticky/* && chmod 1777 sticky
temper_as_nobody convert -q data.csv sticky/x.npy
echo "exit $?"
head sticky/* && ls -A sticky
