"""Rules, best partners and the k best itemsets beside their peers, from the table to the rows.

All of it is processor time on one core, contestants of a line of rule-lines.tsv in turns.  All that do the same
must find as many rows with the same sum of supports, or of scores.
"""

import collections
import os
import re

import data
import python_env
import report
import server
import sets
import sql

# What Python has to import, and what pip installs, for each peer.
PEERS = {
    'eclat': ('fim', 'pyfim'),
    'fpgrowth': ('fim', 'pyfim'),
    'rusket': ('rusket, pandas, pyarrow', 'rusket pandas pyarrow'),
    'mlxtend': ('mlxtend', 'mlxtend'),
    'efficient-apriori': ('efficient_apriori', 'efficient-apriori'),
    'lcm': ('nysol', 'nysol'),
    'DuckDB': ('duckdb', 'duckdb'),
}

# A run of fewer seconds is followed by another one, which counts.
MOMENT = 0.05

SETTINGS = ('SET jit = off', 'SET max_parallel_workers_per_gather = 0', "SET work_mem = '1GB'", 'SET gpufim.workers = 0',
            "SET gpufim.engine = 'cpu'", "SET gpufim.memory_limit = '8GB'")

# Conditions that always hold make the query compute the other columns, too.
RULES = ("SELECT concat_ws(' ', count(antecedent), sum(support)) FROM association_rules('source', 'items', {0.minsup}, NULL::int[], {0.minconf}) "
         'HAVING count(consequent) + sum(confidence) + sum(lift){1} >= 0')
ITEMSETS = "SELECT concat_ws(' ', count(items), sum(support)) FROM %s"
PARTNERS = ("SELECT concat_ws(' ', count(item), CAST(sum(score) * 1000 AS bigint)) FROM similar_items('{0}', 'a', 'b', {1.k}, NULL::int) "
            'HAVING count(other) + sum(rank) + sum(support) >= 0')
SELF_JOIN = '''\
    WITH frequencies AS (SELECT b, count(*) AS frequency FROM {0} GROUP BY b),
         pairs AS (SELECT l.b AS item, r.b AS other, count(*) AS support
                   FROM {0} AS l JOIN {0} AS r ON l.a = r.a AND l.b <> r.b GROUP BY l.b, r.b),
         scored AS (SELECT item, other, support, support / sqrt(l.frequency * r.frequency) AS score
                    FROM pairs JOIN frequencies AS l ON l.b = item JOIN frequencies AS r ON r.b = other),
         ranked AS (SELECT *, row_number() OVER (PARTITION BY item ORDER BY score DESC, support DESC, other) AS rank FROM scored)
    SELECT concat_ws(' ', count(item), CAST(sum(score) * 1000 AS bigint)) FROM ranked WHERE rank <= {1.k}'''


class Line(collections.namedtuple('Line', 'part data minsup minconf k peers')):
    def label(self):
        return ' '.join([os.path.basename(self.data)] + [word for word in (self.minsup, self.minconf, self.k) if word])


def lines(pattern):
    """(line, its file) of rule-lines.tsv whose part and label have the pattern."""
    with open(os.path.join(sets.HERE, 'rule-lines.tsv')) as table:
        next(table)
        every = [Line(*row.rstrip('\n').split('\t')) for row in table]
    for line in every:
        if not re.search(pattern, '%s %s' % (line.part, line.label())):
            continue
        file = data.real(line.data)
        if file is None:
            report.skipped(line.label(), data.missing() or 'no such file in GPUFIM_DATA')
        else:
            yield line, file


def pythons(options):
    """The interpreters of the peers that can be had, by name."""
    found = {}
    for name, (module, package) in PEERS.items():
        python, why = python_env.find(module, package, options.install)
        if python is None:
            report.skipped('the peer ' + name, why)
        else:
            found[name] = python
    return found


def warm(run):
    """What takes a moment is run twice, because at first it finds the caches as the last contestant has left them."""
    first = run()
    return run() if first[0] < MOMENT else first


