"""The CPU engine of probable itemsets beside its peers.

All contestants of a line of probable-lines.tsv mine the same transactions with the
same probabilities, one after the other in each round.  Their time is the
processor time of mining alone, on one core: reading the file and building the
data are left out for all of them.
"""

import collections
import math
import os
import re
import statistics
import subprocess

import data
import engine
import python_env
import report

HERE = os.path.dirname(os.path.abspath(__file__))
MINER = os.path.join(HERE, 'probable')
MINED = re.compile(r'# ([0-9.]+) s (\d+) itemsets')
HEADER = ['data', 'probabilities', 'minsup', 'minprob', 'max_length', 'program', 'min_s', 'median_s',
          'runs', 'itemsets', 'count', 'command']

# By expected support the same itemsets need not be selected; these say nothing of the count.
EXPECTED = ('expected', 'expected, decided')


class Line(collections.namedtuple('Line', 'data source probabilities minsup minprob max_length '
                                  'itemsets peers')):
    def label(self):
        return '%s %s %s %s%s' % (self.data, self.probabilities, self.minsup, self.minprob,
                                  ', up to %s' % self.max_length if self.max_length else '')


def lines(pattern):
    """(line, its file) of probable-lines.tsv, whose label has the pattern."""
    with open(os.path.join(HERE, 'probable-lines.tsv')) as table:
        next(table)
        every = [Line(*row.rstrip('\n').split('\t')) for row in table]
    for line in every:
        if not re.search(pattern, line.label()):
            continue
        file = data.made(line.data, line.source)
        if file is None:
            report.skipped(line.label(), data.missing() or 'no such file in GPUFIM_DATA')
        else:
            yield line, file


def command(line, *more):
    """bench/probable for a line; it reads transactions from its standard input."""
    limit = ['-b', line.max_length] if line.max_length else []
    return [MINER, '-p', line.probabilities, '-m', line.minsup, '-q', line.minprob, *limit, *more]


class Contestant:
    """One way to mine a line, and what its runs took."""

    def __init__(self, name, words):
        self.name = name
        self.words = words
        self.seconds = []
        self.itemsets = None
        self.failure = None

    def round(self, file, arguments):
        """Runs once more, if it has time left."""
        if self.failure or len(self.seconds) >= arguments.runs or sum(self.seconds) > arguments.budget:
            return
        try:
            seconds, itemsets = self.run(file, arguments.timeout)
        except engine.Failure as failure:
            self.failure = str(failure)
            return
        self.seconds.append(float(seconds))
        self.itemsets = int(itemsets)

    def verdict(self, line):
        if self.failure or self.name in EXPECTED:
            return self.failure
        return 'equal' if self.itemsets == int(line.itemsets) else 'DIFFERS'

    def best(self):
        return min(self.seconds, default=None)

    def row(self, line):
        have = bool(self.seconds)
        return [line.data, line.probabilities, line.minsup, line.minprob, line.max_length, self.name,
                '%.6f' % min(self.seconds) if have else None,
                '%.6f' % statistics.median(self.seconds) if have else None, len(self.seconds),
                self.itemsets, self.verdict(line),
                ' '.join(os.path.relpath(word, HERE + '/..') if os.path.isabs(word) else word
                         for word in self.words)]

    def close(self):
        """Ends what the contestant started."""


class Miner(Contestant):
    """bench/probable."""

    def run(self, file, timeout):
        with open(file) as transactions:
            process = subprocess.Popen(self.words, stdin=transactions, stdout=subprocess.PIPE,
                                       universal_newlines=True)
            with engine.Deadline(process, timeout):
                answer = process.communicate()[0]
        mined = MINED.search(answer)
        if process.returncode != 0 or not mined:
            raise engine.Failure('failed')
        return mined.groups()


class Poibin(Contestant):
    """pApriori with the package fast-poibin, in a process that has read the transactions already."""

    def __init__(self, python, line, file, minsup):
        self.rows = os.path.join(data.CACHE, 'probable-rows.txt')
        with open(file) as transactions, open(self.rows, 'w') as out:
            subprocess.run(command(line, '-t'), stdin=transactions, stdout=out, check=True)
        Contestant.__init__(self, 'fast-poibin', [
            python, '-B', os.path.join(HERE, 'poibin_peer.py'), self.rows, str(minsup), line.minprob,
            line.max_length or 'inf'])
        self.process = None

    def run(self, file, timeout):
        if self.process is None:
            self.process = subprocess.Popen(self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            universal_newlines=True)
            self.process.stdout.readline()
        with engine.Deadline(self.process, timeout):
            try:
                self.process.stdin.write('mine\n')
                self.process.stdin.flush()
            except BrokenPipeError:
                pass                    # what it answers below tells
            answer = self.process.stdout.readline().split()
        if len(answer) != 2:
            raise engine.Failure('failed')
        return answer

    def close(self):
        if self.process is not None:
            self.process.communicate()
        os.unlink(self.rows)


def least_expected(line, file):
    """The least expected support of a line's itemsets: with this threshold it selects them, too."""
    with open(file) as transactions:
        answer = subprocess.run(command(line, '-d', '-l'), stdin=transactions, check=True,
                                stdout=subprocess.PIPE, universal_newlines=True).stdout
    expected = [float(row.split()[-2]) for row in answer.split('\n') if row and row[0] != '#']
    return repr(min(expected)) if expected else line.minsup


