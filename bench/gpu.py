"""What the sections of bench/run-gpu share: lines, devices, limits, figures.

Every figure is a row of bench/results/gpu.tsv.  What is measured again takes the
place of its earlier rows, and other rows stay, so that the whole can be measured
in pieces.
"""

import collections
import csv
import os
import re
import subprocess
import time

import data
import machine
import report

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.normpath(os.path.join(HERE, '..'))

STRATEGIES = ['tensor', 'dci_transaction', 'dci_candidate', 'tfl', 'hil']
ANCESTORS = STRATEGIES[1:]

# Measured on the device by itself; a second.  Counting: pairs of bits.
LIMITS = {
    'H200': {'transfer': 55.4e9, 'return': 55.3e9, 'memory': 4.44e12, 'wgmma': 7.814e15,
             'mma': 5.078e15, 'popc': 2.4e14},
}

HEADER = ['section', 'data', 'minsup', 'kind', 'mode', 'what', 'phase', 'seconds', 'unit', 'amount',
          'rate', 'limit', 'fraction', 'wanted', 'itemsets', 'agrees', 'candidates', 'peak_mb', 'note',
          'date', 'commit', 'device', 'machine', 'command']
KEY = HEADER[:6]                # what is measured at once
SAME_ANSWER = HEADER[1:4]       # rows that must have as many itemsets


class Line(collections.namedtuple('Line', 'data source minsup kind mode strategies workers use')):
    """One line of gpu-lines.tsv; use has words for what it is for."""

    def label(self):
        return '%s %s %s %s' % (self.data, self.minsup, self.kind, self.mode)

    def wanted(self):
        """The strategies to measure."""
        return STRATEGIES if self.strategies == 'all' else self.strategies.split(',')

    def file(self):
        """The path of the transactions, made or unpacked on first use; None: not there."""
        return data.made(self.data, self.source)


def lines(options, use=''):
    """(line, its file) for the lines that are wanted and have the word use, or use:something."""
    with open(os.path.join(HERE, 'gpu-lines.tsv')) as table:
        next(table)
        every = [Line(*row.rstrip('\n').split('\t')) for row in table]
    for line in every:
        words = line.use.split()
        uses = [word.split(':')[0] for word in words]
        if use and use not in uses or options.quick and 'quick' not in words or \
                'big' in words and not options.big or not re.search(options.only, line.label()):
            continue
        file = line.file()
        if file is None:
            report.skipped(line.label(), data.missing() or 'no such file in GPUFIM_DATA')
        else:
            yield line, file


def devices():
    """The names of the GPUs that CUDA shows to programs."""
    command = ['nvidia-smi', '--query-gpu=name', '--format=csv,noheader']
    try:
        answer = subprocess.run(command, check=True, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, universal_newlines=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    names = answer.split('\n')[:-1]
    visible = os.environ.get('CUDA_VISIBLE_DEVICES')
    return names if visible is None else names[:len([n for n in visible.split(',') if n])]


def limits(names, ndevices=1):
    """What so many of the devices can do at most, by what it is; empty: never measured."""
    for name, known in LIMITS.items():
        if name in names[0]:
            return {what: limit * ndevices for what, limit in known.items()}
    return {}


def phase_limit(known, phase, strategy):
    """The limit of one of a job's phases on the device."""
    if phase == 'count':
        return known.get('wgmma' if strategy == 'tensor' else 'popc')
    return known.get('memory' if phase == 'build' else phase)


class Results:
    """All rows, as dictionaries of texts."""

    def __init__(self, options, names):
        self.path = os.path.join(options.results, 'gpu.tsv')
        self.origin = {'date': time.strftime('%Y-%m-%d'), 'commit': machine.revision(),
                       'device': names[0] if names else '',
                       'machine': '%s, %d cores' % (machine.processor(), machine.cores())}
        self.rows = []
        self.measured = set()   # keys of this run
        self.failed = False
        if os.path.exists(self.path) and not options.fresh:
            with open(self.path, newline='') as table:
                self.rows = [{**dict.fromkeys(HEADER, ''), **row} for row in
                             csv.DictReader(table, delimiter='\t', quoting=csv.QUOTE_NONE)]

    def figure(self, section, line, what, phase, **figures):
        """A row; line is a Line, or the name of other data."""
        row = dict.fromkeys(HEADER, '')
        row.update(self.origin, section=section, what=what, phase=phase)
        if isinstance(line, Line):
            row.update(data=line.data, minsup=line.minsup, kind=line.kind, mode=line.mode)
        else:
            row.update(data=line)
        if figures.get('seconds') and figures.get('amount'):
            figures.setdefault('rate', figures['amount'] / figures['seconds'])
        if figures.get('rate') and figures.get('limit'):
            figures['fraction'] = figures['rate'] / figures['limit']
        row.update({name: '%.4g' % value if isinstance(value, float) else ' '.join(str(value).split())
                    for name, value in figures.items() if value is not None})
        row['command'] = row['command'].replace(TOP + os.sep, '')
        return row

    def add(self, rows):
        """Takes rows in place of the earlier ones of the same, and saves all."""
        keys = {key(row) for row in rows}
        self.measured |= keys
        self.rows = [row for row in self.rows if key(row) not in keys] + rows
        self.judge()
        for row in rows:
            if row['agrees'] == 'WRONG':
                print('WRONG: %s: %s itemsets' % (row['what'], row['itemsets']), flush=True)
        report.write_tsv(self.path, HEADER, [[row[name] for name in HEADER] for row in self.rows])

    def judge(self):
        """Does whoever mined the same data find as many itemsets as the CPU engine?"""
        answers = collections.defaultdict(list)
        for row in self.rows:
            if row['itemsets'].isdigit():
                answers[key(row, SAME_ANSWER)].append(row)
        for rows in answers.values():
            right = min(rows, key=lambda row: not row['what'].startswith(('fim', 'cpu')))['itemsets']
            for row in rows:
                row['agrees'] = '' if len(rows) == 1 else \
                    'yes' if row['itemsets'] == right else 'WRONG'

    def fail(self, what, why):
        print('failed: %s: %s' % (what, why), flush=True)
        self.failed = True

    def right(self):
        """Has nothing failed or been wrong in this run?  To take too long is neither."""
        return not self.failed and not any(
            row['agrees'] == 'WRONG' or row['note'].startswith('failed')
            for row in self.rows if key(row) in self.measured)


def key(row, columns=KEY):
    return tuple(row[name] for name in columns)


def tell(rows):
    """Says in a line what was measured at once; the first row has the whole."""
    whole = rows[0]
    text = '  %-22s %9s s' % (whole['what'], report.seconds(float(whole['seconds']))
                              if whole['seconds'] else '-')
    if whole['itemsets'].isdigit():
        text += ' %15s itemsets' % '{:,}'.format(int(whole['itemsets']))
    for row in rows:
        if row['rate']:
            text += ', %s %s %s/s' % (row['phase'], row['rate'], row['unit'])
        elif row is not whole and row['seconds']:
            text += ', %s %s s' % (row['phase'], report.seconds(float(row['seconds'])))
        if row['fraction']:
            text += ' (%.0f %%)' % (100 * float(row['fraction']))
    print(text + ('  ' + whole['note'] if whole['note'] else ''), flush=True)
