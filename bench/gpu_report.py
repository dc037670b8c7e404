"""Writes gpu-bench.md, the tables to read, from the rows of gpu.tsv."""

import os

import gpu
import report

EXPLANATION = '''\
Measured on %s. Each row says when it was measured and at which commit, since not all need have been
measured at once; gpu.tsv has the commands, too. Times are the shortest of all runs, in seconds.
Percentages are shares of what the device was measured to do at most: copies from and to pinned
memory, reading its memory, ANDing and counting bits by wgmma or, for the ancestors' strategies, by popcount.
"> N" is what was given up after N seconds. WRONG is a number of itemsets that is not the CPU engine's.
'''

PRODUCTS = '''\
Pairs of rows of random bits, those that reach a threshold written: useful bits a second count each pair of
rows once. The limit is that of the arithmetic, or of reading each row once.
'''

MINING = '''\
From encoded transactions in the host's memory to the last count, or itemset, there; `fim -w` is the CPU
engine with so many workers. "Ancestors" is the best of `dci_transaction`, `dci_candidate`, `tfl` and `hil`.
'''

PHASES = '''\
What the strategies' phases moved or computed. They overlap, so that they need not add up to the whole.
'''

SCALING = '''\
The same on more devices, and how many times as fast as on one.
'''

CALLS = '''\
Whole calls as psql sees them, `itemset_counts()` where itemsets are counted and `count(*)` of
`frequent_itemsets()` where they are listed, in turns with both engines, on one device. Below, the
phases of the fastest call; for reading, 100 % is a statement that only scans the same rows.
'''

AUTO = '''\
Whole calls as psql sees them, with each engine and with engine "auto", in turns: how well does it choose? One
device, whose context is warm; the CPU engine has a process for each core.
'''

UNCERTAIN = '''\
Whole calls of `probable_itemsets()` as psql sees them, in turns, on one device whose context is warm; the
CPU engine has a process for each core. "Wanted" is three times what the GPU call took to read and to emit.
'''

FIXED = '''\
Calls that have next to nothing to do.
'''


def number(text):
    return float(text) if text else None


def count(row):
    text = '{:,}'.format(int(row['itemsets'])) if row['itemsets'].isdigit() else row['itemsets']
    return text + (' WRONG' if row['agrees'] == 'WRONG' else '')


def time_of(row):
    """A time, or why there is none."""
    if row is None:
        return ''
    if not row['seconds']:
        return '> ' + row['note'].split()[1] if row['note'].startswith('over') else 'failed'
    text = report.seconds(number(row['seconds']))
    if row['note'].endswith(' mined'):
        text += ' (%s)' % row['note'].split('; ')[-1]
    return text + (' WRONG' if row['agrees'] == 'WRONG' else '')


def rate_of(row):
    """A rate and its share of the limit."""
    if row is None or not row['rate']:
        return ''
    rate = float(row['rate'])
    share = ' (%.0f %%)' % (100 * float(row['fraction'])) if row['fraction'] else ''
    if row['unit'] == 'B':
        return ('%.3g GB/s%s' if rate < 1e11 else '%.0f GB/s%s') % (rate / 1e9, share)
    return '%s %s/s%s' % (('%.1e' % rate).replace('e+', 'e').replace('e0', 'e'), row['unit'], share)


def phase_of(row):
    return ', '.join(text for text in (time_of(row), rate_of(row)) if text)


def ratio(over, under):
    """How many times as long; at least as many times where it was given up."""
    if over is None or under is None or not under['seconds']:
        return ''
    if not over['seconds'] and over['note'].startswith('over'):
        return '> %.1f' % (float(over['note'].split()[1]) / float(under['seconds']))
    return report.ratio(number(over['seconds']), number(under['seconds']))


def groups(rows, columns):
    """Rows that are alike in some columns, in the order of their first."""
    result = {}
    for row in rows:
        result.setdefault(gpu.key(row, columns), []).append(row)
    return list(result.values())


def find(rows, what, phase):
    return next((row for row in rows if row['what'] == what and row['phase'] == phase), None)


def line(row):
    """The columns that name a line."""
    listed = ', listed' if row['mode'] == 'list' else ''
    return [row['data'], row['minsup'], row['kind'] + listed]


LINE = ['data', '>minsup', 'kind']
SAME_LINE = ['data', 'minsup', 'kind', 'mode']
ORIGIN = ['measured', 'commit']
DEVICE_PHASES = ['transfer', 'build', 'count', 'return']


def origin(row):
    return [row['date'], row['commit']]


def products(rows):
    header = ['rows', 'way', '>ms', '>useful bits/s', '>limit', '>wanted'] + ORIGIN
    return report.table(header, [
        [row['data'], row['what'], '%.3f' % (1e3 * float(row['seconds'])), rate_of(row),
         row['limit'], row['wanted']] + origin(row) for row in rows])


def best(rows):
    """The fastest, else what was given up last."""
    done = [row for row in rows if row and row['seconds']]
    if done:
        return min(done, key=lambda row: float(row['seconds']))
    given_up = [row for row in rows if row and row['note'].startswith('over')]
    return max(given_up, key=lambda row: float(row['note'].split()[1]), default=None)


def mining(rows):
    header = LINE + ['>itemsets', '>fim'] + ['>' + name for name in gpu.STRATEGIES] + \
        ['>ancestors / tensor', '>fim / tensor'] + ORIGIN
    table = []
    for same in groups(rows, SAME_LINE):
        wholes = [row for row in same if row['phase'] == 'mine']
        cpu = next((row for row in wholes if row['what'].startswith('fim')), None)
        by_name = {name: find(wholes, name, 'mine') for name in gpu.STRATEGIES}
        counted = next((row for row in wholes if row['itemsets']), wholes[0])
        table.append(line(same[0]) + [count(counted), time_of(cpu)] +
                     [time_of(by_name[name]) for name in gpu.STRATEGIES] +
                     [ratio(best([by_name[name] for name in gpu.ANCESTORS]), by_name['tensor']),
                      ratio(cpu, by_name['tensor'])] + origin(same[-1]))
    return report.table(header, table)


