#!/bin/bash
# The itemsets of uncertain data by expected support, on real data, against those that
# SPMF's UApriori found: how many there are of each size, and each with its expected
# support.
#
#	uncertain_golden.sh PROBABLE
#
# PROBABLE is bench/probable.  The data are found in the folder GPUFIM_DATA; without it
# the exit status is 77, for skipped.
. "$(dirname "$0")/comparisons.sh"

probable=$1
need_data

# mine(data, minsup, option ...): items and expected support.  A number of transactions
# must not look like a fraction: the only one that is below 1 is given times 4 rows.
mine()
{
	local minsup=$2

	[ "$minsup" != 0.1 ] || minsup=0.025
	xz -dc "$GPUFIM_DATA/$1.xz" | "$probable" -u -q 0 -d -l -m "$minsup" "${@:3}" |
		awk '!/^#/ { $(NF - 2) = ""; NF--; print }' | tr -s ' '
}

while IFS=$'\t' read -r data minsup total sizes; do
	[ "$data" != dataset ] || continue
	for strategy in auto fft; do
		"$probable" -S "$strategy" -m 1 </dev/null >/dev/null 2>&1 || continue
		found=$(mine "$data" "$minsup" -S "$strategy" |
			awk '{ n[NF - 1]++ } END { for (k = 1; (k in n); k++) printf("%s%d", (k > 1 ? "," : ""), n[k]) }')
		check "$data, $minsup, $strategy" "$sizes" "$found"
	done
done < <(xz -dc "$GPUFIM_DATA/reference/uncertain-golden.tsv.xz")

# What is listed, to the order of items and 1e-9 of the sums, which UApriori rounds.
for reference in "$GPUFIM_DATA"/reference/spmf-uapriori-*_es*.txt.xz; do
	name=$(basename "$reference" .txt.xz)
	name=${name#spmf-uapriori-}
	data=uncertain/${name%_es*}
	[ -e "$GPUFIM_DATA/$data.udat.xz" ] && data=$data.udat || data=$data.txt
	mine "$data" "${name#*_es}" -S auto | sort >"$tmp/found"
	xz -dc "$reference" | sed 's/#SUP: //' | awk '{ n = NF - 1; for (i = 1; i < n; i++) for (j = i + 1; j <= n; j++)
		if ($i + 0 > $j + 0) { t = $i; $i = $j; $j = t } print }' | tr -s ' ' | sort >"$tmp/wanted"
	differ=$(paste -d ' ' "$tmp/wanted" "$tmp/found" | awk '{
		if (NF % 2) { bad++; next }
		half = NF / 2
		for (i = 1; i < half; i++) if ($i != $(half + i)) { bad++; next }
		d = $half - $NF; if (d < 0) d = -d
		if (d > 1e-9 * $NF) bad++ } END { print bad + 0 }')
	check "$name, itemsets that differ" 0 "$differ"
done

finish
