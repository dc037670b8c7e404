"""The SQL functions beside what a user would do without them.

Every comparison has a statement of ours and another one; both run in turns in
one session, and what counts is the shortest time of each as psql sees it.
"""

import os
import statistics
import subprocess
import tempfile
import time

import data
import engine
import python_env
import report
import server

HERE = os.path.dirname(os.path.abspath(__file__))
PHASES = ('read_ms', 'encode_ms', 'mine_ms', 'emit_ms')
HEADER = ['part', 'what', 'own_s', 'own_median_s', 'other', 'other_s', 'other_median_s', 'ratio',
          'limit', 'call_s', 'rows', 'rows_expected', *PHASES, 'peak_mb', 'peak_limit_mb',
          'own_statement']

SERIAL = 'SET jit = off; SET max_parallel_workers_per_gather = 0'
PARALLEL = 'SET jit = off; RESET max_parallel_workers_per_gather'

# Longest answers that are written into a table from both sides.
MAX_END_TO_END = 2000000


class Comparison:
    """What one comparison found.  ratio: our time over the other's, wanted at most limit."""

    def __init__(self, part, what, own, other, limit=None):
        self.part = part
        self.what = what
        self.own = own
        self.other = other
        self.limit = limit
        self.own_times = []
        self.other_times = []
        self.calls = []                 # whole calls, where own_times are phases of them
        self.rows = None
        self.expected = None
        self.phases = {}
        self.peak = None
        self.peak_limit = None

    def add_own(self, seconds, last_run):
        """Takes a call's time, and the phases of the fastest call."""
        self.own_times.append(seconds)
        if seconds == min(self.own_times):
            self.phases = {phase: '%.1f' % float(last_run[phase]) for phase in PHASES}
            self.peak = float(last_run['peak_memory_bytes']) / 2**20

    def ratio(self):
        return min(self.own_times) / min(self.other_times) if self.other_times else None

    def wrong(self):
        return self.expected is not None and self.rows != self.expected

    def row(self):
        def times(values):
            if not values:
                return [None, None]
            return ['%.4f' % min(values), '%.4f' % statistics.median(values)]
        return [self.part, self.what, *times(self.own_times), self.other, *times(self.other_times),
                '%.3f' % self.ratio() if self.other_times else None, self.limit,
                '%.4f' % min(self.calls) if self.calls else None, self.rows, self.expected,
                *(self.phases.get(phase) for phase in PHASES),
                '%.1f' % self.peak, '%.1f' % self.peak_limit if self.peak_limit else None, self.own]


def call(arguments):
    return 'SELECT count(*) FROM frequent_itemsets(%s)' % arguments


def whole(seconds, last_run):
    """A clock: the time that psql saw."""
    return seconds


def phases_before_mining(seconds, last_run):
    """A clock: what a call of ours says it needed to read and encode; others' whole time."""
    if last_run is None:
        return seconds
    return (float(last_run['read_ms']) + float(last_run['encode_ms'])) / 1000


def compare(session, options, comparison, other, clock=whole):
    """Runs both statements in turns.  Returns the other one's rows, None: it failed."""
    rows = None
    while len(comparison.own_times) < options.runs:
        seconds, own_rows = session.run(comparison.own)
        last_run = session.last_run()
        comparison.calls.append(seconds)
        comparison.add_own(clock(seconds, last_run), last_run)
        comparison.rows = int(own_rows[0][0])
        try:
            seconds, rows = session.run(other)
        except server.SqlError as error:
            print('  %s: %s' % (comparison.other, error))
            break
        comparison.other_times.append(
            clock(seconds, session.last_run() if 'frequent_itemsets' in other else None))
        if sum(comparison.calls) + sum(comparison.other_times) > 2 * options.budget:
            break
    return rows


def tell(comparison):
    print('  %-44s %8s s, %s: %8s s, ratio %s%s%s' % (
        comparison.what, report.seconds(min(comparison.own_times)), comparison.other,
        report.seconds(min(comparison.other_times, default=None)) or '-',
        report.ratio(min(comparison.own_times), min(comparison.other_times, default=None)) or '-',
        ' (wanted: at most %s)' % comparison.limit if comparison.limit else '',
        ' WRONG: %d itemsets, not %d' % (comparison.rows, comparison.expected)
        if comparison.wrong() else ''), flush=True)


