"""Borgelt's pyfim as a peer, in a process of its own.

    pyfim_peer.py FILE MINSUP KIND METHOD       answer "count" lines
    pyfim_peer.py FILE MINSUP KIND METHOD OUT   list into a file, once

The file is read into Python lists before anything is timed.  Then, for each
line that comes in, one mining call is timed and "seconds count" goes out.  The
call is given report='|', with which pyfim builds no itemsets but counts them by
length and support ("pattern spectrum"); its time includes turning the lists
into pyfim's own transactions, which takes the place of the other programs'
reading of the file.
"""

import sys
import time

import fim

METHODS = {
    'eclat': (fim.eclat, 'a'),          # chooses its representation by the data
    'occdlv': (fim.eclat, 'o'),         # occurrence deliver, as in LCM
    'fpgrowth': (fim.fpgrowth, 's'),
}
TARGETS = {'all': 's', 'closed': 'c', 'maximal': 'm'}


def main():
    file, minsup, kind, method = sys.argv[1:5]
    function, algorithm = METHODS[method]
    with open(file) as rows:
        transactions = [[int(item) for item in row.split()] for row in rows]

    def mine(report):
        return function(transactions, target=TARGETS[kind], supp=-int(minsup), report=report,
                        algo=algorithm)

    if len(sys.argv) > 5:
        with open(sys.argv[5], 'w') as out:
            for items, support in mine('a'):
                out.write('%s (%d)\n' % (' '.join(map(str, items)), support))
        return
    print('ready', flush=True)
    for _ in sys.stdin:
        start = time.perf_counter()
        spectrum = mine('|')
        seconds = time.perf_counter() - start
        print('%.6f %d' % (seconds, sum(spectrum[-1])), flush=True)


main()
