#!/bin/bash
# What the command-line program writes by several threads, against what it writes by
# one: into a file, and into a pipe, which takes a part of a thread's lines at a time.
#
#	fim_writes.sh FIM
set -uo pipefail

fim=$1
tmp=$(mktemp -d "${TMPDIR:-/tmp}/gpufim-writes.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
tried=0
failed=0

# check(what, found)
check()
{
	tried=$((tried + 1))
	if ! LC_ALL=C sort "$2" | cmp -s "$tmp/wanted" -; then
		failed=$((failed + 1))
		echo "# $1: not the lines that one thread writes"
	fi
}

# Each item is missing in a row of its own, so that all sets of 17 of 18 items occur in one row or more.
seq 18 | awk '{ for (i = 1; i <= 18; i++) if (i != $1) printf "%d ", i * 1000; print "" }' > "$tmp/file"
for kind in all closed; do
	"$fim" -s 1 -k $kind "$tmp/file" - | LC_ALL=C sort > "$tmp/wanted"
	for workers in 2 3 8; do
		"$fim" -s 1 -k $kind -w $workers "$tmp/file" "$tmp/found" > "$tmp/written"
		check "$kind, by $workers threads into a file" "$tmp/found"
		"$fim" -s 1 -k $kind -w $workers "$tmp/file" - | cat > "$tmp/found"
		check "$kind, by $workers threads into a pipe" "$tmp/found"
	done
done
# all sets but the empty one and the whole
tried=$((tried + 1))
if [ "$(wc -l < "$tmp/wanted")" -ne $((2 ** 18 - 2)) ]; then
	failed=$((failed + 1))
	echo "# there are $(wc -l < "$tmp/wanted") closed itemsets, not $((2 ** 18 - 2))"
fi

echo "# $tried comparisons, $failed differ"
[ "$failed" -eq 0 ]
