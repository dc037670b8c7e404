# What the tests of programs share: a folder for their files, $tmp, and comparisons, which are
# counted.
#
# Sourced by fim_reads.sh, fim_writes.sh, golden.sh and uncertain_golden.sh.
set -uo pipefail

tmp=$(mktemp -d "${TMPDIR:-/tmp}/gpufim-$(basename "$0" .sh).XXXXXX")
trap 'rm -rf "$tmp"' EXIT
tried=0
failed=0

# Ends a test that needs real data as skipped if there are none.
need_data()
{
	if [ -z "${GPUFIM_DATA:-}" ]; then
		echo "# GPUFIM_DATA is not set"
		exit 77
	fi
}

# check(what, wanted, found)
check()
{
	tried=$((tried + 1))
	if [ "$2" != "$3" ]; then
		failed=$((failed + 1))
		echo "# $1: $2 wanted, $3 found"
	fi
}

# check_files(what, wanted, found)
check_files()
{
	tried=$((tried + 1))
	if ! diff "$2" "$3" > "$tmp/diff"; then
		failed=$((failed + 1))
		echo "# $1 differs:"
		head -n 5 "$tmp/diff" | sed 's/^/# /'
	fi
}

# Ends the test.
finish()
{
	echo "# $tried comparisons, $failed differ"
	[ "$tried" -gt 0 ] && [ "$failed" -eq 0 ]
	exit
}