def contestants(line, file, poibin):
    """All of a line; poibin: an interpreter that has fast-poibin, or None."""
    peers = line.peers.split(',')
    by_expectation = command(line, '-q', '0', '-m', least_expected(line, file))
    result = [Miner('bounds', command(line)), Miner('bounds, decided', command(line, '-d')),
              Miner('expected', by_expectation), Miner('expected, decided', by_expectation + ['-d'])]
    if 'fft' in peers:
        result.append(Miner('fft', command(line, '-S', 'fft')))
    if 'programme' in peers:
        result.append(Miner('programme', command(line, '-S', 'programme')))
    if 'poibin' in peers and poibin:
        with open(file) as transactions:
            rows = sum(1 for _ in transactions)
        result.append(Poibin(poibin, line, file, math.ceil(float(line.minsup) * rows)))
    return result


def measure(arguments, line, file, poibin):
    everybody = contestants(line, file, poibin)
    try:
        for _ in range(arguments.runs):
            for contestant in everybody:
                contestant.round(file, arguments)
    finally:
        for contestant in everybody:
            contestant.close()
    for contestant in everybody:
        print('  %-18s %9s s %9s itemsets  %s' % (
            contestant.name, report.seconds(contestant.best()) or '-', contestant.itemsets or '-',
            contestant.verdict(line) or ''), flush=True)
    return everybody


EXPLANATION = '''\
Shortest of up to %d runs each, taken in turns with those of all other contestants of the line: processor
seconds of mining alone on one core, without reading the file and building the data. Transactions have
probabilities, of the distribution given; probable.tsv has the commands.

* `bounds` is what `auto` takes. "Decided" is `exact => false`; all others compute each itemset's probability.
* "By expectation" is `minprob => NULL`, decided, with the least expected support of the line's itemsets for a threshold, so
  that it returns these and few others. "Decided / by expectation" should be at most 1.5.
* `fft` is pApriori with a tree of FFTs, see [papriori.md](../../doc/ancestors/papriori.md). It should take at least 10 times as long.
* The dynamic programme is the classical one, in C, in the FFT's place. It should take at least 30 times as
  long. Where it would take hours it was given single items only.
* [fast-poibin](https://pypi.org/project/fast-poibin/) is a Python package with an FFT tree of its own, called
  by a pApriori on numpy.
* "> 120" was given up after so many seconds.

Connect is the set of that name; "accidents-like" are 340,183 transactions drawn from the part of accidents that
is there; the others are made by `bench/quest`.
'''


def shown(contestant, line):
    if contestant is None:
        return ''
    if contestant.failure:
        return contestant.failure.replace('over', '>').replace(' s', '')
    wrong = contestant.verdict(line) == 'DIFFERS'
    return report.seconds(contestant.best()) + (' WRONG' if wrong else '')


def ratio(over, under):
    return report.ratio(over.best(), under.best()) if over and not over.failure else ''


def summary(results):
    header = ['set', 'probabilities', '>minsup', '>minprob', '>items, at most', '>itemsets', '>bounds, s',
              '>decided, s', '>by expectation, s', '>decided / by expectation', '>fft, s', '>fft / bounds',
              '>programme, s', '>programme / bounds', '>fast-poibin, s', '>fast-poibin / bounds']
    rows = []
    for line, everybody in results:
        by_name = {one.name: one for one in everybody}
        own, decided = by_name['bounds'], by_name['bounds, decided']
        cells = [line.data, line.probabilities, line.minsup, line.minprob, line.max_length,
                 '{:,}'.format(int(line.itemsets)), shown(own, line), shown(decided, line),
                 shown(by_name['expected, decided'], line), ratio(decided, by_name['expected, decided'])]
        for name in ('fft', 'programme', 'fast-poibin'):
            cells += [shown(by_name.get(name), line), ratio(by_name.get(name), own)]
        rows.append(cells)
    return report.table(header, rows)


def run(arguments):
    """Measures and writes the results; false: one of our counts was wrong."""
    if not os.access(MINER, os.X_OK):
        return report.skipped('probable', 'bench/probable is not there, see "make bench"')
    poibin, why = python_env.find('fast_poibin', 'fast-poibin', arguments.install)
    if poibin is None:
        report.skipped('the peer fast-poibin', why)
    results = []
    for line, file in lines(arguments.only):
        print(line.label(), flush=True)
        results.append((line, measure(arguments, line, file, poibin)))
        report.save_tsv(os.path.join(arguments.results, 'probable.tsv'), HEADER, report.rows_of(results))
    if results:
        write(arguments, results)
    return all(one.verdict(line) != 'DIFFERS' for line, everybody in results for one in everybody)


def write(arguments, results):
    report.write_tsv(os.path.join(arguments.results, 'probable.tsv'), HEADER, report.rows_of(results))
    report.write_md(os.path.join(arguments.results, 'probable.md'), 'Probable itemsets and their peers',
                    arguments.command, [EXPLANATION % arguments.runs, summary(results)])
