"""The engine's command-line program beside its peers.

Every contestant of a line of lines.tsv is run once per round, one after the
other, so that whatever else the machine does meanwhile hits all of them.
"""

import os
import re
import shlex
import statistics
import subprocess
import tempfile
import threading
import time

import data
import python_env
import report

HERE = os.path.dirname(os.path.abspath(__file__))
LETTERS = {'all': 'sF', 'closed': 'cC', 'maximal': 'mM'}
PYFIM_METHODS = ('eclat', 'occdlv', 'fpgrowth')
HEADER = ['data', 'minsup', 'kind', 'mode', 'program', 'workers', 'min_s', 'median_s', 'cpu_min_s',
          'peak_mb', 'runs', 'itemsets', 'count']


class Failure(Exception):
    pass


class Contestant:
    """One program on one line in one mode, and what its runs took."""

    def __init__(self, name, mode, workers=1):
        self.name = name
        self.mode = mode
        self.workers = workers
        self.walls = []
        self.cpus = []
        self.peak = None
        self.itemsets = None
        self.verdict = None
        self.failure = None

    def round(self, line, arguments):
        """Runs once more, if it has time left."""
        if self.failure or len(self.walls) >= arguments.runs or \
                (self.walls and sum(self.walls) > arguments.budget):
            return
        try:
            self.run(line, arguments.timeout)
        except Failure as failure:
            self.failure = str(failure)

    def judge(self, line, numbers):
        """Sets the verdict on a count that is one of the numbers printed."""
        for add, verdict in ((0, 'equal'), (1, 'equal, with the empty set'),
                             (-1, 'one less')):
            if line.itemsets + add in numbers:
                self.itemsets = line.itemsets + add
                self.verdict = verdict
                return
        self.itemsets = max(numbers, default=None)
        self.verdict = 'DIFFERS'

    def row(self, line):
        have = bool(self.walls)
        return [line.data, line.minsup, line.kind, self.mode, self.name, self.workers,
                '%.4f' % min(self.walls) if have else None,
                '%.4f' % statistics.median(self.walls) if have else None,
                '%.4f' % min(self.cpus) if self.cpus else None,
                self.peak, len(self.walls), self.itemsets, self.failure or self.verdict]

    def close(self):
        """Ends what the contestant started."""


class Deadline:
    """Kills a process that is not through in time."""

    def __init__(self, process, timeout):
        self.expired = False
        self.process = process
        self.timeout = timeout
        self.timer = threading.Timer(timeout, self.expire)

    def expire(self):
        self.expired = True
        self.process.kill()

    def __enter__(self):
        self.timer.start()

    def __exit__(self, *exception):
        self.timer.cancel()
        self.timer.join()
        if self.expired:
            raise Failure('over %g s' % self.timeout)


class Program(Contestant):
    """A command line, timed from its start to its end."""

    def __init__(self, name, mode, command, workers=1):
        Contestant.__init__(self, name, mode, workers)
        self.command = command

    def run(self, line, timeout):
        with tempfile.TemporaryFile('w+', errors='replace') as out:
            start = time.perf_counter()
            process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=subprocess.STDOUT)
            with Deadline(process, timeout):
                _, process.returncode, usage = os.wait4(process.pid, 0)
                wall = time.perf_counter() - start
            out.seek(0)
            output = out.read(1 << 20)
        if process.returncode != 0:
            raise Failure(output.strip().split('\n')[-1][:60] or 'failed')
        self.walls.append(wall)
        self.cpus.append(usage.ru_utime + usage.ru_stime)
        self.peak = '%.1f' % (usage.ru_maxrss / 1024)
        self.judge(line, {int(number) for number in re.findall(r'\d+', output)})


class Pyfim(Contestant):
    """One mining call of pyfim, which has read the file already."""

    def __init__(self, method, python, file, line):
        Contestant.__init__(self, 'pyfim ' + method, 'counting')
        self.command = [python, '-B', os.path.join(HERE, 'pyfim_peer.py'), file,
                        str(line.minsup), line.kind, method]
        self.process = None

    def run(self, line, timeout):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, universal_newlines=True)
            self.process.stdout.readline()
        with Deadline(self.process, timeout):
            self.process.stdin.write('count\n')
            self.process.stdin.flush()
            answer = self.process.stdout.readline().split()
        if len(answer) != 2:
            raise Failure('pyfim failed')
        self.walls.append(float(answer[0]))
        self.judge(line, {int(answer[1])})

    def close(self):
        if self.process is not None:
            self.process.communicate()


def own_command(arguments, line, file, mode, workers):
    command = [arguments.fim, '-k', line.kind, '-s', str(line.minsup), '-w', str(workers)]
    return command + (['-c', file] if mode == 'counting' else [file, os.devnull])


def peer_command(template, line, file, out=os.devnull):
    """Fills in a peer's command line; see --peer in the help."""
    return [word.format(file=file, minsup=line.minsup, kind=line.kind, out=out,
                        k=LETTERS[line.kind][0], K=LETTERS[line.kind][1])
            for word in shlex.split(template)]


