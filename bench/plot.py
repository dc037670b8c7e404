"""Draws the pictures of the results:

    plot.py engine|sql|sweep|gpu-sweep|sets RESULTS.tsv PICTURE
    plot.py overview SQL.tsv GPU.tsv PICTURE

The last is the one in README.

Runs in an interpreter that has matplotlib, see python_env.py.
"""

import csv
import sys

import matplotlib
matplotlib.use('Agg')
import matplotlib.pyplot as plt  # noqa: E402 (after the choice of what draws)
from matplotlib.ticker import NullFormatter, StrMethodFormatter  # noqa: E402

OWN_COLOURS = {1: '#1f5fa8', 2: '#6fa8dc'}
PEER_COLOURS = ('#c0504d', '#e69138', '#6aa84f', '#8e7cc3', '#b45f9d', '#7f6000', '#45818e',
                '#999999')


def read(path):
    with open(path, newline='') as table:
        return list(csv.DictReader(table, delimiter='\t'))


def seconds_axis(panel):
    panel.set_xscale('log')
    panel.set_xlabel('seconds')
    panel.xaxis.set_major_formatter(StrMethodFormatter('{x:g}'))
    panel.xaxis.set_minor_formatter(NullFormatter())


def engine(rows, picture):
    """One dot per program, one row per line of the table, time on a log axis."""
    labels = list(dict.fromkeys((row['data'], row['minsup'], row['kind']) for row in rows))
    peers = list(dict.fromkeys(row['program'] for row in rows if row['program'] != 'fim'))
    figure, panels = plt.subplots(1, 2, sharey=True, figsize=(12, 1.6 + 0.34 * len(labels)))
    for panel, mode in zip(panels, ('counting', 'listing')):
        for index, peer in enumerate(peers):
            dots(panel, rows, labels, mode, peer, '1', color=PEER_COLOURS[index % len(PEER_COLOURS)],
                 marker='o', s=26, label=peer)
        for workers in dict.fromkeys(row['workers'] for row in rows if row['program'] == 'fim'):
            dots(panel, rows, labels, mode, 'fim', workers, marker='D', s=40, zorder=3,
                 color=OWN_COLOURS.get(int(workers), '#073763'),
                 label='fim, %s worker%s' % (workers, '' if workers == '1' else 's'))
        seconds_axis(panel)
        panel.set_title(mode)
        panel.grid(True, which='major', alpha=0.4)
    panels[0].set_yticks(range(len(labels)))
    panels[0].set_yticklabels(['%s  %s  %s' % label for label in labels])
    panels[0].invert_yaxis()
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc='lower center', ncol=6, frameon=False)
    figure.tight_layout(rect=(0, 0.05 + 0.4 / len(labels) / 2, 1, 1))
    figure.savefig(picture, metadata={'Date': None} if picture.endswith('.svg') else None)


def dots(panel, rows, labels, mode, program, workers, **style):
    points = [(float(row['min_s']), labels.index((row['data'], row['minsup'], row['kind'])))
              for row in rows
              if row['mode'] == mode and row['program'] == program and row['workers'] == workers
              and row['min_s'] and row['count'] != 'DIFFERS']
    if points:
        panel.scatter(*zip(*points), **style)


def sql(rows, picture):
    """One pair of bars per comparison: the function and what it is compared with."""
    rows = [row for row in rows if row['own_s'] and row['other_s']]
    figure, panel = plt.subplots(figsize=(11, 1.4 + 0.5 * len(rows)))
    for offset, column, label, colour in ((-0.19, 'own_s', 'gpufim', OWN_COLOURS[1]),
                                          (0.19, 'other_s', 'compared with', PEER_COLOURS[1])):
        panel.barh([index + offset for index in range(len(rows))],
                   [float(row[column]) for row in rows], height=0.36, color=colour, label=label)
    for index, row in enumerate(rows):
        panel.text(float(row['other_s']) * 1.05, index + 0.19, row['other'], va='center', fontsize=7)
    seconds_axis(panel)
    panel.set_yticks(range(len(rows)))
    panel.set_yticklabels([row['what'] for row in rows])
    panel.invert_yaxis()
    panel.margins(x=0.3)
    panel.grid(True, axis='x', which='major', alpha=0.4)
    panel.legend(loc='upper right', frameon=False)
    figure.tight_layout()
    figure.savefig(picture, metadata={'Date': None} if picture.endswith('.svg') else None)


def whole_calls(rows):
    """(label, own seconds, seconds of the other way): from a table to a table of itemsets."""
    return [(row['what'].split('/')[-1].replace(' ', ', '), float(row['own_s']), float(row['other_s']))
            for row in rows if row['part'] == 'end to end' and row['own_s'] and row['other_s']]


def gpu_and_cpu(rows):
    """(label, seconds on the GPU, seconds on the CPU): from a table to the counts."""
    calls = {engine: {(row['data'], row['minsup'], row['kind']): float(row['seconds']) for row in rows
                      if row['section'] == 'sql' and row['phase'] == 'call' and row['mode'] == 'count'
                      and row['what'] == engine and row['seconds']} for engine in ('gpu', 'cpu')}
    return [('%s, %g %%, %s' % (line[0], 100 * float(line[1]), line[2]), seconds, calls['cpu'][line])
            for line, seconds in calls['gpu'].items() if line in calls['cpu']]


