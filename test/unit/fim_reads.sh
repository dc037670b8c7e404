#!/bin/bash
# What the command-line program reads, against awk: files whose lines repeat or do
# not, soon or late, with small items and large ones, short lines and lines longer
# than its buffer, and all kinds of blanks.
#
#	fim_reads.sh FIM
#
# FIM_SEED is the seed, printed by each run.
. "$(dirname "$0")/comparisons.sh"

# Address space in kB.  What is set aside for each item number takes 2 GB of it.
ulimit -S -v 8000000

fim=$1
seed=${FIM_SEED:-$((RANDOM * 32768 + RANDOM))}
echo "# seed $seed"

# The items and the pairs of the first ten of a line's items that are in at least
# so many lines, each line's items once.
counted()
{
	tr '\t\r' '  ' < "$2" | awk -v minsup="$1" '{
		split("", seen)
		n = 0
		for (i = 1; i <= NF; i++)
			if (!($i in seen)) {
				seen[$i] = 1
				item[++n] = $i + 0
			}
		for (i = 1; i <= n; i++)
			single[item[i]]++
		for (i = 1; i <= n; i++)
			for (j = 1; pairs && j < i; j++)
				pair[item[i] < item[j] ? item[i] " " item[j] : item[j] " " item[i]]++
	}
	END {
		for (i in single)
			if (single[i] >= minsup)
				print i " (" single[i] ")"
		for (i in pair)
			if (pair[i] >= minsup)
				print i " (" pair[i] ")"
	}' pairs="$3" | LC_ALL=C sort
}

# try(name, file, minsup, pairs too)
try()
{
	counted "$3" "$2" "$4" > "$tmp/wanted"
	"$fim" -s "$3" -n $((1 + $4)) "$2" - | awk 'NF == 3 && $1 + 0 > $2 + 0 { t = $1; $1 = $2; $2 = t } { print }' |
		LC_ALL=C sort > "$tmp/found"
	check_files "$1" "$tmp/wanted" "$tmp/found"
	"$fim" -s "$3" -n $((1 + $4)) - - < "$2" | awk 'NF == 3 && $1 + 0 > $2 + 0 { t = $1; $1 = $2; $2 = t } { print }' |
		LC_ALL=C sort > "$tmp/found"
	check_files "$1, from a pipe" "$tmp/wanted" "$tmp/found"
}

# random(lines, distinct lines, items, items a line, greatest item)
random()
{
	seed=$((seed + 1))
	awk -v seed=$seed -v lines="$1" -v distinct="$2" -v items="$3" -v length_="$4" -v greatest="$5" 'BEGIN {
		srand(seed)
		for (d = 0; d < distinct; d++)
			for (n = int(rand() * 2 * length_); n > 0; n--)
				line[d] = line[d] int(rand() ^ 2 * items) * int(greatest / items) " "
		for (i = 0; i < lines; i++)
			print line[int(rand() * distinct)]
	}'
}

for distinct in 1 300 8000; do
	random 12000 $distinct 50 6 50 > "$tmp/file"
	try "$distinct distinct lines in 12000" "$tmp/file" 100 1
done
# repetition that begins late, and ends
{ random 3000 3000 40 8 40; random 30000 5 40 8 40; random 25000 25000 40 8 40; random 30000 9 40 8 40; } > "$tmp/file"
try "lines that repeat for a while" "$tmp/file" 500 1
# more text than is remembered
random 40000 12000 600 100 600 > "$tmp/file"
try "long lines that repeat" "$tmp/file" 3000 0
# items on both sides of 65535 and up to the greatest, in turn
{ random 3000 300 60 6 60; random 3000 300 60 6 70000; random 3000 300 60 6 268435455; random 3000 300 60 6 65535; } > "$tmp/file"
try "large items" "$tmp/file" 20 1
# in turn so often that each change must not take memory of its own
awk 'BEGIN { for (i = 2; i < 70002; i++) { print 1, i % 65000 + 2, i; print 1, 70000 + i } }' > "$tmp/file"
try "large items and small ones in turn" "$tmp/file" 60000 0
for item in 65534 65535 65536 65537 9999999 10000000 99999999 100000000 268435455; do
	printf '%s 1 %s\n%s\n7\n' $item $item $item > "$tmp/file"
	try "item $item" "$tmp/file" 1 1
done
# a line longer than the buffer and than a chunk of items, among others
{ random 50 50 9 4 9; seq 1 700000 | tr '\n' ' '; echo; random 50 50 9 4 9; seq 1 700000 | tr '\n' ' '; echo; } > "$tmp/file"
try "a long line" "$tmp/file" 2 0
# lines that end near the end of the buffer
for length in 262141 262142 262143 262144 262145 524286 524287 524288; do
	{ head -c $((length - 2)) /dev/zero | tr '\0' ' '; printf '3\n4 5\n3 4\n'; } > "$tmp/file"
	try "a line of $length characters" "$tmp/file" 1 1
done
printf '1 2 3\n\n \n1\t2\r\n3 3 3 1\n  7  1 \n7' > "$tmp/file"
try "blanks, and no end of the last line" "$tmp/file" 1 1
printf '1 2\n1 2\n1 2' > "$tmp/file"
try "a last line like others, without end" "$tmp/file" 1 1
# lines that begin alike or differ in the last character only
for length in 1 2 3 4 5 6 7 8 9 15 16 17 24 31 32 33; do
	for last in 1 2 1 3 2 1; do
		head -c $((length - 1)) /dev/zero | tr '\0' ' '
		echo $last
	done
done > "$tmp/file"
try "lines of the same length" "$tmp/file" 1 1
printf '' > "$tmp/file"
try "an empty file" "$tmp/file" 1 1

# refused(what, text, message)
refused()
{
	tried=$((tried + 1))
	if printf "$2" | "$fim" -s 1 - > "$tmp/out" 2> "$tmp/err" || ! grep -q "$3" "$tmp/err"; then
		failed=$((failed + 1))
		echo "# $1 is not refused with a message like \"$3\""
	fi
}

refused "a word" '1 2\n1 2\n1 x\n' 'line 3: an item must be a whole number'
refused "a minus" '1 -2\n' 'line 1: an item must be a whole number'
refused "a large number" '1\n2\n268435456\n' 'line 3: items must not exceed 268435455'
refused "a very large number" '99999999999999999999\n' 'line 1: items must not exceed 268435455'

finish
