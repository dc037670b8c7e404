"""How soon a call ends that is cancelled, in each phase.

The time is from pg_cancel_backend() in one session to the error in the other, as
psql shows it.  The calls would otherwise run for years, but for those that sort.
"""

import os
import statistics
import threading
import time

import report
import server

HEADER = ['phase', 'what', 'cancels', 'median_ms', 'longest_ms', 'wanted_ms', 'statement']

WANTED_MS = 100
SECONDS_TO_PHASE = 300

# gpufim_progress has other sessions' calls only where gpufim is preloaded.  PostgreSQL looks at
# no cancel while it compiles a query just in time, which takes 0.1 s the first time in a session.
SETTINGS = {'shared_preload_libraries': 'gpufim', 'jit': 'off'}

TABLES = """
CREATE TEMP TABLE dense AS
    SELECT (SELECT array_agg(k) FROM generate_series(1, 60) AS k WHERE random() < 0.5 + n * 0) AS items
    FROM generate_series(1, 400) AS n;
CREATE TEMP TABLE equal AS SELECT array_agg(k) AS items FROM generate_series(1, 40) AS k;
CREATE TEMP TABLE long AS SELECT array_agg(k) AS items FROM generate_series(1, 50000) AS k;
CREATE TEMP TABLE uncertain AS SELECT items, 0.9 AS p FROM dense;
CREATE TEMP TABLE turns AS SELECT n % 7 AS kind, n AS at FROM generate_series(1, 3000) AS n;
CREATE TEMP TABLE spikes AS SELECT n % 26 AS kind, (random() * 1000000)::int AS at FROM generate_series(1, 100000) AS n;
CREATE TEMP TABLE line AS SELECT 1 AS k, n AS v FROM generate_series(1, 3000000) AS n
"""

ROWS = '(SELECT %s FROM (SELECT generate_series(1::bigint, %d) AS n) AS s)'
ENDLESS = 2000000000
SORTED = 12000000

ARRAYS = "SELECT count(items) FROM frequent_itemsets('%s', 'items', %s)"
PAIRS = "SELECT count(items) FROM frequent_itemsets('%s', 'tid', 'item', %s)"
PROBABLE = "SELECT count(items) FROM probable_itemsets('%s', 'items', 'p', 2)"
EVENTS = "SELECT count(*) FROM %s('%s', 'kind', 'at', %s)"
VALUES = "SELECT * FROM join_project_count('%s', 'k', 'v', 'line', 'k', 'v')"

# phase, what, statement, results to wait for
CASES = [
    ('reading', 'arrays',
     ARRAYS % (ROWS % ('ARRAY[n % 1000, n % 77, n % 31] AS items', ENDLESS), '0.1'), 0),
    ('reading', 'pairs',
     PAIRS % (ROWS % ('n * 7919 % 1000003 AS tid, n % 1009 AS item', ENDLESS), '0.1'), 0),
    ('reading', 'new items', ARRAYS % (ROWS % ('ARRAY[n, -n] AS items', ENDLESS), '2'), 0),
    ('reading', 'text',
     ARRAYS % (ROWS % ("ARRAY[''item '' || n % 100000] AS items", ENDLESS), '2'), 0),
    ('encoding', 'pairs',
     PAIRS % (ROWS % ('n * 7919 % 1000003 AS tid, n * 31 % 1000033 AS item', SORTED), '5'), 0),
    ('mining', 'all', ARRAYS % ('dense', '2'), 0),
    ('mining', 'closed', ARRAYS % ('dense', "2, kind => 'closed'"), 0),
    ('mining', 'maximal', ARRAYS % ('dense', "8, kind => 'maximal'"), 0),
    ('mining', 'counted', "SELECT count(*) FROM itemset_counts('dense', 'items', 2)", 0),
    ('mining', 'emitting', ARRAYS % ('equal', '1'), 1000000),
    ('mining', '50,000 items', ARRAYS % ('long', '1'), 0),
    ('reading', 'probabilities',
     PROBABLE % (ROWS % ('ARRAY[n % 1000, n % 77 - 100] AS items, 0.5 AS p', ENDLESS)), 0),
    ('mining', 'probable itemsets', PROBABLE % 'uncertain', 0),
    ('reading', 'events',
     EVENTS % ('frequent_episodes', ROWS % ('n % 1000 AS kind, n AS at', ENDLESS), "2, '{\"(0,5]\"}'"), 0),
    ('mining', 'episodes', EVENTS % ('frequent_episodes', 'turns', "2, '{\"(0,5]\"}'"), 0),
    ('mining', 'surrogates',
     EVENTS % ('episode_significance', 'spikes',
               "100, '{\"(0,100]\"}', max_length => 3, surrogates => 1000000, dither => 500"), 0),
    ('reading', 'values', VALUES % (ROWS % ('n % 1000 AS k, n % 77 AS v', ENDLESS)), 0),
    ('mining', 'pairs of values', VALUES % 'line', 0),
]


