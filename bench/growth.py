"""How the time for a row grows with the rows, while all else stays in proportion.

Each line calls a function on tables whose rows double, and has the processor time of the backend
for each row.  A time that stays the same is linear growth.
"""

import os
import re

import report
import server
from sets import backend_seconds

DOUBLINGS = 5
HEADER = ['line', 'rows', 'ns_a_row', 'runs', 'results']

# Of each line: its name, the fewest rows, how to fill the table t with :rows rows, and the call.
LINES = (
    ('join_project_count', 125000,
     'CREATE UNLOGGED TABLE t AS SELECT (random() * :rows / 8)::int AS a, (random() * :rows / 8)::int AS b '
     'FROM generate_series(1, :rows)',
     "SELECT join_project_count('t', 'b', 'a', 't', 'b', 'a')"),
    ('similar_sets', 2500,
     'CREATE UNLOGGED TABLE t AS WITH one AS MATERIALIZED (SELECT s, ARRAY(SELECT DISTINCT (random() * random() * 2000)::int '
     'FROM generate_series(1, 10 + s % 20)) AS b FROM generate_series(1, :rows / 2) s) '
     'SELECT s AS a, b FROM one UNION ALL SELECT -s, b[2:] FROM one',
     "SELECT count(*) FROM similar_sets('t', 'a', 'b', 0.6)"),
    ('frequent_episodes', 62500,
     'CREATE UNLOGGED TABLE t AS SELECT i / 20 AS s, i % 20 * 20 + (random() * 20)::int AS at, '
     '(power(random(), 2) * 200)::int AS page FROM generate_series(0, :rows - 1) i',
     "SELECT count(*) FROM frequent_episodes('t', 'page', 'at', 0.0002, ARRAY['(0,100]'::numrange], "
     "max_length => 3, partition_column => 's')"),
    ('frequent_itemsets', 125000,
     'CREATE UNLOGGED TABLE t AS SELECT i / 10 AS a, (power(random(), 2) * 2000)::int AS b '
     'FROM generate_series(0, :rows - 1) i',
     "SELECT count(*) FROM frequent_itemsets('t', 'a', 'b', 0.001)"))


def measure_size(options, session, pid, fill, call, rows):
    """(fewest seconds, runs, results) of a call on so many rows."""
    session.run('DROP TABLE IF EXISTS t')
    session.run('SELECT setseed(0.5)')
    session.run(re.sub(':rows', str(rows), fill))
    session.run('VACUUM (ANALYZE) t')
    seconds = []
    while len(seconds) < options.runs and sum(seconds) < options.budget:
        spent, results = backend_seconds(session, pid, call)
        seconds.append(spent)
    return min(seconds), len(seconds), results


def measure(options, saved, session):
    pid = session.value('SELECT pg_backend_pid()')
    session.run('SET jit = off; SET max_parallel_workers_per_gather = 0; SET gpufim.workers = 0; '
                "SET gpufim.engine = 'cpu'")
    for name, fewest, fill, call in LINES:
        if not re.search(options.only, name):
            continue
        lines = []
        for doubling in range(DOUBLINGS + 1):
            rows = fewest << doubling
            seconds, runs, results = measure_size(options, session, pid, fill, call, rows)
            lines.append([name, rows, '%.1f' % (seconds / rows * 1e9), runs, results])
            print('  growth     %-20s %9d rows  %9.1f ns a row  %s results'
                  % (name, rows, seconds / rows * 1e9, results), flush=True)
        saved.put(lines)


EXPLANATION = '''\
Processor time of the backend in nanoseconds a row, the fewest of up to %d runs, without parallel plans and workers, for
tables whose rows double. The last column is the time for all rows of the largest table over that of the one half as large: 2 if growth is linear.

* `join_project_count`: pairs of as many keys and values, eight of each on average.
* `similar_sets`: sets of up to 29 of 2,000 items, few of which are frequent, and each again without one item, Jaccard at least 0.6. A row is a set. The
  dictionary stays the same, so each set shares rare items with twice as many others after each doubling, and the
  time for all pairs grows fourfold in the end.
* `frequent_episodes`: up to three events, sessions of 20 clicks. A relative `minsup` leaves about as many episodes.
* `frequent_itemsets`: pairs of baskets of ten items, `minsup` 0.1 %%.

But for `similar_sets`, the work for a row is the same at all sizes. What grows is the time that it takes to reach memory: on a machine
of this kind (2026-11-26), a read from a random place took 4 ns in 1 MB, 11 in 64 MB and 22 in 1 GB where the next one did not
depend on it, and 10, 146 and 224 ns where it did. A row of `join_project_count` takes a dozen of the former, to look its values up in dictionaries and to sort
it by key and by value. An event takes 27 reads that miss the first cache, at any size: 9 of them miss the second one,
of 2 MB, with 250,000 events, and 22 with 2 million (`cachegrind`). Most of these are asked for ahead (`lists.c`).
'''


def summary(rows):
    shown = []
    for name in dict.fromkeys(row[0] for row in rows):
        sizes = [row for row in rows if row[0] == name]
        times = [float(row[2]) for row in sizes]
        shown.append([name, '{:,}'.format(int(sizes[0][1])), *('%.0f' % time for time in times),
                      report.ratio(2 * times[-1], times[-2])])
    factors = ['>x%d' % (1 << doubling) for doubling in range(DOUBLINGS + 1)]
    return report.table(['line', '>rows', *factors, '>last doubling'], shown)


def run(options):
    """Measures and writes the results, also when it is interrupted."""
    saved = report.Table(os.path.join(options.results, 'growth.tsv'), HEADER, 1)
    try:
        with server.Server() as cluster:
            session = cluster.session()
            session.run('CREATE EXTENSION IF NOT EXISTS gpufim')
            measure(options, saved, session)
            session.close()
    except (server.NoServer, server.SqlError) as error:
        report.skipped('growth', error)
    finally:
        if saved.rows:
            print('wrote ' + os.path.relpath(saved.path))
            report.write_md(os.path.join(options.results, 'growth.md'), 'Growth', options.command,
                            [EXPLANATION % options.runs, summary(saved.rows)])
    return True
