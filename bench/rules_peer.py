"""One of rules.py's peers, in a process of its own, on one core.

    rules_peer.py eclat|fpgrowth|rusket|mlxtend|efficient-apriori|lcm FILE SECONDS

The file is read into Python lists before anything is timed.  Then each request from the standard input, a line of words
separated by tabs, is answered with the processor seconds that it took and, of what was found, the number and the sum of supports:

    rules MINSUP MINCONF    rules with one item in the consequent
    top K                   lcm: the K most frequent itemsets, and those that are as frequent as the last

A request that takes more than SECONDS of processor time ends the process.
"""

import gc
import os
import resource
import sys
import tempfile
import time

for library in ('OMP', 'RAYON'):
    os.environ[library + '_NUM_THREADS'] = '1'

# Confidence is a quotient in float8 here and there, and supports are products with one.  Thresholds a little lower
# let no program miss a rule that meets them exactly.
TINY = 1e-9


class Peer:
    def __init__(self, file):
        self.file = file
        with open(file) as rows:
            self.transactions = [[int(item) for item in row.split()] for row in rows]

    def fraction(self, minsup):
        return (int(minsup) - 0.5) / len(self.transactions)


class Pyfim(Peer):
    """Borgelt's, with the support of both sides (mode o), and with count, confidence and lift (report acl)."""

    def __init__(self, name, file):
        import fim
        Peer.__init__(self, file)
        self.mine = getattr(fim, name)

    def rules(self, minsup, minconf):
        found = self.mine(self.transactions, target='r', supp=-int(minsup), conf=100 * float(minconf), zmin=2, mode='o', report='acl')
        return lambda: (len(found), sum(rule[2] for rule in found))


class Frames(Peer):
    """Both make rules with consequents of any length; those with one item are what was asked for."""

    def one_item(self, rules):
        rules = rules[rules['consequents'].map(len) == 1]
        return lambda: (len(rules), round((rules['support'] * len(self.transactions)).sum()))


class Rusket(Frames):
    def __init__(self, file):
        import pandas, pyarrow, rusket      # noqa: E401, F401: rusket would import them in the first call
        Frames.__init__(self, file)
        self.rusket = rusket

    def rules(self, minsup, minconf):
        table = self.rusket.from_transactions(self.transactions)
        itemsets = self.rusket.mine(table, min_support=self.fraction(minsup))
        return self.one_item(self.rusket.association_rules(itemsets, num_itemsets=len(self.transactions),
                                                           min_threshold=float(minconf) - TINY))


class Mlxtend(Frames):
    def __init__(self, file):
        from mlxtend.frequent_patterns import association_rules, fpgrowth
        from mlxtend.preprocessing import TransactionEncoder
        import pandas
        Frames.__init__(self, file)
        self.fpgrowth, self.association_rules, self.encoder, self.pandas = fpgrowth, association_rules, TransactionEncoder(), pandas

    def rules(self, minsup, minconf):
        matrix = self.encoder.fit(self.transactions).transform(self.transactions, sparse=True)
        names = [str(item) for item in self.encoder.columns_]
        itemsets = self.fpgrowth(self.pandas.DataFrame.sparse.from_spmatrix(matrix, columns=names), min_support=self.fraction(minsup))
        return self.one_item(self.association_rules(itemsets, num_itemsets=len(self.transactions), min_threshold=float(minconf) - TINY))


class EfficientApriori(Peer):
    def __init__(self, file):
        from efficient_apriori import apriori
        Peer.__init__(self, file)
        self.apriori = apriori

    def rules(self, minsup, minconf):
        _, rules = self.apriori(self.transactions, min_support=self.fraction(minsup), min_confidence=float(minconf) - TINY,
                                max_length=len(self.transactions))
        rules = [rule for rule in rules if len(rule.rhs) == 1]
        return lambda: (len(rules), sum(rule.count_full for rule in rules))


class Lcm(Peer):
    """Uno's LCM in the package nysol: it finds the support of the K-th itemset, and lists those that reach it in a second call.

    It reads the file itself, and counts the empty set as an itemset.  Only the part of the package that is LCM is loaded, because
    others need libraries that are not in it.
    """

    def __init__(self, file):
        import nysol
        sys.path.append(os.path.join(nysol.__path__[0], 'take'))
        import _lcmlib
        self.lcm, self.file = _lcmlib.lcm_run, file

    def top(self, k):
        with tempfile.NamedTemporaryFile('r') as said, tempfile.NamedTemporaryFile('r') as listed:
            self.lcm(['F', '-K', str(int(k) + 1), self.file, '1'], said.name)
            minsup = said.read().split()[0]
            self.lcm(['Ff', self.file, minsup, listed.name], said.name)
            supports = [int(row[row.rindex('(') + 1:row.rindex(')')]) for row in listed if row[0] != ' ']
        return lambda: (len(supports), sum(supports))


PEERS = {'eclat': lambda file: Pyfim('eclat', file), 'fpgrowth': lambda file: Pyfim('fpgrowth', file), 'rusket': Rusket,
         'mlxtend': Mlxtend, 'efficient-apriori': EfficientApriori, 'lcm': Lcm}


def main():
    name, file, limit = sys.argv[1:]
    peer = PEERS[name](file)
    gc.disable()                        # looks through all rules again and again; pyfim takes five times as long with it
    for line in sys.stdin:
        request, *words = line.rstrip('\n').split('\t')
        start = time.process_time()
        resource.setrlimit(resource.RLIMIT_CPU, (int(start + float(limit)) + 1, resource.RLIM_INFINITY))
        found = getattr(peer, request)(*words)
        seconds = time.process_time() - start
        print('%.6f\t%d %d' % (seconds, *found()), flush=True)


main()
