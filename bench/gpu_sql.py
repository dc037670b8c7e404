"""The GPU engine end to end: from a table to counts or rows, beside the CPU engine.

A throwaway server has gpufim preloaded, so that one GPU worker serves all sessions
and its contexts stay warm.  Its library is the one that the other sections use.
"""

import concurrent.futures
import os
import shlex
import shutil
import statistics
import tempfile
import time

import gpu
import machine
import report
import server

STATEMENTS = {
    'count': "SELECT sum(itemsets) FROM itemset_counts('baskets', 'items', %s, kind => '%s')",
    'list': "SELECT count(items) FROM frequent_itemsets('baskets', 'items', %s, NULL::int[], kind => '%s')",
    'values': "SELECT count(items) FROM probable_itemsets('uncertain', 'items', 'p', %s, %s, NULL::int[])",
    'decide': "SELECT count(items) FROM probable_itemsets('uncertain', 'items', 'p', %s, %s, NULL::int[], "
              "exact => false)",
}
SCAN = 'SELECT count(*) FROM baskets WHERE -1 = ANY (items)'
PROCESSES = min(8, os.cpu_count())  # sessions that fill a table, and parallel workers that read it

FIXED = "SELECT count(*) FROM frequent_itemsets('small', 'items', 0.05)"
FIXED_RUNS = 20
COLD_RUNS = 5
WANTED_FIXED = 0.005            # seconds over the CPU engine's
WANTED_COLD = 0.5

GPU_PHASES = (('transfer', 'bytes', 'B'), ('build', 'bytes', 'B'), ('count', 'bits', 'bit'),
              ('return', 'bytes', 'B'))


def settings(library):
    """Of the throwaway server."""
    return {'shared_preload_libraries': 'gpufim', 'gpufim.cuda_library': library,
            'max_worker_processes': 32, 'max_parallel_workers': 16, 'jit': 'off',
            'max_parallel_workers_per_gather': PROCESSES, 'max_wal_size': '16GB',
            'shared_buffers': '%dMB' % (machine.memory_bytes() / 4 / 2**20)}


def copy_line(table, file, part):
    """psql's command that adds one of PROCESSES parts of a FIMI file's lines to a table of arrays."""
    program = 'split -n l/%d/%d %s | sed "s/ *$//; s/.*/{&}/; s/ /,/g"' % (
        part, PROCESSES, shlex.quote(file))
    return "\\copy %s FROM PROGRAM '%s'" % (table, program.replace("'", "''"))


def load(cluster, table, file):
    """Fill a table of arrays by several sessions at once."""
    def add(part):
        session = cluster.session()
        try:
            session.run(copy_line(table, file, part))
        finally:
            session.close()

    with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        list(pool.map(add, range(1, PROCESSES + 1)))


class Baskets:
    """The table with a line's transactions, and what it takes only to read it."""

    def __init__(self, cluster, session, file):
        session.run('DROP TABLE IF EXISTS baskets')
        session.run('CREATE UNLOGGED TABLE baskets (items int[]) WITH (parallel_workers = %d)' % PROCESSES)
        load(cluster, 'baskets', file)
        session.run('VACUUM (ANALYZE) baskets')
        self.bytes = float(session.value("SELECT pg_table_size('baskets')"))
        self.entries = float(session.value('SELECT sum(cardinality(items)) FROM baskets'))
        self.scan = min(session.run(SCAN)[0] for _ in range(2))


def phase_rows(results, section, line, engine, baskets, last_run, known):
    """Rows of a call's phases."""
    def row(phase, seconds, unit=None, amount=None, limit=None):
        return results.figure(section, line, engine, phase, seconds=seconds, unit=unit, amount=amount,
                              limit=limit)
    rows = [row('read', float(last_run['read_ms']) / 1e3, 'B', baskets.bytes,
                baskets.bytes / baskets.scan),
            row('encode', float(last_run['encode_ms']) / 1e3, 'item', baskets.entries),
            row('mine', float(last_run['mine_ms']) / 1e3),
            row('emit', float(last_run['emit_ms']) / 1e3)]
    if section == 'sql' and engine == 'gpu':
        rows += [row(phase, float(last_run['gpu_%s_ms' % phase]) / 1e3, unit,
                     float(last_run['gpu_%s_%s' % (phase, what)]),
                     gpu.phase_limit(known, phase, last_run['strategy']))
                 for phase, what, unit in GPU_PHASES]
    return rows


class Engine:
    """What the calls of a line took on one of the engines; "gpu fft" is one with a strategy."""

    def __init__(self, name):
        self.name = name
        self.best = None
        self.spent = 0
        self.itemsets = None
        self.last_run = None
        self.failure = None

    def call(self, session, options, statement):
        if self.failure or self.spent > options.budget:
            return
        engine, _, strategy = self.name.partition(' ')
        session.run("SET gpufim.engine = '%s'" % engine)
        session.run("SET gpufim.strategy = '%s'" % (strategy or 'auto'))
        session.run("SET statement_timeout = '%gs'" % options.timeout)
        try:
            seconds, rows = session.run(statement)
        except server.SqlError as error:
            self.failure = 'over %g s' % options.timeout if 'statement timeout' in str(error) else \
                'failed: %s' % error
        session.run('RESET statement_timeout')
        if self.failure:
            return
        self.spent += seconds
        self.itemsets = rows[0][0] or '0'
        if self.best is None or seconds < self.best:
            self.best = seconds
            self.last_run = session.last_run()

    def note(self):
        """What it was given up for, else what "auto" or the engine chose."""
        if self.failure or not self.last_run or self.name == 'cpu':
            return self.failure
        return self.last_run['engine' if self.name == 'auto' else 'strategy']

    def row(self, results, section, line):
        return results.figure(section, line, self.name, 'call', seconds=self.best,
                              itemsets=self.itemsets, note=self.note(), command=statement_of(line))