def reaches(watcher, caller, thread, phase, results):
    """False: the call came to its end before."""
    until = time.monotonic() + SECONDS_TO_PHASE
    while thread.is_alive() and time.monotonic() < until:
        if watcher.value("SELECT count(*) FROM gpufim_progress WHERE pid = %s AND phase = '%s' "
                         "AND coalesce(itemsets, 0) >= %d" % (caller.pid, phase, results)) == '1':
            return True
    return False


def cancel(watcher, caller, case, delay):
    """Milliseconds, or None if the call was not in its phase any more."""
    phase, _, statement, results = case

    def call():
        try:
            caller.run(statement)
        except server.SqlError:
            pass

    caller.error_at = None
    thread = threading.Thread(target=call)
    thread.start()
    started = None
    if reaches(watcher, caller, thread, phase, results):
        time.sleep(delay)
        started = time.monotonic()
        watcher.run('SELECT pg_cancel_backend(%s)' % caller.pid)
    thread.join()
    if started is None or caller.error_at is None or caller.error_at < started:
        return None
    return (caller.error_at - started) * 1000


def measure(watcher, caller, options):
    rows = []
    for case in CASES:
        times = [cancel(watcher, caller, case, 0.03 + 0.11 * turn) for turn in range(options.runs)]
        times = [one for one in times if one is not None]
        rows.append([case[0], case[1], len(times),
                     '%.1f' % statistics.median(times) if times else '',
                     '%.1f' % max(times) if times else '', WANTED_MS, case[2]])
        print('cancel: %s, %s: median %s ms, longest %s ms of %d'
              % (case[0], case[1], rows[-1][3], rows[-1][4], len(times)), flush=True)
    return rows


def run(options):
    """Measures and writes the results; nothing fails because a machine is slow."""
    try:
        with server.Server(SETTINGS) as cluster:
            try:
                caller, watcher = cluster.session(), cluster.session()
                caller.run('CREATE EXTENSION IF NOT EXISTS gpufim')
                if 'gpufim' not in watcher.value('SHOW shared_preload_libraries'):
                    return report.skipped('cancel', 'gpufim is not in shared_preload_libraries')
                caller.pid = caller.value('SELECT pg_backend_pid()')
                for statement in TABLES.split(';'):
                    caller.run(statement)
                rows = measure(watcher, caller, options)
            except server.SqlError as error:
                return report.skipped('cancel', error)
            caller.close()
            watcher.close()
    except server.NoServer as error:
        return report.skipped('cancel', error)
    report.write_tsv(os.path.join(options.results, 'cancel.tsv'), HEADER, rows)
    report.write_md(os.path.join(options.results, 'cancel.md'), 'How soon a cancelled call ends',
                    options.command,
                    [__doc__.split('\n\n')[1].replace('\n', ' ') + '\n\n' +
                     report.table(['phase', 'what', '>cancels', '>median, ms', '>longest, ms',
                                   '>wanted, ms'], [row[:-1] for row in rows])])
    return True
