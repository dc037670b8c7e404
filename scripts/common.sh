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

# Is this the pg_config of a PostgreSQL that we can build for and start?
usable_pg_config()
{
	local bindir pgxs version

	bindir=$("$1" --bindir 2>/dev/null) && pgxs=$("$1" --pgxs 2>/dev/null) &&
		version=$("$1" --version 2>/dev/null | sed 's/^[^0-9]*\([0-9]*\).*/\1/') &&
		[ "${version:-0}" -ge 14 ] && [ -f "$pgxs" ] &&
		[ -x "$bindir/postgres" ] && [ -x "$bindir/initdb" ] && [ -x "$bindir/psql" ]
}

# Print the pg_config to use: the one asked for, or the first usable one.
find_pg_config()
{
	local candidate

	if [ -n "${PG_CONFIG:-}" ]; then
		usable_pg_config "$PG_CONFIG" && command -v "$PG_CONFIG"
		return
	fi
	for candidate in pg_config $(ls -d /usr/lib/postgresql/*/bin/pg_config 2>/dev/null | sort -rV); do
		if usable_pg_config "$candidate"; then
			command -v "$candidate"
			return
		fi
	done
	return 1
}
