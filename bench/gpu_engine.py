"""The GPU engine without a server: its product kernels, its strategies, its scaling.

bench/product measures the kernels, test/gpu/check_gpu mines files.  What both of
them and fim call mining begins with encoded transactions in the host's memory and
ends with the last count or itemset there.
"""

import collections
import os
import re
import subprocess

import engine
import gpu
import report

PRODUCT = re.compile(r'(\w+) +(\d+) classes x +(\d+) rows x +(\d+) bits: +([0-9.]+) ms ')
BITS_OF_BYTE = 8

# Seconds that check_gpu may take to give a run up before it is killed.
GRACE = 20

# Useful bits a second that the best way must reach, by rows.
WANTED = {16: 2e14, 64: 8e14, 256: 1.5e15, 16384: 4.5e15}

FIM_TIMES = re.compile(r'read ([0-9.]+) s, encode ([0-9.]+) s, mine ([0-9.]+) s')
MINED = re.compile(r'\S+ +\d+ \w+ +(\w+) +(\d+) in +([0-9.]+) s, +(\d+) candidates, '
                   r'peak +([0-9.]+) MB;')
GIVEN_UP = re.compile(r'\S+ +\d+ \w+ +\w+ +over ')
PHASE = re.compile(r'(transfer|build|count|return) ([0-9.]+) ms ([0-9.e+]+)/s')
UNITS = {'transfer': 'B', 'build': 'B', 'count': 'bit', 'return': 'B'}


def make(what):
    """false: it cannot be made."""
    return subprocess.run(['make', '-s', '-C', gpu.TOP] + what).returncode == 0


def reading_time(file):
    """Seconds within which a program has certainly read a file."""
    return 60 + os.path.getsize(file) / 10e6


# Products of bit matrices


def product_limit(known, way, rows):
    """What the arithmetic allows, or reading each row once from the device's memory."""
    if not known:
        return None
    return min(known[way], known['memory'] * BITS_OF_BYTE * (rows - 1) / 2)


def product_row(results, known, command, way, classes, rows, bits, milliseconds):
    size = int(rows)
    return results.figure(
        'product', '%s x %s rows x %s bits' % (classes, rows, bits), way, 'product',
        seconds=float(milliseconds) / 1e3, unit='bit',
        amount=0.5 * int(classes) * size * (size - 1) * int(bits),
        limit=product_limit(known, way, size),
        wanted=WANTED.get(size) if way == 'wgmma' else None, command=' '.join(command))


def product(options, results):
    """Section product: all pairs of many rows, and of the rows of many classes."""
    if not options.product:
        options.product = os.path.join(gpu.HERE, 'product')
        if not make(['bench/product']):
            report.skipped('product', 'bench/product cannot be built')
            return
    known = gpu.limits(options.devices)
    for arguments in [['pairs', '4096']] if options.quick else [['pairs'], ['classes']]:
        command = [options.product] + arguments
        print(' '.join(['product'] + arguments), flush=True)
        answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                universal_newlines=True)
        rows = [product_row(results, known, command, *match.groups())
                for match in map(PRODUCT.match, answer.stdout.split('\n')) if match]
        if answer.returncode != 0:
            results.fail('product', answer.stdout.strip().split('\n')[-1])
        for row in rows:
            gpu.tell([row])
        if rows:
            results.add(rows)


# The CPU engine


def cpu_command(options, line, file):
    command = [options.fim, '-t', '-k', line.kind, '-s', line.minsup, '-w', line.workers]
    return command + (['-c', file] if line.mode == 'count' else [file, os.devnull])


def mine_on_cpu(options, line, file, results):
    """Rows of the fastest of some runs."""
    command = cpu_command(options, line, file)
    what = 'fim -w ' + line.workers
    best = None
    spent = 0
    for _ in range(options.runs):
        try:
            answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                    universal_newlines=True,
                                    timeout=options.cpu_timeout + reading_time(file))
        except subprocess.TimeoutExpired:
            return [results.figure('engine', line, what, 'mine', note='over %g s' % options.cpu_timeout,
                                   command=' '.join(command))]
        times = FIM_TIMES.search(answer.stderr)
        if answer.returncode != 0 or not times:
            return [results.figure('engine', line, what, 'mine', note='failed: ' + answer.stderr.strip(),
                                   command=' '.join(command))]
        read, encode, mine = map(float, times.groups())
        if best is None or mine < best[2]:
            best = read, encode, mine, answer.stdout.strip()
        spent += mine
        if spent > options.budget:
            break
    read, encode, mine, itemsets = best
    return [results.figure('engine', line, what, 'mine', seconds=mine, itemsets=itemsets,
                           command=' '.join(command)),
            results.figure('engine', line, what, 'read', seconds=read, unit='B',
                           amount=os.path.getsize(file)),
            results.figure('engine', line, what, 'encode', seconds=encode)]


# The GPU engine

Run = collections.namedtuple('Run', 'strategy itemsets seconds candidates peak phases')


