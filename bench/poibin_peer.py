"""pApriori with the package fast-poibin as a peer, in a process of its own.

    poibin_peer.py FILE MINSUP MINPROB MAX_LENGTH

A line of the file is a transaction: its probability, then its items.  It is read
into a numpy matrix before anything is timed.  Then, for each line that comes
in, all probable itemsets are mined once and "seconds count" goes out, in
seconds of processor time.

The search is pApriori's (Sun, Cheng, Cheung and Cheung, KDD 2010): level by
level, with pruning by the number of transactions and by Chernoff's bound.  The
package makes the distribution of support, by direct convolution and FFT.
"""

import math
import sys
import time

import numpy
from fast_poibin import PoiBin


def read(path):
    """(probabilities, {item: boolean vector of the transactions that hold it})"""
    probabilities = []
    transactions = {}
    with open(path) as lines:
        for at, line in enumerate(lines):
            probability, *items = line.split()
            probabilities.append(float(probability))
            for item in items:
                transactions.setdefault(int(item), []).append(at)
    vectors = {}
    for item, ones in transactions.items():
        vectors[item] = numpy.zeros(len(probabilities), dtype=bool)
        vectors[item][ones] = True
    return numpy.array(probabilities), vectors


def is_far(mean, minsup, minprob):
    """Lemma 3: is the tail below minprob by Chernoff's bound?"""
    delta = (minsup - mean - 1) / mean
    if delta <= 0:
        return False
    if delta >= 2 * math.e - 1:
        return -delta * mean * math.log(2) < math.log(minprob)
    return -delta * delta * mean / 4 < math.log(minprob)


def is_probable(present, minsup, minprob):
    """present: the probabilities of the transactions that hold the itemset."""
    if len(present) < minsup or is_far(present.sum(), minsup, minprob):
        return False
    return PoiBin(present).pmf[minsup:].sum() >= minprob


def join(level):
    """Candidates of the next level, with the two itemsets that each is joined from."""
    itemsets = sorted(level)
    for i, one in enumerate(itemsets):
        for other in itemsets[i + 1:]:
            if one[:-1] != other[:-1]:
                break
            candidate = one + other[-1:]
            if all(candidate[:k] + candidate[k + 1:] in level for k in range(len(candidate))):
                yield candidate, one, other


def mine(probabilities, vectors, minsup, minprob, max_length):
    """How many probable itemsets there are."""
    level = {(item,): vector for item, vector in vectors.items()
             if is_probable(probabilities[vector], minsup, minprob)}
    count = len(level)
    length = 1
    while level and length < max_length:
        following = {}
        for candidate, one, other in join(level):
            both = level[one] & level[other]
            if is_probable(probabilities[both], minsup, minprob):
                following[candidate] = both
        level = following
        count += len(level)
        length += 1
    return count


def main():
    path, minsup, minprob, max_length = sys.argv[1:]
    probabilities, vectors = read(path)
    # what is compiled when it is first used
    PoiBin(probabilities[:4096]).pmf.sum()
    print('ready', flush=True)
    for _ in sys.stdin:
        start = time.process_time()
        count = mine(probabilities, vectors, int(minsup), float(minprob), float(max_length))
        print('%.6f %d' % (time.process_time() - start, count), flush=True)


main()
