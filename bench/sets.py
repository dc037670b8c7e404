"""Products of sets beside their peers: from the tables, and the product alone.

From the tables, join_project() and join_project_count() of the graphs of GPUFIM_DATA stand
beside the same query in plain SQL, in the same session and in DuckDB.  The product alone is
the engine's, by bench/sets, beside SuiteSparse:GraphBLAS on matrices that are ready.  All of
it is processor time on one core, contestants in turns.
"""

import os
import re
import signal
import statistics
import subprocess

import data
import python_env
import report
import server

HERE = os.path.dirname(os.path.abspath(__file__))
ENGINE = os.path.join(HERE, 'sets')
GRAPHS = ('email-enron', 'cit-hepth', 'MIT8', 'ego-twitter', 'soc-slashdot0902')
OTHERS = ('as-caida20071105.txt', 'bcsstk13.mtx', 'ca-astroph-cc1.txt', 'ca-condmat-cc1.txt', 'cit-hepph.txt',
          'email-Eu-core.txt', 'facebook-combined.txt', 'jagmesh7.mtx', 'karate.mtx', 'pushpull.mtx', 'west0067.mtx',
          'wiki-Vote.txt')       # the product alone
FEW_BYTES = 200000              # of a file whose products are made so often that nothing is cold
REPEATS = 50
PRODUCTS = (('A*A', 'product', 'a', 'b'), ('A*At', 'transposed', 'b', 'a'))
SWEPT = 8000                    # sets, of so many elements each on average
SWEPT_ELEMENTS = 250
DENSITIES = ('0.001', '0.002', '0.005', '0.01', '0.015', '0.02', '0.03', '0.05', '0.1')
STRATEGIES = ('auto', 'rows', 'bits', 'batmap')
HEADER = ['part', 'what', 'who', 'min_s', 'median_s', 'runs', 'results', 'verdict']
RESULTS = re.compile(r'; (\d+) results;')
SECONDS = re.compile(r'product ([0-9.]+) s')


class Contestant:
    """One way to do something.

    run: a function that returns (processor seconds, what is to be the same for all who do the same, as text).
    """

    def __init__(self, name, run, same=True):
        self.name = name
        self.run = run
        self.same = same                # does the same as the others
        self.seconds = []
        self.results = None
        self.failure = None

    def round(self, options):
        if self.failure or sum(self.seconds) > options.budget:
            return
        try:
            seconds, self.results = self.run()
            self.seconds.append(seconds)
        except (server.SqlError, ValueError, OSError) as error:
            self.failure = str(error)

    def best(self):
        return min(self.seconds, default=None)


class Peer:
    """A script that answers line by line: processor seconds and results."""

    def __init__(self, python, script, *words):
        self.process = subprocess.Popen([python, '-B', os.path.join(HERE, script), *words],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        start_new_session=True, universal_newlines=True)

    def ask(self, *words):
        self.process.stdin.write('\t'.join(words) + '\n')
        self.process.stdin.flush()
        seconds, tab, results = self.process.stdout.readline().rstrip('\n').partition('\t')
        if not tab:
            raise OSError('over the time' if self.process.wait() == -signal.SIGXCPU else 'failed')
        return float(seconds), results

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def peers(options):
    """The peers that can be had, by name."""
    found = {}
    for name, module, package in (('DuckDB', 'duckdb', 'duckdb'),
                                  ('GraphBLAS', 'graphblas', 'python-graphblas[default]')):
        python, why = python_env.find(module, package, options.install)
        if python is None:
            report.skipped('the peer ' + name, why)
        else:
            found[name] = Peer(python, 'sets_peer.py', module)
    return found


def backend_seconds(session, pid, statement):
    """Processor seconds of the session's backend for a statement, and its only value."""
    def spent():
        with open('/proc/%s/schedstat' % pid) as stat:
            return int(stat.read().split()[0]) / 1e9
    before = spent()
    results = session.value(statement)
    return spent() - before, results


def engine_seconds(words):
    output = subprocess.run([ENGINE, *words], stdout=subprocess.PIPE, universal_newlines=True,
                            check=True).stdout
    return float(SECONDS.search(output).group(1)), RESULTS.search(output).group(1)


