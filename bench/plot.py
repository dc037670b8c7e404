"""Draws the pictures of the results: plot.py engine|sql RESULTS.tsv PICTURE

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


def main():
    kind, table, picture = sys.argv[1:]
    matplotlib.rcParams.update({'svg.hashsalt': 'gpufim', 'font.size': 9})
    {'engine': engine, 'sql': sql}[kind](read(table), picture)


main()