class Mined:
    """What check_gpu said of one strategy."""

    def __init__(self, strategy):
        self.strategy = strategy
        self.runs = []
        self.failure = None
        self.command = None

    def rows(self, results, section, line, what, known):
        if not self.runs:
            return [results.figure(section, line, what, 'mine', note=self.failure,
                                   command=' '.join(self.command))]
        best = min(self.runs, key=lambda run: run.seconds)
        notes = [self.failure] if self.failure else []
        if best.strategy != self.strategy:
            notes.append(best.strategy + ' mined')
        rows = [results.figure(section, line, what, 'mine', seconds=best.seconds,
                               itemsets=best.itemsets, candidates=best.candidates, peak_mb=best.peak,
                               note='; '.join(notes), command=' '.join(self.command))]
        for phase, seconds, rate in best.phases:
            rows.append(results.figure(
                section, line, what, phase, seconds=seconds, unit=UNITS[phase],
                amount=seconds * rate, rate=rate or None, limit=gpu.phase_limit(known, phase, best.strategy)))
        return rows


def check_gpu_command(options, line, file, strategy, ndevices):
    command = [options.check_gpu, '-l', options.library, '-f', file, '-m', line.minsup,
               '-k', line.kind, '-g', str(ndevices), '-r', str(options.runs),
               '-T', str(options.timeout)]
    if line.mode == 'list':
        command.append('-o')
    return command + (['-S', strategy] if strategy else [])


def parse_run(text):
    """The run that a line of check_gpu is about; None: it is about none."""
    match = MINED.match(text)
    if not match:
        return None
    strategy, itemsets, seconds, candidates, peak = match.groups()
    phases = [(name, float(milliseconds) / 1e3, float(rate))
              for name, milliseconds, rate in PHASE.findall(text)]
    return Run(strategy, itemsets, float(seconds), candidates, peak, phases)


def next_run(process, limit, timeout):
    """The next line about a run, None: it was given up; a Failure if there is none.

    limit is for the first line, which may be that the file has been read.
    """
    last = 'check_gpu ended'
    while True:
        try:
            with engine.Deadline(process, limit + GRACE):
                text = process.stdout.readline()
        except engine.Failure:
            raise engine.Failure('over %g s' % timeout)
        if GIVEN_UP.match(text):
            return None
        run = parse_run(text)
        if run:
            return run
        if not text or text.startswith('# fault'):
            raise engine.Failure('failed: ' + (text.strip() or last))
        last = text.strip()
        limit = timeout


def follow(options, process, expected, file):
    """Takes what a check_gpu says of the strategies expected, in this order."""
    limit = reading_time(file)
    for mined in expected:
        while len(mined.runs) < options.runs:
            run = next_run(process, limit, options.timeout)
            limit = options.timeout
            if run is None:
                mined.failure = 'over %g s' % options.timeout
                break
            mined.runs.append(run)
            if len(expected) == 1 and sum(run.seconds for run in mined.runs) > options.budget:
                return


def run_check_gpu(options, command, expected, file):
    """How many of the strategies expected are done with."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True) as process:
        try:
            follow(options, process, expected, file)
        except engine.Failure as failure:
            failed = next(mined for mined in expected
                          if len(mined.runs) < options.runs and not mined.failure)
            failed.failure = str(failure)
            return expected.index(failed) + 1
        finally:
            process.kill()
    return len(expected)


def mine_on_gpu(options, line, file, strategies, ndevices=1):
    """What check_gpu says of each of the strategies.

    One process does all there are, since it takes long to read the file.  It ends
    where a strategy fails; those after that get their own.
    """
    result = [Mined(strategy) for strategy in strategies]
    pending = result
    together = strategies == gpu.STRATEGIES
    while pending:
        expected = pending if together else pending[:1]
        command = check_gpu_command(options, line, file,
                                    None if together else pending[0].strategy, ndevices)
        for mined in expected:
            mined.command = command
        pending = pending[run_check_gpu(options, command, expected, file):]
        together = False
    return result


def strategies(options, results):
    """Section engine: the CPU engine and each strategy on one device."""
    known = gpu.limits(options.devices)
    for line, file in gpu.lines(options):
        print(line.label(), flush=True)
        measured = []
        if line.workers != '0':
            measured.append(mine_on_cpu(options, line, file, results))
            gpu.tell(measured[-1])
        for mined in mine_on_gpu(options, line, file, line.wanted()):
            measured.append(mined.rows(results, 'engine', line, mined.strategy, known))
            gpu.tell(measured[-1])
        results.add([row for rows in measured for row in rows])


def scaling(options, results):
    """Section devices: the heavy lines on more and more devices."""
    for line, file in gpu.lines(options, 'devices'):
        print(line.label(), flush=True)
        wanted = [word.split(':')[1] for word in line.use.split() if word.startswith('devices:')]
        for ndevices in [n for n in (1, 2, 4) if n <= len(options.devices)]:
            for mined in mine_on_gpu(options, line, file, wanted, ndevices):
                rows = mined.rows(results, 'devices', line,
                                  '%s, %d device%s' % (mined.strategy, ndevices,
                                                       's' if ndevices > 1 else ''),
                                  gpu.limits(options.devices, ndevices))
                gpu.tell(rows)
                results.add(rows)