def load(session, table, file, text=False):
    """A FIMI file as TABLE (tid, items) and TABLE_pairs (tid, item)."""
    item = "'product ' || i" if text else 'i::int'
    session.run('DROP TABLE IF EXISTS raw, %s, %s_pairs' % (table, table))
    session.run('CREATE UNLOGGED TABLE raw (tid serial, line text)')
    session.run("\\copy raw (line) FROM '%s'" % file)
    session.run("CREATE UNLOGGED TABLE %s AS SELECT tid, ARRAY(SELECT %s FROM "
                "unnest(string_to_array(btrim(line), ' ')) i) AS items FROM raw" % (table, item))
    session.run('CREATE UNLOGGED TABLE %s_pairs AS SELECT tid, unnest(items) AS item FROM %s'
                % (table, table))
    session.run('DROP TABLE raw')
    for name in (table, table + '_pairs'):
        session.run('VACUUM (ANALYZE) ' + name)


def reading(session, options):
    """Reading and encoding: calls that stop at single items have little else to do."""
    file = data.generated('T10I4D' + options.transactions, 'quest', '-D', options.transactions)
    print('reading: T10I4D%s' % options.transactions, flush=True)
    load(session, 'baskets', file)
    load(session, 'words', file, text=True)
    session.run('DROP TABLE IF EXISTS shuffled')
    session.run('CREATE UNLOGGED TABLE shuffled AS SELECT * FROM baskets_pairs '
                'ORDER BY hashint8(tid * 4096::bigint + item)')
    session.run('VACUUM (ANALYZE) shuffled')
    session.run('DROP TABLE IF EXISTS shuffled_words')
    session.run("CREATE UNLOGGED TABLE shuffled_words AS SELECT 'basket ' || tid AS tid, 'item ' || item AS item FROM shuffled")
    session.run('VACUUM (ANALYZE) shuffled_words')

    def own(source, columns):
        return call("'%s', %s, 0.001, max_length => 1" % (source, columns))
    pairs = own('baskets_pairs', "'tid', 'item'")
    arrays = own('baskets', "'items'")
    total = 'SELECT sum(item) FROM baskets_pairs'
    plan = [
        (SERIAL, 'pairs, int', pairs, 'sum(item)', total, 2.0),
        (SERIAL, 'pairs, int, in random order', own('shuffled', "'tid', 'item'"), 'sum(item)',
         'SELECT sum(item) FROM shuffled', 2.0),
        (PARALLEL, 'pairs, int, parallel plans allowed', pairs, 'sum(item)', total, None),
        (SERIAL, 'arrays, int[]', arrays, '-1 = ANY (items)',
         'SELECT count(*) FROM baskets WHERE -1 = ANY (items)', 2.5),
        (PARALLEL, 'arrays, int[], parallel plans allowed', arrays, '-1 = ANY (items)',
         'SELECT count(*) FROM baskets WHERE -1 = ANY (items)', None),
        (PARALLEL, 'pairs, int, in random order, parallel plans allowed', own('shuffled', "'tid', 'item'"),
         'sum(item)', 'SELECT sum(item) FROM shuffled', None),
        (SERIAL, 'pairs, text, in random order', own('shuffled_words', "'tid', 'item'"), 'sum(length(item))',
         'SELECT sum(length(item)) FROM shuffled_words', 1.5),
        (PARALLEL, 'pairs, text, in random order, parallel plans allowed', own('shuffled_words', "'tid', 'item'"),
         'sum(length(item))', 'SELECT sum(length(item)) FROM shuffled_words', None),
        (PARALLEL, 'frequent_pairs, parallel plans allowed',
         "SELECT count(*) FROM frequent_pairs('baskets_pairs', 'tid', 'item', 0.01)", 'sum(item)', total, None),
        (SERIAL, 'pairs, text', own('words_pairs', "'tid', 'item'"), 'the same, int', pairs, 3.0),
        (SERIAL, 'arrays, text[]', own('words', "'items'"), 'the same, int', arrays, 3.0),
    ]
    result = []
    for settings, what, statement, name, other, limit in plan:
        session.run(settings)
        comparison = Comparison('reading', what, statement, name, limit)
        compare(session, options, comparison, other, phases_before_mining)
        tell(comparison)
        result.append(comparison)
    return result