def phases(rows):
    header = LINE + ['strategy', '>whole', '>candidates', '>peak, MB'] + \
        ['>' + name for name in DEVICE_PHASES]
    table = []
    for same in groups(rows, gpu.KEY):
        whole = same[0]
        if not whole['seconds'] or whole['what'].startswith('fim'):
            continue
        cells = line(whole) + [whole['what'], time_of(whole), whole['candidates'], whole['peak_mb']]
        table.append(cells + [phase_of(find(same, whole['what'], name)) for name in DEVICE_PHASES])
    return report.table(header, table)


def scaling(rows):
    header = LINE + ['strategy', '>devices', '>seconds', '>times as fast', '>itemsets'] + ORIGIN
    table = []
    wholes = [row for row in rows if row['phase'] == 'mine']
    for row in wholes:
        strategy, devices = row['what'].split(', ')
        one = [other for other in wholes if other['what'] == strategy + ', 1 device' and
               gpu.key(other, SAME_LINE) == gpu.key(row, SAME_LINE)]
        table.append(line(row) + [strategy, devices.split()[0], time_of(row),
                                  ratio(one[0], row) if one else '', count(row)] + origin(row))
    return report.table(header, table)


def calls(rows):
    names = ['read', 'encode', *DEVICE_PHASES, 'mine', 'emit']
    header = LINE + ['>itemsets', '>gpu', 'strategy', '>cpu', '>cpu / gpu'] + ORIGIN
    phase_header = LINE + ['engine'] + ['>' + name for name in names]
    table = []
    phase_table = []
    for same in groups(rows, SAME_LINE):
        gpu_call, cpu_call = (find(same, engine, 'call') for engine in ('gpu', 'cpu'))
        counted = next((row for row in same if row['itemsets']), same[0])
        table.append(line(same[0]) + [count(counted), time_of(gpu_call),
                                      gpu_call['note'] if gpu_call and gpu_call['seconds'] else '',
                                      time_of(cpu_call), ratio(cpu_call, gpu_call)] + origin(same[-1]))
        for engine in ('gpu', 'cpu'):
            if find(same, engine, 'read'):
                phase_table.append(line(same[0]) + [engine] +
                                   [phase_of(find(same, engine, name)) for name in names])
    return report.table(header, table) + '\n' + report.table(phase_header, phase_table)


def choices(rows):
    header = LINE + ['>itemsets', '>cpu', '>gpu', '>auto', 'on', '>auto / best'] + ORIGIN
    table = []
    for same in groups(rows, SAME_LINE):
        engines = [find(same, engine, 'call') for engine in ('cpu', 'gpu', 'auto')]
        counted = next((row for row in same if row['itemsets']), same[0])
        table.append(line(same[0]) + [count(counted)] + [time_of(row) for row in engines] +
                     [engines[2]['note'] if engines[2]['seconds'] else '',
                      ratio(engines[2], best(engines[:2]))] + origin(same[-1]))
    return report.table(header, table)


def uncertain(rows):
    names = ['gpu', 'cpu', 'gpu fft', 'gpu fft_loop', 'cpu fft']
    phases_shown = ['read', 'encode', 'mine', 'emit']
    header = ['data', '>minsup', '>minprob', 'asked for', '>itemsets'] + ['>' + name for name in names] + \
        ['>wanted of gpu', '>gpu fft / gpu', '>cpu fft / gpu fft'] + \
        ['>gpu: ' + name for name in phases_shown] + ORIGIN
    table = []
    for same in groups(rows, SAME_LINE):
        calls_of = {name: find(same, name, 'call') for name in names}
        counted = next((row for row in same if row['itemsets']), same[0])
        table.append([same[0]['data'], same[0]['minsup'], same[0]['kind'], same[0]['mode'], count(counted)] +
                     [time_of(calls_of[name]) for name in names] +
                     [calls_of['gpu']['wanted'] if calls_of['gpu'] else '',
                      ratio(calls_of['gpu fft'], calls_of['gpu']),
                      ratio(calls_of['cpu fft'], calls_of['gpu fft'])] +
                     [time_of(find(same, 'gpu', name)) for name in phases_shown] + origin(same[-1]))
    return report.table(header, table)


def fixed(rows):
    header = ['call', '>seconds', '>wanted'] + ORIGIN
    return report.table(header, [[row['what'], time_of(row), row['wanted']] + origin(row)
                                 for row in rows])


CHAPTERS = (('product', 'Products', PRODUCTS, products),
            ('engine', 'Mining', MINING, mining),
            ('engine', 'Phases', PHASES, phases),
            ('devices', 'Several devices', SCALING, scaling),
            ('sql', 'From the table to the counts or rows', CALLS, calls),
            ('auto', 'Which engine "auto" takes', AUTO, choices),
            ('probable', 'Probable itemsets', UNCERTAIN, uncertain),
            ('fixed cost', 'Fixed cost', FIXED, fixed))


def write(options, results):
    devices = dict.fromkeys('%s (%s)' % (row['device'], row['machine']) for row in results.rows)
    sections = [EXPLANATION % ' and '.join(devices)]
    for section, title, text, table in CHAPTERS:
        rows = [row for row in results.rows if row['section'] == section]
        if rows:
            sections.append('## %s\n\n%s\n%s' % (title, text, table(rows)))
    report.write_md(os.path.join(options.results, 'gpu-bench.md'), 'The GPU engine measured',
                    options.command, sections, here=False)
