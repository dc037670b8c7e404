"""Data sets: real ones from the folder GPUFIM_DATA, generated ones from quest."""

import collections
import lzma
import os
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
CACHE = os.path.join(HERE, 'data')


class Line(collections.namedtuple('Line', 'data minsup kind itemsets counting listing')):
    def label(self):
        return '%s %d %s' % (self.data, self.minsup, self.kind)


def lines(pattern):
    """The lines of the engine's table, from lines.tsv, whose label has the pattern."""
    result = []
    with open(os.path.join(HERE, 'lines.tsv')) as table:
        next(table)
        for row in table:
            data, minsup, kind, itemsets, counting, listing = row.rstrip('\n').split('\t')
            line = Line(data, int(minsup), kind, int(itemsets),
                        float(counting) if counting else None,
                        float(listing) if listing else None)
            if re.search(pattern, line.label()):
                result.append(line)
    return result


def missing():
    """None, or why there is no real data."""
    folder = os.environ.get('GPUFIM_DATA')
    if not folder:
        return 'GPUFIM_DATA is not set'
    if not os.path.isdir(os.path.join(folder, 'fimi')):
        return 'GPUFIM_DATA=%s has no folder fimi' % folder
    return None


def real(name):
    """The path of a real set's plain text, unpacked on first use; None: not there."""
    if missing():
        return None
    source = os.path.join(os.environ['GPUFIM_DATA'], name + '.dat')
    if os.path.exists(source):
        return source
    if not os.path.exists(source + '.xz'):
        return None
    target = os.path.join(CACHE, os.path.basename(name) + '.dat')
    if not os.path.exists(target) or os.path.getmtime(target) < os.path.getmtime(source + '.xz'):
        os.makedirs(CACHE, exist_ok=True)
        with lzma.open(source + '.xz') as packed, open(target + '.part', 'wb') as unpacked:
            shutil.copyfileobj(packed, unpacked)
        os.replace(target + '.part', target)
    return target


def quest(name, *arguments):
    """The path of a generated set; arguments as for the program quest."""
    top = os.path.join(HERE, '..')
    subprocess.run(['make', '-s', '-C', top, 'bench/quest'], check=True)
    program = os.path.join(HERE, 'quest')
    target = os.path.join(CACHE, 'quest-%s.dat' % name)
    if not os.path.exists(target) or os.path.getmtime(target) < os.path.getmtime(program + '.c'):
        os.makedirs(CACHE, exist_ok=True)
        with open(target + '.part', 'wb') as out:
            subprocess.run((program,) + arguments, stdout=out, check=True)
        os.replace(target + '.part', target)
    return target