def statement_of(line):
    return STATEMENTS[line.mode] % (line.minsup, line.kind)


def call_in_turns(session, options, line, names):
    """The Engines of these names, after their calls; contexts are warm, the table has been read."""
    engines = [Engine(name) for name in names]
    session.run('SET gpufim.workers = %s' % line.workers)
    for _ in range(options.runs):
        for engine in engines:
            engine.call(session, options, statement_of(line))
    return engines


def each_line(cluster, session, lines):
    """(line, its Baskets), with the table filled anew for other data."""
    loaded = None
    for line, file in lines:
        print(line.label(), flush=True)
        if loaded != line.data:
            baskets = Baskets(cluster, session, file)
            loaded = line.data
        yield line, baskets


def fixed_costs(session, results):
    """A call that has next to nothing to do: cold, and warm against the CPU engine."""
    session.run('DROP TABLE IF EXISTS small')
    session.run('CREATE UNLOGGED TABLE small AS SELECT ARRAY[i % 7, 7 + i % 11, 18 + i % 13, '
                '31 + i % 17, 48 + i % 19] AS items FROM generate_series(1, 1000) i')
    session.run('VACUUM (ANALYZE) small')
    times = {'gpu': [], 'cpu': []}
    session.run("SET gpufim.engine = 'gpu'")
    first = session.run(FIXED)[0]
    for _ in range(FIXED_RUNS):
        for engine, taken in times.items():
            session.run("SET gpufim.engine = '%s'" % engine)
            taken.append(session.run(FIXED)[0])
    warm, cpu = (statistics.median(times[engine]) for engine in ('gpu', 'cpu'))
    rows = [results.figure('fixed cost', 'a thousand rows', what, 'call', seconds=seconds,
                           wanted=wanted, command=FIXED)
            for what, seconds, wanted in (
                ('gpu, first call', first, None),
                ('gpu, warm', warm, None),
                ('cpu', cpu, None),
                ('gpu, warm, over cpu', warm - cpu, WANTED_FIXED),
                ('gpu, cold', cold_call(session), WANTED_COLD))]
    for row in rows:
        gpu.tell([row])
    results.add(rows)


def cold_call(session):
    """The median of calls that each find the contexts given up."""
    session.run("SET gpufim.engine = 'gpu'")
    session.run("ALTER SYSTEM SET gpufim.worker_idle_timeout = '100ms'")
    taken = []
    try:
        session.run('SELECT pg_reload_conf()')
        for _ in range(COLD_RUNS):
            time.sleep(2)
            taken.append(session.run(FIXED)[0])
    finally:
        session.run('ALTER SYSTEM RESET gpufim.worker_idle_timeout')
        session.run('SELECT pg_reload_conf()')
    return statistics.median(taken)


def prepare(session):
    """None, or why the server cannot be measured."""
    session.run('CREATE EXTENSION IF NOT EXISTS gpufim')
    usable, reason = session.run(
        "SELECT count(*) FILTER (WHERE usable), coalesce(string_agg(reason, '; '), '') "
        "FROM gpufim_devices() WHERE kind = 'gpu'")[1][0]
    if usable == '0':
        return 'no GPU is usable: ' + reason
    session.run("SET gpufim.gpus = '0'")
    session.run("SET gpufim.memory_limit = '%dGB'" % max(1, machine.memory_bytes() / 2**31))
    return None


def measure(cluster, session, options, results):
    fixed_costs(session, results)
    for line, baskets in each_line(cluster, session, gpu.lines(options, 'sql')):
        names = ['gpu', 'cpu'] if line.workers != '0' else ['gpu']
        for engine in call_in_turns(session, options, line, names):
            rows = [engine.row(results, 'sql', line)]
            if engine.last_run:
                rows += phase_rows(results, 'sql', line, engine.name, baskets, engine.last_run,
                                   gpu.limits(options.devices))
            gpu.tell(rows)
            results.add(rows)


def on_server(section, options, results, measure_all):
    """Has a section measured, measure_all(cluster, session, options, results), on one device."""
    with tempfile.TemporaryDirectory() as folder:
        # where the server's user can read it
        os.chmod(folder, 0o755)
        library = shutil.copy(options.library, folder)
        try:
            with server.Server(settings(library), CUDA='no') as cluster:
                session = cluster.session()
                reason = prepare(session)
                if reason:
                    report.skipped(section, reason)
                else:
                    measure_all(cluster, session, options, results)
                session.close()
        except server.NoServer as error:
            report.skipped(section, error)
        except server.SqlError as error:
            results.fail(section, error)


def sql(options, results):
    """Section sql: calls of SQL functions."""
    on_server('sql', options, results, measure)