def load(session, graph, file):
    table = re.sub(r'\W', '_', graph).lower()
    session.run('DROP TABLE IF EXISTS %s' % table)
    session.run('CREATE UNLOGGED TABLE %s (a int, b int)' % table)
    session.run("\\copy %s FROM PROGRAM 'grep -v ^# %s | tr -s \" \\t\" \"\\t\" | cut -f1,2'" % (table, file))
    session.run('VACUUM (ANALYZE) %s' % table)
    return table


def tell(table, part, what, contestants):
    """Says the contestants' figures, and saves them; false: results differ."""
    counts = {one.results for one in contestants if one.same and one.results is not None}
    rows = []
    for one in contestants:
        verdict = one.failure or ('equal' if len(counts) == 1 or not one.same else 'DIFFERS')
        print('  %-10s %-24s %-30s %8s s  %s' % (part, what, one.name,
                                                report.seconds(one.best()) or '-', verdict), flush=True)
        rows.append([part, what, one.name, *('%.6f' % of(one.seconds) if one.seconds else None for of in (min, statistics.median)),
                     len(one.seconds), one.results, verdict])
    table.put(rows)
    return len(counts) <= 1


def in_turns(options, saved, part, what, contestants):
    for _ in range(options.runs):
        for one in contestants:
            one.round(options)
    return tell(saved, part, what, contestants)


def from_tables(options, saved, session, pid, table, what, right, duckdb):
    key, value = right
    ours = "'%s', 'b', 'a', '%s', '%s', '%s'" % (table, table, key, value)
    plain = 'SELECT count(*) FROM (SELECT DISTINCT l.a, r.%s FROM %s l JOIN %s r ON l.b = r.%s) s' % (
        value, table, table, key)

    def sql(statement):
        return lambda: backend_seconds(session, pid, statement)
    contestants = [
        Contestant('join_project', sql('SELECT count(*) FROM join_project(%s)' % ours)),
        Contestant('join_project, values', sql('SELECT count(left_value) FROM join_project(%s)' % ours)),
        Contestant('join_project, witnesses', sql('SELECT count(witnesses) FROM join_project(%s)' % ours)),
        Contestant('join_project_count', sql('SELECT join_project_count(%s)' % ours)),
        Contestant('SELECT DISTINCT', sql(plain))]
    if duckdb:
        contestants.append(Contestant('DuckDB', lambda: duckdb.ask('query', plain)))
    return in_turns(options, saved, 'tables', what, contestants)


def alone(options, saved, file, what, task, graphblas):
    same = True
    repeats = str(REPEATS if os.path.getsize(file) < FEW_BYTES else 1)
    for name, flags in (('existence', ['-e']), ('counting', [])):
        contestants = [Contestant('engine', lambda flags=flags: engine_seconds(
            ['-t', task, '-o', '-r', repeats, *flags, file]))]
        if graphblas:
            contestants.append(Contestant('GraphBLAS', lambda name=name: graphblas.ask(task, name, repeats)))
        same = in_turns(options, saved, 'product', '%s %s' % (what, name), contestants) and same
    return same


def pairs_alone(file):
    """A file without comments, and without the sizes that a matrix begins with."""
    copy = os.path.join(data.CACHE, os.path.basename(file) + '.pairs')
    with open(file) as lines, open(copy, 'w') as out:
        pairs = (line for line in lines if line[0] not in '#%')
        if file.endswith('.mtx'):
            next(pairs)
        out.writelines(pairs)
    return copy


def others(options, saved, graphblas):
    """The product alone of more graphs."""
    same = True
    for graph in OTHERS:
        file = data.unpacked('graphs/' + graph)
        if not re.search(options.only, graph) or file is None:
            continue
        file = pairs_alone(file)
        if graphblas:
            graphblas.ask('load', graph, file)
        for name, task, _, _ in PRODUCTS:
            same = alone(options, saved, file, '%s %s' % (graph.split('.')[0], name), task, graphblas) and same
    return same