class Bench:
    """A session, and the peers."""

    def __init__(self, options, saved, session):
        self.options, self.saved, self.session = options, saved, session
        self.pid = session.value('SELECT pg_backend_pid()')
        self.pythons = pythons(options)
        self.loaded = None              # which file is in the tables

    def own(self, name, statement, same=True):
        return sets.Contestant(name, lambda: warm(lambda: sets.backend_seconds(self.session, self.pid, statement)), same)

    def load(self, file):
        """Table source with arrays, and source_pairs, also as a file without an item twice in a transaction."""
        if self.loaded != file:
            sql.load(self.session, 'source', file)
            self.loaded = file

    def peers(self, line, file, request):
        """A contestant for each peer of the line, that answers a request."""
        result = []
        for name in line.peers.split(','):
            if name in self.pythons:
                peer = sets.Peer(self.pythons[name], 'rules_peer.py', name, file, str(self.options.timeout))
                result.append((sets.Contestant(name, lambda peer=peer: warm(lambda: peer.ask(*request))), peer))
        return result

    def with_peers(self, line, file, own, request):
        self.load(file)
        peers = self.peers(line, file, request)
        try:
            return sets.in_turns(self.options, self.saved, line.part, line.label(), own + [one for one, _ in peers])
        finally:
            for _, peer in peers:
                peer.close()

    def rules(self, line, file):
        return self.with_peers(line, file, [
            self.own('association_rules', RULES.format(line, '')),
            self.own('with adjusted p-values', RULES.format(line, ' + max(adjusted_p_value)')),
            self.own('frequent_itemsets', ITEMSETS % "frequent_itemsets('source', 'items', %s, NULL::int[])" % line.minsup, same=False)],
            ('rules', line.minsup, line.minconf))

    def best(self, line, file):
        self.load(file)
        top = "top_itemsets('source', 'items', %s, NULL::int[])" % line.k
        least = self.session.value('SELECT min(support) FROM ' + top)
        return self.with_peers(line, file, [
            self.own('top_itemsets', ITEMSETS % top),
            self.own('frequent_itemsets', ITEMSETS % "frequent_itemsets('source', 'items', %s, NULL::int[])" % least)],
            ('top', line.k))

    def partners(self, line, file):
        with open(file) as rows, open(file + '.pairs', 'w') as pairs:
            for tid, row in enumerate(rows):
                pairs.writelines('%d\t%s\n' % (tid, item) for item in sorted(set(row.split())))
        table = sets.load(self.session, os.path.basename(line.data), file + '.pairs')
        contestants = [self.own('similar_items', PARTNERS.format(table, line)), self.own('self-join', SELF_JOIN.format(table, line))]
        duckdb = None
        if 'DuckDB' in self.pythons:
            duckdb = sets.Peer(self.pythons['DuckDB'], 'sets_peer.py', 'duckdb')
            duckdb.ask('load', table, file + '.pairs')
            statement = ' '.join(SELF_JOIN.format(table, line).split())
            contestants.append(sets.Contestant('DuckDB', lambda: duckdb.ask('query', statement)))
        try:
            return sets.in_turns(self.options, self.saved, line.part, line.label(), contestants)
        finally:
            if duckdb:
                duckdb.close()


EXPLANATION = '''\
Processor seconds on one core, medians of up to %d runs each, contestants of a line in turns. From a table that is ready to all columns of the rows, which are
counted and summed up; peers begin with Python's lists of integers, and end with what they return. Their garbage collector is off: it goes through all rules again and again, and with it
pyfim takes five times as long where there are millions. `rules.tsv` has the fewest
seconds, and the rows with their sum of supports, which are the same for all. A peer that takes more than %g seconds for one run is given up.
What takes less than %g seconds is run twice, and the second time counts.

* `rules`: `minsup` and `minconf` in the label. Rules with one item in the consequent. `eclat` and `fpgrowth` are Borgelt's, by pyfim with `target='r'`. rusket, mlxtend and
  efficient-apriori have no way to ask for short consequents: they make all rules, of which those with one item are picked.
  `with adjusted p-values` makes all rules twice. `frequent_itemsets` has the same `minsup`, and other rows.
* `partners`: the k best partners of each item by cosine, from pairs. `self-join` is plain SQL in the same session without parallel plans and with `work_mem`
  1 GB: a join of the table with itself, a group for each pair, and a window. DuckDB has the same table and query, and one thread.
* `best`: k in the label. `frequent_itemsets` is told the threshold that results, and returns the same rows in no order. `lcm` is Uno's LCM 5, from the
  package nysol, which finds the threshold (`-K`) and is called with it again; it reads and writes text, of which the supports are read back.
'''


def summary(rows):
    shown = []
    for part, what, who, _, seconds, runs, results, verdict in rows:
        mine = next(row for row in rows if row[:2] == [part, what])
        shown.append([part, what, who, report.seconds(float(seconds)) if seconds else '',
                      report.ratio(float(seconds), float(mine[4])) if seconds and mine[4] else '', runs,
                      '{:,}'.format(int(results.split()[0])) if results else '', '' if verdict == 'equal' else verdict])
    return report.table(['part', 'what', 'who', '>s', '>over the first', '>runs', '>rows', ''], shown)


def run(options):
    """Measures and writes the results, also when it is interrupted; false: something was wrong."""
    saved = report.Table(os.path.join(options.results, 'rules.tsv'), sets.HEADER, 2)
    same = True
    try:
        with server.Server() as cluster:
            session = cluster.session()
            session.run('CREATE EXTENSION IF NOT EXISTS gpufim')
            for setting in SETTINGS:
                session.run(setting)
            bench = Bench(options, saved, session)
            for line, file in lines(options.only):
                same = getattr(bench, line.part)(line, file) and same
            session.close()
    except (server.NoServer, server.SqlError) as error:
        report.skipped('rules', error)
    finally:
        if saved.rows:
            print('wrote ' + os.path.relpath(saved.path))
            report.write_md(os.path.join(options.results, 'rules.md'), 'Rules, partners and the best itemsets', options.command,
                            [EXPLANATION % (options.runs, options.timeout, MOMENT), summary(saved.rows)])
    return same
