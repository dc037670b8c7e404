# What the scripts beside this file share.  Sourced, not run.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say()
{
	printf 'gpufim: %s\n' "$*"
}

die()
{
	printf 'gpufim: %s\n' "$*" >&2
	exit 1
}

# Make talks to the makes below it through these; ours are no part of its build.
unset MAKEFLAGS MFLAGS MAKELEVEL

# Where Debian's packages put PostgreSQL; tests put a folder in the place of "/".
debian_libraries=${GPUFIM_TEST_ROOT:-}/usr/lib/postgresql
debian_clusters=${GPUFIM_TEST_ROOT:-}/etc/postgresql

# Print why this is not the pg_config of a PostgreSQL that gpufim can be built for
# and that can be started, or nothing if it is.
pg_config_problem()
{
	local version bindir pgxs headers program

	command -v "$1" >/dev/null || {
		echo "there is no such program"
		return
	}
	version=$("$1" --version 2>/dev/null | sed -n 's/^[^0-9]*\([0-9][0-9]*\).*/\1/p')
	[ -n "$version" ] || {
		echo "it does not say which version of PostgreSQL it belongs to"
		return
	}
	[ "$version" -ge 14 ] || {
		echo "it belongs to PostgreSQL $version, and 14 is the oldest that is supported"
		return
	}
	bindir=$("$1" --bindir 2>/dev/null)
	for program in postgres initdb psql; do
		[ -x "$bindir/$program" ] || {
			echo "there is no program \"$program\" in \"$bindir\""
			return
		}
	done
	pgxs=$("$1" --pgxs 2>/dev/null)
	[ -f "$pgxs" ] || {
		echo "there is no file \"$pgxs\""
		return
	}
	headers=$("$1" --includedir-server 2>/dev/null)
	[ -f "$headers/postgres.h" ] || {
		echo "there is no header \"postgres.h\" in \"$headers\""
		return
	}
}

usable_pg_config()
{
	[ -z "$(pg_config_problem "$1")" ]
}

# Print the pg_config to use: the one asked for, or the first usable one.
find_pg_config()
{
	local candidate

	if [ -n "${PG_CONFIG:-}" ]; then
		usable_pg_config "$PG_CONFIG" && command -v "$PG_CONFIG"
		return
	fi
	for candidate in pg_config $(debian_versions | sed "s,.*,$debian_libraries/&/bin/pg_config,"); do
		if usable_pg_config "$candidate"; then
			command -v "$candidate"
			return
		fi
	done
	return 1
}

# Print the supported major versions of which Debian's packages have installed the
# server or pg_config, the newest first.
debian_versions()
{
	local version

	for version in $(ls "$debian_libraries" 2>/dev/null | sort -rn); do
		if [ "$version" -ge 14 ] 2>/dev/null && { [ -x "$debian_libraries/$version/bin/postgres" ] ||
			[ -x "$debian_libraries/$version/bin/pg_config" ]; }; then
			echo "$version"
		fi
	done
}

# Print the architectures of this machine's GPUs that gpufim can use, as numbers.
gpu_architectures()
{
	nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
		sed -n 's/^ *\([0-9]*\)\.\([0-9]\) *$/\1\2/p' | sort -nu | awk '$1 >= 75'
}

# Build targets of the Makefile in a tree, on all cores; after the tree's path and
# that of a log.  In front of make stands the command "as_builder", if there is one.
# Compilers warn in English, as warnings are looked for.
build()
{
	local tree=$1 log=$2

	LC_ALL=C ${as_builder[@]+"${as_builder[@]}"} "${MAKE:-make}" --no-print-directory -s -C "$tree" -j"$(nproc)" \
		PG_CONFIG="$PG_CONFIG" "${@:3}" >"$log" 2>&1 || {
		cat "$log" >&2
		die "the build failed"
	}
	grep -i 'warning:' "$log" >&2 || true
}

# The same in this tree, if all that would be written is the builder's: that is
# the owner of the tree where root calls, and else whoever calls.
build_in_place()
{
	local as_builder=() foreign

	if [ "$(id -u)" = 0 ]; then
		as_builder=(env -u TMPDIR setpriv --reuid="$(stat -c %u "$top")"
			--regid="$(stat -c %g "$top")" --clear-groups)
	fi
	foreign=$(${as_builder[@]+"${as_builder[@]}"} find "$top" \
		'(' -name .git -o -name tmp_check -o -path '*/bench/data' -o -path '*/bench/out' ')' -prune -o \
		'(' -type d -o -name '*.[do]' -o -name '*.so' -o -name built_for -o -name fim ')' \
		! -writable -print 2>&1) || true
	[ -n "$foreign" ] || build "$top" "$@"
}