def graphs(options, saved, session):
    same = True
    found = peers(options)
    pid = session.value('SELECT pg_backend_pid()')
    session.run('SET jit = off; SET max_parallel_workers_per_gather = 0; SET gpufim.workers = 0; '
                "SET gpufim.engine = 'cpu'")
    for graph in GRAPHS:
        if not re.search(options.only, graph):
            continue
        file = data.unpacked('graphs/%s.txt' % graph)
        if file is None:
            report.skipped(graph, data.missing() or 'no such file in GPUFIM_DATA')
            continue
        table = load(session, graph, file)
        for peer in found.values():
            peer.ask('load', table, file)
        for name, task, key, value in PRODUCTS:
            what = '%s %s' % (graph, name)
            same = from_tables(options, saved, session, pid, table, what, (key, value),
                               found.get('DuckDB')) and same
            same = alone(options, saved, file, what, task, found.get('GraphBLAS')) and same
    same = others(options, saved, found.get('GraphBLAS')) and same
    for peer in found.values():
        peer.close()
    return same


def dense(options, saved):
    """Sets of one size over more and more keys, pairs with two in common, and the instance of BatMap's paper."""
    same = True
    instances = [('%d,%d,%s' % (SWEPT, round(SWEPT_ELEMENTS / float(density)), density), '-m 2')
                 for density in DENSITIES]
    instances.append(('4000,50000,0.05', '-m 1'))
    for instance, least in instances:
        if not re.search(options.only, instance):
            continue
        same = in_turns(options, saved, 'dense', instance, [
            Contestant(name, lambda name=name: engine_seconds(
                ['-t', 'pairs', '-s', name, *least.split(), '-d', instance])) for name in STRATEGIES]) and same
    return same


EXPLANATION = '''\
Processor seconds on one core, the fewest of up to %d runs each, contestants of a line in turns. `sets.tsv` has the number of
runs and of results, and is saved with every line that is measured; lines that the command above did not measure are those of an
earlier run.

* `tables`: from a table of edges to `count(*)`, which needs no column of the rows, to a count of the values or witnesses in them,
  or to the number alone. Plain SQL is `SELECT DISTINCT` over the join, in
  the same session without parallel plans. DuckDB has the same table and query, and one thread.
* `product`: the engine by `bench/sets`, which writes the results, and SuiteSparse:GraphBLAS with the semirings any_pair and
  plus_pair, on matrices that are ready. With small graphs a run is the quickest of %d in one process.
* `dense`: pairs of sets, SETS,KEYS,DENSITY, with at least two keys in common, counted by each strategy. The last line is the
  instance of the paper on BatMap, with at least one. The others have as many elements each, 2 million in all:

`sets.svg`, which the run draws beside this file, shows the processor time over the density.
'''


def summary(rows):
    shown = []
    for part, what, who, seconds, _, _, results, verdict in rows:
        mine = next(row for row in rows if row[:2] == [part, what])
        shown.append([part, what, who, report.seconds(float(seconds)) if seconds else '',
                      report.ratio(float(seconds), float(mine[3])) if seconds and mine[3] else '',
                      '{:,}'.format(int(results)) if results else '', '' if verdict == 'equal' else verdict])
    return report.table(['part', 'what', 'who', '>s', '>over the first', '>results', ''], shown)


def measure(options, saved):
    same = True
    try:
        with server.Server() as cluster:
            session = cluster.session()
            session.run('CREATE EXTENSION IF NOT EXISTS gpufim')
            same = graphs(options, saved, session)
            session.close()
    except (server.NoServer, server.SqlError) as error:
        report.skipped('products of sets from tables', error)
    return dense(options, saved) and same


def write(options, saved):
    print('wrote ' + os.path.relpath(saved.path))
    report.write_md(os.path.join(options.results, 'sets.md'), 'Products of sets', options.command,
                    [EXPLANATION % (options.runs, REPEATS), summary(saved.rows)])
    if any(row[0] == 'dense' for row in saved.rows):
        report.draw('sets', saved.path, os.path.join(options.results, 'sets.svg'), options.install)


def run(options):
    """Measures and writes the results, also when it is interrupted; false: something was wrong."""
    saved = report.Table(os.path.join(options.results, 'sets.tsv'), HEADER, 2)
    try:
        return measure(options, saved)
    finally:
        if saved.rows:
            write(options, saved)
