"""The strategies of the CPU engine for serial episodes, beside each other.

All contestants of a line of episode-lines.tsv mine the same stream, one after the
other in each round.  Their time is the processor time of mining alone, on one core:
reading or making the events and finding their windows are left out for all of them.
"""

import collections
import os
import re
import resource
import statistics
import subprocess

import data
import report

HERE = os.path.dirname(os.path.abspath(__file__))
MINER = os.path.join(HERE, 'episodes')
MINED = re.compile(r': ([0-9 ]*) episodes; ready [0-9.]+ s; mined ([0-9.]+) s')
SURROGATES = re.compile(r' surrogates: ([0-9.]+) s')
KEY = ['events', 'gaps', 'minsup', 'max_length', 'kind']        # of a line
HEADER = [*KEY, 'strategy', 'min_s', 'median_s', 'runs', 'episodes', 'count', 'surrogates',
          'surrogates_s', 'command']
SURROGATES_A_RUN = 10


class Line(collections.namedtuple('Line', 'name events gaps minsup max_length kind dither episodes '
                                  'strategies')):
    """events: a recording of GPUFIM_DATA, or options that make a stream."""

    def label(self):
        return '%s %s %s up to %s %s' % (self.name, self.gaps, self.minsup, self.max_length, self.kind)

    def words(self):
        """The command, without strategy and source."""
        gaps = [word for gap in self.gaps.split() for word in ('-g', gap)]
        return [MINER, *gaps, '-m', self.minsup, '-n', self.max_length, '-k', self.kind]


def lines(pattern):
    """(line, the words that name its stream) of episode-lines.tsv, whose label has the pattern."""
    with open(os.path.join(HERE, 'episode-lines.tsv')) as table:
        next(table)
        every = [Line(*row.rstrip('\n').split('\t')) for row in table]
    for line in every:
        if not re.search(pattern, line.label()):
            continue
        if line.events.startswith('-'):
            yield line, line.events.split()
            continue
        file = data.recording(line.events)
        if file is None:
            report.skipped(line.label(), data.missing() or 'no such file in GPUFIM_DATA')
        else:
            yield line, [file]


class Strategy:
    """One way to mine a line, and what its runs took."""

    def __init__(self, name, words):
        self.name = name
        self.words = words
        self.seconds = []
        self.surrogates = []
        self.episodes = None
        self.failure = None

    def round(self, arguments):
        """Runs once more, if it has time left."""
        if self.failure or len(self.seconds) >= arguments.runs or sum(self.seconds) > arguments.budget:
            return
        limit = int(arguments.plain_timeout if self.name == 'plain' else arguments.timeout)

        def limit_processor_time():
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        process = subprocess.run(self.words, stdout=subprocess.PIPE, universal_newlines=True,
                                 preexec_fn=limit_processor_time)
        mined = MINED.search(process.stdout)
        if mined is None:
            self.failure = 'over %d s' % limit if process.returncode < 0 else 'failed'
            return
        self.episodes = mined.group(1)
        self.seconds.append(float(mined.group(2)))
        if SURROGATES.search(process.stdout):
            self.surrogates.append(float(SURROGATES.search(process.stdout).group(1)))

    def verdict(self, line):
        return self.failure or ('equal' if self.episodes == line.episodes else 'DIFFERS')

    def best(self):
        return min(self.seconds, default=None)

    def row(self, line):
        have = bool(self.seconds)
        return [line.name, line.gaps, line.minsup, line.max_length, line.kind, self.name,
                '%.4f' % min(self.seconds) if have else None,
                '%.4f' % statistics.median(self.seconds) if have else None, len(self.seconds),
                self.episodes, self.verdict(line), SURROGATES_A_RUN if self.surrogates else None,
                '%.4f' % min(self.surrogates) if self.surrogates else None,
                ' '.join(os.path.relpath(word, HERE + '/..') if os.path.isabs(word) else word
                         for word in self.words)]


def strategies(line, stream):
    own = line.words() + stream
    if line.dither:
        own = own[:1] + ['-S', '%d,%s' % (SURROGATES_A_RUN, line.dither)] + own[1:]
    result = [Strategy('propagate', own)]
    for name in line.strategies.split(','):
        if name:
            result.append(Strategy(name, line.words() + ['-s', name] + stream))
    return result


def measure(arguments, line, stream):
    everybody = strategies(line, stream)
    for _ in range(arguments.runs):
        for strategy in everybody:
            strategy.round(arguments)
    for strategy in everybody:
        print('  %-14s %9s s  %s  %s' % (strategy.name, report.seconds(strategy.best()) or '-',
                                       strategy.episodes or '-', strategy.verdict(line)), flush=True)
    return everybody


