#!/bin/bash
# The engine's numbers of itemsets on real data, against those that others
# published or that a separate program computed.
#
#	golden.sh FIM [name]
#
# FIM is the engine's command-line program.  The data are found in the folder
# GPUFIM_DATA; without it the exit status is 77, for skipped.  With a name only
# the data files whose name contains it are looked at.
. "$(dirname "$0")/comparisons.sh"

fim=$1
only=${2:-}
need_data

# The plain file of a data set, decompressed once.  Words become numbers.
plain()
{
	local file=$tmp/${1//\//_}

	if [ ! -e "$file" ]; then
		case $1 in
			*.csv) xz -dc "$GPUFIM_DATA/$1.xz" | numbered , ;;
			*zutaten.txt) xz -dc "$GPUFIM_DATA/$1.xz" | numbered ' +' ;;
			*) xz -dc "$GPUFIM_DATA/$1.xz" ;;
		esac > "$file"
	fi
	echo "$file"
}

numbered()
{
	awk -F"$1" '{
		sub(/\r$/, "")
		line = ""
		for (i = 1; i <= NF; i++)
			if ($i != "") {
				if (!($i in number))
					number[$i] = ++n
				line = line number[$i] " "
			}
		print line
	}'
}

# count(data, kind, minsup, wanted, [auto]): by counting, and where it is quick
# also by listing, by two workers and, unless told not to, with each form of
# classes alone.
count()
{
	local data=$1 kind=$2 minsup=$3 wanted=$4 file

	[[ $data == *"$only"* ]] || return 0
	file=$(plain "$data")
	check "$data $kind $minsup" "$wanted" "$("$fim" -c -k "$kind" -s "$minsup" "$file" 2>&1)"
	[ "$wanted" -le 2000000 ] || return 0
	check "$data $kind $minsup, listed" "$wanted" \
		"$("$fim" -k "$kind" -s "$minsup" "$file" /dev/null 2>&1)"
	[ "$wanted" -le 100000 ] || return 0
	check "$data $kind $minsup, listed by two workers" "$wanted" \
		"$("$fim" -k "$kind" -s "$minsup" -w 2 "$file" /dev/null 2>&1)"
	[ "$wanted" -le 10000 ] && [ "${5:-}" != auto ] || return 0
	for strategy in bitmap projected; do
		check "$data $kind $minsup, strategy $strategy" "$wanted" \
			"$("$fim" -k "$kind" -s "$minsup" -S $strategy -c "$file" 2>&1)"
	done
}

# Lines "item item ... (support)" or "... #SUP: support", items in any order, to
# sorted lines of ascending items less some number.
canonical()
{
	tr -d '()\r' | sed 's/ *#SUP: */ /' | awk -v less="$1" '{
		n = NF - 1
		for (i = 1; i <= n; i++) {
			item = $i - less
			for (j = i - 1; j > 0 && sorted[j] > item; j--)
				sorted[j + 1] = sorted[j]
			sorted[j + 1] = item
		}
		line = ""
		for (i = 1; i <= n; i++)
			line = line sorted[i] " "
		print line "(" $NF ")"
	}' | LC_ALL=C sort
}

# list(data, kind, minsup, reference, less): the same itemsets with the same
# supports, after less is taken from the items of the reference.
list()
{
	local data=$1 kind=$2 minsup=$3 reference=$4 less=$5 file

	[[ $data == *"$only"* ]] || return 0
	file=$(plain "$data")
	xz -dc "$GPUFIM_DATA/reference/$reference.xz" | canonical "$less" > "$tmp/wanted"
	"$fim" -k "$kind" -s "$minsup" "$file" - | canonical 0 > "$tmp/found"
	check "$reference, lines that differ" 0 "$(diff "$tmp/wanted" "$tmp/found" | grep -c '^[<>]')"
	check "$reference, lines" "$(wc -l < "$tmp/wanted")" "$(wc -l < "$tmp/found")"
}

# Apache Mahout's test suite.
list fimi/retail.dat closed 100 mahout-retail-closed-minsup100.txt 0

# Outputs in SPMF's format.  That of mushrooms was made at some threshold from
# 4144 to 4152, in spite of its name; in two of them items are numbered from 1.
list fimi/chess.dat all 2500 spmf-chess_ms2500.txt 0
list fimi/T10I4D100K.dat all 1000 spmf-T10I4D100K_ms1000.txt 1
list fimi/retail.dat all 1000 spmf-retail_ms1000.txt 1
list fimi/mushrooms-8416.dat all 4144 spmf-mushrooms_ms4000.txt 0
count fimi/mushrooms-8416.dat all 4000 191

# Smile's and ELKI's unit tests.
count transactions/pima.D38.N768.C2.dat all 20 1803
count transactions/pima.D38.N768.C2.dat closed 20 1489
count transactions/pima.D38.N768.C2.dat maximal 20 72
count transactions/zutaten.txt all 200 184
count transactions/zutaten.txt closed 200 184
count transactions/zutaten.txt maximal 200 92

# Computed by a separate program.
count transactions/groceries.csv all 10 13492
count transactions/groceries.csv closed 10 13464
count transactions/groceries.csv maximal 10 7794
count transactions/groceries.csv all 98 341
count transactions/groceries.csv closed 98 341
count transactions/groceries.csv maximal 98 250
count transactions/online-retail-baskets.csv all 288 726
count transactions/online-retail-baskets.csv closed 288 726
count transactions/online-retail-baskets.csv maximal 288 580
count fimi/BMS-WebView-1.dat maximal 28 8560 auto
count fimi/BMS-WebView-1.dat maximal 21 16773 auto
count fimi/kosarak-head.dat maximal 20 51534
count transactions/debd-plants.dat maximal 1794 156458
count fimi/BMS-WebView-2.dat all 50 70712
count fimi/BMS-WebView-2.dat closed 50 53311
count fimi/BMS-WebView-2.dat maximal 50 6946

# On these, several miners agree.
count fimi/chess.dat all 959 37282962
count fimi/chess.dat closed 959 5316467
count fimi/chess.dat maximal 959 134624
count fimi/connect.dat all 33779 88316367
count fimi/connect.dat closed 20267 460411
count fimi/connect.dat maximal 20267 11044
count fimi/mushroom.dat all 81 91273269
count fimi/retail.dat all 5 1506775
count fimi/retail.dat closed 5 504142
count fimi/retail.dat maximal 5 212923
count fimi/T10I4D100K.dat all 10 411365
count fimi/T10I4D100K.dat closed 10 283397
count fimi/T10I4D100K.dat maximal 10 127264
count fimi/accidents-head.dat all 1523 8319565
count fimi/accidents-head.dat closed 762 21618239
count fimi/accidents-head.dat maximal 762 534822
count fimi/kosarak-head.dat all 37 709618
count fimi/BMS-WebView-2.dat all 8 7313361
count transactions/covtype.dat all 5811 77473

# The runs of the FIMI'04 workshop, by the column without the empty itemset.
while IFS=$'\t' read -r data kind minsup wanted; do
	count "$data" "$kind" "$minsup" "$wanted"
done < <(xz -dc "$GPUFIM_DATA/reference/fimi04-golden.tsv.xz" |
	awk -F'\t' 'NR == 1 {
			for (i = 1; i <= NF; i++)
				column[$i] = i
			next
		}
		$column["count_nonempty_recomputed"] != "" && $column["data_file_here"] != "" {
			print $column["data_file_here"] "\t" $column["type"] "\t" $column["minsup"] "\t" \
				$column["count_nonempty_recomputed"]
		}')

finish