MADE = '''CREATE OR REPLACE FUNCTION made(query text) RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE n bigint;
    BEGIN
        EXECUTE 'CREATE TEMP TABLE made_table ON COMMIT DROP AS ' || query;
        GET DIAGNOSTICS n = ROW_COUNT;
        RETURN n;
    END $$'''


def emitting(session, options):
    """245 blocks of 12 items of their own, each twice: 1,003,275 itemsets, 6 items on average."""
    print('emitting', flush=True)
    session.run(PARALLEL)
    session.run('DROP TABLE IF EXISTS blocks')
    session.run('CREATE UNLOGGED TABLE blocks AS SELECT ARRAY(SELECT b * 12 + i FROM '
                'generate_series(0, 11) i) AS items FROM generate_series(1, 245) b, '
                'generate_series(1, 2)')
    session.run('VACUUM (ANALYZE) blocks')
    result = []
    numbers = 'SELECT count(*) FROM generate_series(1, 1000000) AS n'
    for what, statement, other in (
            ('a million itemsets, counted', call("'blocks', 'items', 2"), numbers),
            ('a million itemsets, text[]', call("'blocks', 'items', 2") + " WHERE items[1] <> ''", numbers + " WHERE n::text <> ''"),
            ('a million itemsets, int[]', call("'blocks', 'items', 2, NULL::int[]") + ' WHERE items[1] >= 0', numbers + ' WHERE n >= 0')):
        comparison = Comparison('emitting', what, statement, 'generate_series', 1.0)
        comparison.expected = 245 * (2**12 - 1)
        compare(session, options, comparison, other)
        tell(comparison)
        result.append(comparison)

    session.run(MADE)
    for array, arguments in ('text[]', "'blocks', 'items', 2"), ('int[]', "'blocks', 'items', 2, NULL::int[]"):
        rows = 'SELECT * FROM frequent_itemsets(%s)' % arguments
        session.run('DROP TABLE IF EXISTS finished')
        session.run('CREATE UNLOGGED TABLE finished AS ' + rows)
        session.run('VACUUM (ANALYZE) finished')
        comparison = Comparison('emitting', 'a million itemsets into a table, ' + array,
                                'SELECT made($q$%s$q$)' % rows, 'copying that table', 1.3)
        comparison.expected = 245 * (2**12 - 1)
        compare(session, options, comparison, "SELECT made('SELECT * FROM finished')")
        tell(comparison)
        result.append(comparison)

    # each of the 20 rows has 2^60 itemsets
    session.run('DROP TABLE IF EXISTS endless')
    session.run('CREATE UNLOGGED TABLE endless AS SELECT ARRAY(SELECT b * 60 + i FROM '
                'generate_series(0, 59) i) AS items FROM generate_series(1, 20) b')
    comparison = Comparison('emitting', 'the first ten of 2^64 itemsets',
                            'SELECT count(items) FROM (SELECT items FROM frequent_itemsets('
                            "'endless', 'items', 1) LIMIT 10) s", '50 ms', 1.0)
    comparison.expected = 10
    compare(session, options, comparison, 'SELECT 1 FROM pg_sleep(0.05)')
    tell(comparison)
    result.append(comparison)
    return result


def self_join(n, minsup):
    """Frequent itemsets of n items the way a user would write them."""
    letters = 'abcd'[:n]
    columns = ', '.join(letter + '.item' for letter in letters)
    join = 't10_pairs a'
    for before, letter in zip(letters, letters[1:]):
        join += ' JOIN t10_pairs {1} ON {1}.tid = a.tid AND {0}.item < {1}.item'.format(before, letter)
    return ('SELECT count(*) FROM (SELECT %s, count(*) FROM %s GROUP BY %s HAVING count(*) >= %d) s'
            % (columns, join, columns, minsup))


