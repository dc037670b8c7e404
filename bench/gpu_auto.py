"""Does engine "auto" choose well?  Calls with each engine and with "auto", from light to heavy ones.

Each has what it has by default: the CPU engine a process for each core.  There is
one device, and its context is warm.
"""

import os
import re

import data
import gpu
import gpu_sql
import report

DEFAULT_WORKERS = '-1'


def lines(options):
    """(line, its file) for each minsup of auto-lines.tsv that is wanted."""
    with open(os.path.join(gpu.HERE, 'auto-lines.tsv')) as table:
        next(table)
        rows = [row.rstrip('\n').split('\t') for row in table]
    for name, source, kind, mode, minsups in rows:
        every = [gpu.Line(name, source, minsup, kind, mode, '', DEFAULT_WORKERS, '')
                 for minsup in minsups.split()]
        wanted = [line for line in every if re.search(options.only, line.label())]
        file = wanted[0].file() if wanted else None
        if wanted and file is None:
            report.skipped(name, data.missing() or 'no such file in GPUFIM_DATA')
        else:
            yield from ((line, file) for line in wanted)


def measure(cluster, session, options, results):
    for line, _ in gpu_sql.each_line(cluster, session, lines(options)):
        for engine in gpu_sql.call_in_turns(session, options, line, ['cpu', 'gpu', 'auto']):
            rows = [engine.row(results, 'auto', line)]
            gpu.tell(rows)
            results.add(rows)


def auto(options, results):
    """Section auto."""
    gpu_sql.on_server('auto', options, results, measure)