def pairs(panel, lines, own, other, title):
    """One row for each line, the greatest ratio first: two dots and how many times faster."""
    lines = sorted(lines, key=lambda line: line[1] / line[2])
    for index, (_, first, second) in enumerate(lines):
        panel.plot((first, second), (index, index), color='#bbbbbb', zorder=1)
        panel.annotate('%.1fx' % (second / first), (max(first, second), index), xytext=(7, 0),
                       textcoords='offset points', va='center', fontsize=8)
    rows = range(len(lines))
    panel.scatter([line[1] for line in lines], rows, marker='D', s=36, zorder=2, label=own,
                  color=OWN_COLOURS[1])
    panel.scatter([line[2] for line in lines], rows, s=30, zorder=2, label=other,
                  color=PEER_COLOURS[1])
    seconds_axis(panel)
    panel.set_yticks(rows)
    panel.set_yticklabels([line[0] for line in lines])
    panel.invert_yaxis()
    panel.margins(x=0.22)
    panel.set_title(title)
    panel.grid(True, axis='x', which='major', alpha=0.4)
    panel.legend(loc='upper center', bbox_to_anchor=(0.5, -0.13), ncol=1, frameon=False)


def overview(sql_rows, gpu_rows, picture):
    figure, panels = plt.subplots(1, 2, figsize=(12, 4.8), gridspec_kw={'width_ratios': (1, 0.8)})
    pairs(panels[0], whole_calls(sql_rows), 'gpufim', 'COPY, the fastest algorithm of PyFIM, and COPY back',
          'CPU: from a table to a table of itemsets')
    pairs(panels[1], gpu_and_cpu(gpu_rows), 'gpufim on one H200', 'gpufim on the CPU, 8 workers',
          'GPU: from a table to counts')
    figure.tight_layout()
    figure.savefig(picture, metadata={'Date': None} if picture.endswith('.svg') else None)


def sweep(rows, picture, seconds='cpu_s', time='processor time', work='visited nodes'):
    """A curve for each set: time and work for each itemset over the number of itemsets."""
    rows = [row for row in rows if row['nodes'] not in ('', '0') and 100 <= float(row['itemsets']) <= 1e9]
    kinds = list(dict.fromkeys(row['kind'] for row in rows))
    sets = list(dict.fromkeys(row['data'] for row in rows))
    figure, panels = plt.subplots(2, len(kinds), sharex='col', squeeze=False,
                                  figsize=(5.2 * len(kinds), 9))
    for column, kind in enumerate(kinds):
        for index, name in enumerate(sets):
            points = [row for row in rows if (row['kind'], row['data']) == (kind, name)]
            itemsets = [float(row['itemsets']) for row in points]
            style = {'color': plt.cm.tab20(index % 20), 'linewidth': 1.1, 'markersize': 3,
                     'marker': 'os^'[index // 20], 'label': name.split('/')[1]}
            for panel, scale, what in ((panels[0][column], 1e6, seconds),
                                       (panels[1][column], 1, 'nodes')):
                panel.plot(itemsets, [scale * float(row[what]) / n
                                      for row, n in zip(points, itemsets)], **style)
        panels[0][column].set_title(kind)
        panels[1][column].set_xlabel('itemsets (lower supports to the right)')
        for panel in panels[:, column]:
            panel.set_xscale('log')
            panel.set_yscale('log')
            panel.grid(True, which='major', alpha=0.4)
    panels[0][0].set_ylabel('microseconds of %s for each itemset' % time)
    panels[1][0].set_ylabel('%s for each itemset' % work)
    handles, names = panels[0][-1].get_legend_handles_labels()
    figure.legend(handles, names, loc='lower center', ncol=7, frameon=False, fontsize=8)
    figure.tight_layout(rect=(0, 0.1, 1, 1))
    figure.savefig(picture, metadata={'Date': None} if picture.endswith('.svg') else None)


def gpu_sweep(rows, picture):
    sweep(rows, picture, 'mine_s', 'mining', 'pairs of bits compared')


def sets(rows, picture):
    """A curve for each strategy over the density of sets of one size."""
    rows = [row for row in rows if row['part'] == 'dense' and row['min_s']]
    swept = rows[0]['what'].split(',')[0] if rows else ''
    rows = [row for row in rows if row['what'].split(',')[0] == swept]
    figure, panel = plt.subplots(figsize=(7, 4.6))
    for index, strategy in enumerate(dict.fromkeys(row['who'] for row in rows)):
        points = [(float(row['what'].split(',')[2]), float(row['min_s'])) for row in rows if row['who'] == strategy]
        own = strategy == 'auto'
        panel.plot(*zip(*points), label=strategy, marker='D' if own else 'o', markersize=7 if own else 4,
                   linewidth=2.2 if own else 1.2, zorder=2 if own else 3,
                   color=OWN_COLOURS[1] if own else PEER_COLOURS[index - 1])
    panel.set_xscale('log')
    panel.set_yscale('log')
    panel.xaxis.set_major_formatter(StrMethodFormatter('{x:g}'))
    panel.yaxis.set_major_formatter(StrMethodFormatter('{x:g}'))
    panel.set_xlabel('density of %s sets' % swept)
    panel.set_ylabel('seconds of processor time, pairs with two in common')
    panel.grid(True, which='major', alpha=0.4)
    panel.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(picture, metadata={'Date': None} if picture.endswith('.svg') else None)


def main():
    kind, *tables, picture = sys.argv[1:]
    matplotlib.rcParams.update({'svg.hashsalt': 'gpufim', 'font.size': 9})
    {'engine': engine, 'sql': sql, 'sweep': sweep, 'gpu-sweep': gpu_sweep, 'sets': sets,
     'overview': overview}[kind](*map(read, tables), picture)


main()
