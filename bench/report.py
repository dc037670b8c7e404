"""Writes results: a .tsv with every figure, a .md to read, a picture."""

import os
import subprocess

import machine
import python_env

HERE = os.path.dirname(os.path.abspath(__file__))


def seconds(value):
    """A time with three significant digits."""
    if value is None:
        return ''
    if value < 0.000995:
        return '%.6f' % value
    if value < 0.0995:
        return '%.4f' % value if value < 0.00995 else '%.3f' % value
    return '%.3f' % value if value < 1 else '%.2f' % value if value < 10 else '%.1f' % value


def ratio(over, under):
    return '%.2f' % (over / under) if over and under else ''


def skipped(what, why):
    print('skipped: %s (%s)' % (what, why), flush=True)
    return True


def rows_of(results):
    """A row of each contestant, of lines with their contestants."""
    return [one.row(line) for line, everybody in results for one in everybody]


def write_tsv(path, header, rows):
    save_tsv(path, header, rows)
    print('wrote ' + os.path.relpath(path))


def save_tsv(path, header, rows):
    """Writes it in one go, so that a run that is cut off leaves what it had measured."""
    with open(path + '.new', 'w') as out:
        for row in [header] + rows:
            out.write('\t'.join(text_of(cell) for cell in row) + '\n')
    os.replace(path + '.new', path)


def text_of(cell):
    return '' if cell is None else str(cell)


class Table:
    """A .tsv in which lines that are measured take the place of what an earlier run has of them.

    Each row is a list of texts; a line is the rows that are the same in the first columns, so many.
    """

    def __init__(self, path, header, columns):
        self.path, self.header, self.columns = path, header, columns
        self.rows = []
        if os.path.exists(path):
            with open(path) as table:
                header, *rows = [line.rstrip('\n').split('\t') for line in table]
                self.rows = rows if header == self.header else []

    def put(self, rows):
        """Takes the rows of a line, or several lines, and saves all."""
        rows = [[text_of(cell) for cell in row] for row in rows]
        lines = [row[:self.columns] for row in rows]
        earlier = [at for at, row in enumerate(self.rows) if row[:self.columns] in lines]
        at = earlier[0] if earlier else len(self.rows)
        others = [row for row in self.rows if row[:self.columns] not in lines]
        self.rows = others[:at] + rows + others[at:]
        save_tsv(self.path, self.header, self.rows)


def table(header, rows):
    """A markdown table; columns whose header starts with ">" are numbers."""
    text = ['| ' + ' | '.join(name.lstrip('>') for name in header) + ' |',
            '|' + '|'.join('---:' if name.startswith('>') else '---' for name in header) + '|']
    for row in rows:
        text.append('| ' + ' | '.join('' if cell is None else str(cell) for cell in row) + ' |')
    return '\n'.join(text) + '\n'


def write_md(path, title, command, sections, here=True):
    """sections: pieces of markdown, put below a head that says what was run, when and where.

    here: all was measured now, on this machine.
    """
    with open(path, 'w') as out:
        out.write('# %s\n\n' % title)
        out.write('Written by `%s`.\n' % command)
        if here:
            out.write('\n')
            for what, value in machine.describe():
                out.write('* %s: %s\n' % (what, value))
        for section in sections:
            out.write('\n' + section)
    print('wrote ' + os.path.relpath(path))


def draw(kind, tsv, picture, install):
    """Has plot.py draw a picture of a .tsv."""
    python, why = python_env.find('matplotlib', 'matplotlib', install)
    if python is None:
        skipped('the picture', why)
        return False
    subprocess.run([python, '-B', os.path.join(HERE, 'plot.py'), kind, tsv, picture], check=True)
    print('wrote ' + os.path.relpath(picture))
    return True