EXPLANATION = '''\
Shortest of up to %d runs each, in turns with all others of the line: processor seconds of mining alone on one
core. Reading or making the events and finding their windows are left out. "> 10" was given up after so many processor seconds.
`episodes.tsv` has the commands. Lines that were not measured by the command above are those of an earlier run.

* `propagate` is what `auto` takes. The three strategies beside it are those of its ancestors, see
  [episode_mining.md](../../doc/episode_mining.md). "Best / propagate" is the quickest of them over `propagate`; it should be at least 10.
  Where all were given up it is more than what is shown.
* `plain` is propagation that shares nothing, as a user might write it in C. `propagate` should be at least 20 times as quick on bursty recordings.
  Those are TC89 and Stacy: the busiest hundredth of all spans of 10 ms holds 46 and 43 %% of their events. It holds 26 %% of Hennig, 8 and 12 %% of Demas,
  11 %% of Stafford and 6 %% of Maccione.
* "A surrogate" is the processor time of counting all episodes of two events or more on one of them; "/ mining" is how many times as
  long 1,000 of them take as mining.
* Recordings are of GPUFIM_DATA, their times in microseconds. Neurons and clicks are made by `bench/episodes`.
'''


ANCESTORS = ('occurrence', 'state_machine', 'two_pass')


def shown(row):
    """The time of a row of the .tsv, which may be None."""
    if row is None:
        return ''
    if row['count'].startswith('over'):
        return row['count'].replace('over', '>').replace(' s', '')
    return report.seconds(float(row['min_s'])) + (' WRONG' if row['count'] == 'DIFFERS' else '')


def ratio(own, others):
    """The best of the others over propagate; ">" where all were given up."""
    others = [row for row in others if row]
    done = [float(row['min_s']) for row in others if row['min_s']]
    given_up = [float(row['count'].split()[1]) for row in others if row['count'].startswith('over')]
    if done:
        return '%.1f' % (min(done) / float(own['min_s']))
    return '> %.0f' % (min(given_up) / float(own['min_s'])) if given_up else ''


def summary(rows):
    """A line for each that has rows in the .tsv."""
    header = ['events', 'gaps', '>minsup', '>length', 'kind', '>episodes by length', '>propagate, s',
              *('>%s, s' % name for name in ANCESTORS), '>best / propagate', '>plain, s',
              '>plain / propagate', '>a surrogate, s', '>1,000 of them / mining']
    result = []
    for key in dict.fromkeys(tuple(row[name] for name in KEY) for row in rows):
        here = {row['strategy']: row for row in rows if tuple(row[name] for name in KEY) == key}
        own, plain = here['propagate'], here.get('plain')
        surrogate = float(own['surrogates_s']) / int(own['surrogates']) if own['surrogates'] else None
        result.append([own['events'], ' '.join('(%s]' % gap for gap in own['gaps'].split()), own['minsup'],
                       own['max_length'], own['kind'], own['episodes'].replace(' ', ' + '), shown(own),
                       *(shown(here.get(name)) for name in ANCESTORS),
                       ratio(own, [here.get(name) for name in ANCESTORS]), shown(plain),
                       ratio(own, [plain]), report.seconds(surrogate),
                       '%.0f' % (1000 * surrogate / float(own['min_s'])) if surrogate else ''])
    return report.table(header, result)


def run(arguments):
    """Measures and writes the results, also when it is interrupted; false: one of our counts was wrong."""
    if not os.access(MINER, os.X_OK):
        return report.skipped('episodes', 'bench/episodes is not there, see "make bench"')
    saved = report.Table(os.path.join(arguments.results, 'episodes.tsv'), HEADER, len(KEY))
    right = True
    try:
        for line, stream in lines(arguments.only):
            print(line.label(), flush=True)
            everybody = measure(arguments, line, stream)
            saved.put([one.row(line) for one in everybody])
            right = right and all(one.verdict(line) != 'DIFFERS' for one in everybody)
    finally:
        if saved.rows:
            write(arguments, saved)
    return right


def write(arguments, saved):
    """The lines in the order in which they are measured."""
    with open(os.path.join(HERE, 'episode-lines.tsv')) as table:
        order = [line.split('\t') for line in table]
    order = [[name, gaps, minsup, length, kind] for name, _, gaps, minsup, length, kind, *_ in order]
    saved.rows.sort(key=lambda row: order.index(row[:len(KEY)]))
    report.write_tsv(saved.path, HEADER, saved.rows)
    report.write_md(os.path.join(arguments.results, 'episodes.md'), 'Serial episodes', arguments.command,
                    [EXPLANATION % arguments.runs, summary([dict(zip(HEADER, row)) for row in saved.rows])])
