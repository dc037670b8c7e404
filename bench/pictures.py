#!/usr/bin/env python3
"""Draws the pictures of doc/pictures.md from the demo's data, each by the query above it:

    pictures.py [NAME...]

Needs Graphviz, and vl-convert-python, see python_env.py.  The queries run on a throwaway server.
"""

import os
import re
import subprocess
import sys

import python_env
import server

TOP = os.path.dirname(python_env.HERE)
PAGE = os.path.join(TOP, 'doc', 'pictures.md')


def queries():
    """The page's queries, by the files of their pictures."""
    with open(PAGE, encoding='utf-8') as page:
        return {path: query.rstrip().rstrip(';') for query, path in
                re.findall(r'^```\n((?:(?!^```).)*?)^```\n\n!\[[^]]*\]\(([^)]*)\)$', page.read(), re.M | re.S)}


def draw(path, answer):
    target = os.path.join(TOP, 'doc', path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if answer.startswith('digraph'):
        command = ['dot', '-Tsvg']
    else:
        python, why = python_env.find('vl_convert', 'vl-convert-python')
        if python is None:
            sys.exit(why)
        command = [python, '-c', 'import sys, vl_convert; print(vl_convert.vegalite_to_svg(sys.stdin.read()))']
    drawn = subprocess.run(command, input=answer, check=True, stdout=subprocess.PIPE, text=True).stdout
    with open(target, 'w', encoding='utf-8') as picture:
        picture.write(drawn)
    print('%s: %d kB' % (os.path.relpath(target), len(drawn) // 1000))


def main():
    wanted = {path: query for path, query in queries().items()
              if not sys.argv[1:] or os.path.splitext(os.path.basename(path))[0] in sys.argv[1:]}
    for path, answer in server.demo_answers(wanted).items():
        draw(path, answer)


if __name__ == '__main__':
    main()
