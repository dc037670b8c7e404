"""Data sets: real ones from the folder GPUFIM_DATA, generated ones."""

import collections
import lzma
import os
import random
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
CACHE = os.path.join(HERE, 'data')
SHARED_SOURCES = ('generator.c', 'generator.h')     # of the generators

# Real sets whose items are names: the file's ending and what separates the items.
NAMED = {
    'transactions/groceries': ('.csv', ','),
    'transactions/online-retail-baskets': ('.csv', ','),
    'transactions/zutaten': ('.txt', None),
}


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


def unpacked(path):
    """The path of a plain text of GPUFIM_DATA, unpacked on first use; None: not there."""
    if missing():
        return None
    source = os.path.join(os.environ['GPUFIM_DATA'], path)
    if os.path.exists(source):
        return source
    if not os.path.exists(source + '.xz'):
        return None
    target = os.path.join(CACHE, os.path.basename(path))
    if not os.path.exists(target) or os.path.getmtime(target) < os.path.getmtime(source + '.xz'):
        os.makedirs(CACHE, exist_ok=True)
        with lzma.open(source + '.xz') as packed, open(target + '.part', 'wb') as unpacked_file:
            shutil.copyfileobj(packed, unpacked_file)
        os.replace(target + '.part', target)
    return target


def real(name):
    """The path of a real set of transactions, its items as numbers; None: not there."""
    return numbered(name, *NAMED[name]) if name in NAMED else unpacked(name + '.dat')


def numbered(name, ending, separator):
    """The path of a set of names made one of numbers, given in the order of first appearance."""
    source = unpacked(name + ending)
    if source is None:
        return None
    target = os.path.join(CACHE, os.path.basename(name) + '.dat')
    if not os.path.exists(target) or os.path.getmtime(target) < os.path.getmtime(source):
        os.makedirs(CACHE, exist_ok=True)
        numbers = {}
        with open(source, encoding='utf-8') as rows, open(target + '.part', 'w') as out:
            for row in rows:
                items = [item.strip() for item in row.rstrip('\n').split(separator)]
                out.write(' '.join(str(numbers.setdefault(item, len(numbers) + 1))
                                   for item in items if item) + '\n')
        os.replace(target + '.part', target)
    return target


def recording(name):
    """The path of a recording of spikes, an event a line; None: not there."""
    return unpacked('episodes/%s.spk.txt' % name)


def generated(name, program, *arguments):
    """The path of a set that one of the generators makes with these arguments."""
    subprocess.run(['make', '-s', '-C', os.path.join(HERE, '..'), 'bench/' + program], check=True)
    sources = [os.path.join(HERE, source) for source in (program + '.c', *SHARED_SOURCES)]
    target = os.path.join(CACHE, '%s-%s.dat' % (program, name))
    if not os.path.exists(target) or \
            os.path.getmtime(target) < max(os.path.getmtime(source) for source in sources):
        os.makedirs(CACHE, exist_ok=True)
        with open(target + '.part', 'wb') as out:
            subprocess.run([os.path.join(HERE, program), *arguments], stdout=out, check=True)
        os.replace(target + '.part', target)
    return target


def drawn(name, count):
    """The path of so many transactions drawn from a real set's with replacement; None: not there."""
    source = real(name)
    if source is None:
        return None
    target = os.path.join(CACHE, '%s-drawn-%d.dat' % (os.path.basename(name), count))
    if not os.path.exists(target) or os.path.getmtime(target) < os.path.getmtime(source):
        os.makedirs(CACHE, exist_ok=True)
        with open(source) as lines:
            transactions = lines.readlines()
        with open(target + '.part', 'w') as out:
            out.writelines(random.Random(1).choices(transactions, k=count))
        os.replace(target + '.part', target)
    return target


def made(name, source):
    """The path of a set, made or unpacked on first use; None: not there.

    source: "real PATH", "drawn PATH COUNT", or a generator and its arguments.
    """
    program, *arguments = source.split()
    if program == 'real':
        return real(arguments[0])
    if program == 'drawn':
        return drawn(arguments[0], int(arguments[1]))
    return generated(name, program, *arguments)