def contestants(arguments, line, file, pyfim):
    result = []
    for mode, peers in (('counting', arguments.peer), ('listing', arguments.peer_listing)):
        for workers in arguments.workers:
            result.append(Program('fim', mode, own_command(arguments, line, file, mode, workers),
                                  workers))
        for name, kinds, template in peers:
            if line.kind in kinds:
                result.append(Program(name, mode, peer_command(template, line, file)))
    if pyfim:
        result += [Pyfim(method, pyfim, file, line) for method in PYFIM_METHODS]
    return result


def measure(arguments, line, file, pyfim):
    everybody = contestants(arguments, line, file, pyfim)
    try:
        for _ in range(arguments.runs):
            for contestant in everybody:
                contestant.round(line, arguments)
    finally:
        for contestant in everybody:
            contestant.close()
    for contestant in everybody:
        shown = report.seconds(min(contestant.walls)) if contestant.walls else '-'
        print('  %-9s %-16s %s  %8s s  %s' % (contestant.mode, contestant.name, contestant.workers,
                                              shown, contestant.failure or contestant.verdict),
              flush=True)
    return everybody


def best(everybody, mode, workers=None):
    """The fastest contestant of a mode: ours with so many workers, or (None) a peer."""
    able = [one for one in everybody
            if one.mode == mode and one.walls and not one.failure and one.verdict != 'DIFFERS' and
            (one.name != 'fim' if workers is None else
             one.name == 'fim' and one.workers == workers)]
    return min(able, key=lambda one: min(one.walls), default=None)


def summary(arguments, results, mode):
    """The table to read of one mode: ours, the best peer, how they compare."""
    header = ['set', '>minsup', 'kind', '>itemsets']
    header += ['>fim, %d worker%s, s' % (n, 's' if n > 1 else '') for n in arguments.workers]
    header += ['>speed-up', '>best peer, s', 'which', '>best peer / fim', '>orientation, s',
               '>orientation / fim']
    rows = []
    for line, everybody in results:
        own = [best(everybody, mode, workers) for workers in arguments.workers]
        times = [min(one.walls) if one else None for one in own]
        peer = best(everybody, mode)
        peer_time = min(peer.walls) if peer else None
        orientation = line.counting if mode == 'counting' else line.listing
        rows.append([line.data, line.minsup, line.kind, '{:,}'.format(line.itemsets)] +
                    [report.seconds(value) for value in times] +
                    [report.ratio(times[0], times[-1]) if len(times) > 1 else '',
                     report.seconds(peer_time), peer.name if peer else '',
                     report.ratio(peer_time, times[0]),
                     report.seconds(orientation), report.ratio(orientation, times[0])])
    return report.table(header, rows)


EXPLANATION = '''\
Shortest of up to %d runs each, taken in turns with those of all other programs of the line. Times
of `fim` and of peer programs are those of whole processes, reading the text file included; `pyfim`
is timed in the mining call alone, with its transactions in Python lists already, counting itemsets
by length and support (`report='|'`). Counting: nothing is listed. Listing: all itemsets are written
as text to /dev/null. "Orientation" is the best of Borgelt's eclat and fpgrowth and Uno's LCM 3 and
5.3 as measured once on another day, on this kind of machine. engine.tsv has every program, with
medians, processor time and peak memory. A program whose count differed from the expected one is
only there.
'''


def run(arguments):
    """Measures and writes the results; false: one of our counts was wrong."""
    if not os.access(arguments.fim, os.X_OK):
        return report.skipped('engine', '%s is not there, see "make fim"' % arguments.fim)
    if data.missing():
        return report.skipped('engine', data.missing())
    pyfim, why = python_env.find('fim', 'pyfim', arguments.install)
    if pyfim is None:
        report.skipped('the peer pyfim', why)

    results = []
    for line in data.lines(arguments.only):
        file = data.real(line.data)
        if file is None:
            report.skipped(line.label(), 'no such file in GPUFIM_DATA')
            continue
        print(line.label(), flush=True)
        results.append((line, measure(arguments, line, file, pyfim)))
        report.save_tsv(os.path.join(arguments.results, 'engine.tsv'), HEADER, report.rows_of(results))
    if results:
        write(arguments, results)
    return all(one.verdict == 'equal' for _, everybody in results for one in everybody
               if one.name == 'fim')


def write(arguments, results):
    tsv = os.path.join(arguments.results, 'engine.tsv')
    report.write_tsv(tsv, HEADER, report.rows_of(results))
    sections = [EXPLANATION % arguments.runs]
    if report.draw('engine', tsv, os.path.join(arguments.results, 'engine.svg'), arguments.install):
        sections.append('`engine.svg`, which the run draws beside this file, shows the same.\n')
    for mode in ('counting', 'listing'):
        sections.append('## %s\n\n' % mode.capitalize() + summary(arguments, results, mode))
    report.write_md(os.path.join(arguments.results, 'engine.md'), 'The engine and its peers',
                    arguments.command, sections)
