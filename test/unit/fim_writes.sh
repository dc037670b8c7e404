#!/bin/bash
# What the command-line program writes by several threads, against what it writes by
# one: into a file, and into a pipe, which takes a part of a thread's lines at a time.
#
#	fim_writes.sh FIM
. "$(dirname "$0")/comparisons.sh"

fim=$1

# check_lines(what, found): the lines that one thread writes, in any order
check_lines()
{
	LC_ALL=C sort "$2" > "$tmp/sorted"
	check_files "$1" "$tmp/wanted" "$tmp/sorted"
}

# Each item is missing in a row of its own, so that all sets of 17 of 18 items occur in one row or more.
seq 18 | awk '{ for (i = 1; i <= 18; i++) if (i != $1) printf "%d ", i * 1000; print "" }' > "$tmp/file"
for kind in all closed; do
	"$fim" -s 1 -k $kind "$tmp/file" - | LC_ALL=C sort > "$tmp/wanted"
	for workers in 2 3 8; do
		"$fim" -s 1 -k $kind -w $workers "$tmp/file" "$tmp/found" > "$tmp/written"
		check_lines "$kind, by $workers threads into a file" "$tmp/found"
		"$fim" -s 1 -k $kind -w $workers "$tmp/file" - | cat > "$tmp/found"
		check_lines "$kind, by $workers threads into a pipe" "$tmp/found"
	done
done
# all sets but the empty one and the whole
check "closed itemsets" $((2 ** 18 - 2)) "$(wc -l < "$tmp/wanted")"
finish