def joining(session, options):
    name = 'T10I4D100K'
    file = data.real('fimi/' + name) or data.generated(name, 'quest')
    print('self-joins: %s' % name, flush=True)
    load(session, 't10', file)
    session.run(PARALLEL)
    session.run("SET statement_timeout = '%gs'" % options.timeout)
    result = []
    for n, what, limit in ((2, 'pairs at 0.1 %', 0.05), (3, 'triples at 0.1 %', None)):
        own = call("'t10_pairs', 'tid', 'item', 100, min_length => %d, max_length => %d" % (n, n))
        comparison = Comparison('self-join', what, own, 'self-join', limit)
        rows = compare(session, options, comparison, self_join(n, 100))
        if rows:
            comparison.expected = int(rows[0][0])
        tell(comparison)
        result.append(comparison)
    session.run('RESET statement_timeout')
    return result


class RoundTrip:
    """Dump with COPY, mine with a peer, load its answer back."""

    def __init__(self, name, command):
        self.name = name
        self.command = command          # of (file, out)
        self.times = []

    def run(self, session, folder):
        dumped = os.path.join(folder, 'dumped.dat')
        mined = os.path.join(folder, 'mined.txt')
        start = time.perf_counter()
        session.run("\\copy (SELECT array_to_string(items, ' ') FROM source) TO '%s'" % dumped)
        subprocess.run(self.command(dumped, mined), check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        session.run('CREATE UNLOGGED TABLE theirs (itemset text)')
        session.run("\\copy theirs FROM '%s'" % mined)
        self.times.append(time.perf_counter() - start)
        session.run('DROP TABLE theirs')


def round_trips(options, line, pyfim):
    """The round trips that can be made for a line."""
    def program(template):
        def command(file, out):
            return engine.peer_command(template, line, file, out)
        return command

    def module(method):
        def command(file, out):
            return [pyfim, '-B', os.path.join(HERE, 'pyfim_peer.py'), file, str(line.minsup),
                    line.kind, method, out]
        return command
    result = [RoundTrip(name, program(template)) for name, kinds, template in options.peer_listing
              if line.kind in kinds]
    if pyfim:
        result += [RoundTrip('pyfim ' + method, module(method)) for method in engine.PYFIM_METHODS]
    return result


def end_to_end_line(session, options, line, trips):
    """From the table to a table of the answer, both ways."""
    own = ("CREATE UNLOGGED TABLE ours AS SELECT * FROM frequent_itemsets('source', 'items', %d, "
           "kind => '%s')" % (line.minsup, line.kind))
    comparison = Comparison('end to end', line.label(), own,
                            'COPY and peer', 0.667)
    comparison.expected = line.itemsets
    with tempfile.TemporaryDirectory() as folder:
        spent = 0
        for _ in range(options.runs):
            start = time.perf_counter()
            comparison.add_own(session.run(own)[0], session.last_run())
            comparison.rows = int(session.value('SELECT count(*) FROM ours'))
            session.run('DROP TABLE ours')
            for trip in trips:
                trip.run(session, folder)
            spent += time.perf_counter() - start
            if spent > 2 * options.budget:
                break
    entries = int(session.value("SELECT coalesce(sum(support), 0) FROM frequent_itemsets("
                                "'source', 'items', %d, max_length => 1)" % line.minsup))
    comparison.peak_limit = 2 * 4 * entries / 2**20 + 64
    if trips:
        fastest = min(trips, key=lambda trip: min(trip.times))
        comparison.other = 'COPY and ' + fastest.name
        comparison.other_times = fastest.times
    tell(comparison)
    return comparison


def end_to_end(session, options):
    if data.missing():
        report.skipped('end to end', data.missing())
        return []
    print('end to end', flush=True)
    pyfim, why = python_env.find('fim', 'pyfim', options.install)
    if pyfim is None:
        report.skipped('the peer pyfim', why)
    session.run(PARALLEL)
    result = []
    loaded = None
    for line in data.lines(options.only):
        file = data.real(line.data)
        if line.itemsets > MAX_END_TO_END:
            continue
        if file is None:
            report.skipped(line.data, 'no such file in GPUFIM_DATA')
            continue
        if loaded != line.data:
            load(session, 'source', file)
            loaded = line.data
        result.append(end_to_end_line(session, options, line, round_trips(options, line, pyfim)))
    return result


EXPLANATION = '''\
PostgreSQL %s, `gpufim.workers` %s. Shortest of up to %d runs, both statements in turns in one session;
`jit = off`. "Ratio" is our time over the other's, "wanted" is the most it should be. The phases
are those of `gpufim_last_run()` for the fastest call, in milliseconds; sql.tsv has medians and
the statements.

* Reading: T10I4D%s made by `bench/quest`. Our time is that of the phases read and encode, in
  calls that stop at single items (`max_length => 1`, 0.1 %%); sql.tsv has the whole calls too.
  `sum(item)` and `-1 = ANY (items)` scan the same rows; the latter, whose number occurs nowhere,
  compares every element. Both sides without parallel plans unless it says otherwise.
* Emitting: 1,003,275 itemsets of 6 items on average, counted by `count(*)`.
* Self-join: T10I4D100K, tid and item, plain SQL as a user would write it.
* End to end: from a table of arrays to a table of itemsets. The other way is COPY to a file, the
  fastest peer's whole process, and COPY of its text, unparsed, into a table. Peak memory should
  be at most twice the frequent items' entries at 4 bytes each, and 64 MiB.
'''


PARTS = {'reading': reading, 'emitting': emitting, 'self-join': joining, 'end-to-end': end_to_end}


def measure(session, options, parts):
    """(comparisons, whether no part failed)"""
    results = []
    for part in parts:
        try:
            results += PARTS[part](session, options)
            report.save_tsv(os.path.join(options.results, 'sql.tsv'), HEADER, [one.row() for one in results])
        except server.SqlError as error:
            print('failed: %s: %s' % (part, error), flush=True)
            return results, False
    return results, True


def run(options, parts):
    """Measures and writes the results; false: something failed or was wrong."""
    try:
        with server.Server() as cluster:
            try:
                session = cluster.session()
                session.run('CREATE EXTENSION IF NOT EXISTS gpufim')
                version = session.value('SHOW server_version').split()[0]
                workers = session.value('SHOW gpufim.workers')
            except server.SqlError as error:
                return report.skipped('sql', error)
            results, well = measure(session, options, parts)
            session.close()
    except server.NoServer as error:
        return report.skipped('sql', error)
    if results:
        write(options, results, EXPLANATION % (version, workers, options.runs, options.transactions))
    return well and not any(one.wrong() for one in results)


def summary(results):
    header = ['what', '>gpufim, s', 'compared with', '>s', '>ratio', '>wanted', '>itemsets', '>read',
              '>encode', '>mine', '>emit', '>peak, MiB', '>wanted']
    rows = []
    for one in results:
        rows.append([one.what, report.seconds(min(one.own_times)), one.other,
                     report.seconds(min(one.other_times, default=None)),
                     '%.3f' % one.ratio() if one.other_times else '', one.limit,
                     '{:,}'.format(one.rows) + (', WRONG' if one.wrong() else '')] +
                    ['%.0f' % float(one.phases[phase]) for phase in PHASES] +
                    ['%.0f' % value if value is not None else ''
                     for value in (one.peak, one.peak_limit)])
    return report.table(header, rows)


def write(options, results, explanation):
    tsv = os.path.join(options.results, 'sql.tsv')
    report.write_tsv(tsv, HEADER, [one.row() for one in results])
    sections = [explanation]
    if report.draw('sql', tsv, os.path.join(options.results, 'sql.svg'), options.install):
        sections.append('`sql.svg`, which the run draws beside this file, shows the same.\n')
    for part in dict.fromkeys(one.part for one in results):
        sections.append('## %s\n\n' % part.capitalize() +
                        summary([one for one in results if one.part == part]))
    report.write_md(os.path.join(options.results, 'sql.md'), 'The SQL functions', options.command,
                    sections)
