#!/usr/bin/env python3
"""Make fisher_references.h: Fisher's exact test for tables of all sizes, to 25 digits.

    fisher_references.py > fisher_references.h

Needs mpmath.  Nothing here is done as in src/engine/rules/fisher.c.  Up to EXACT transactions a
probability is a quotient of whole numbers, added up over all supports.  Beyond, the probability of the
likeliest support comes from logarithms of gamma functions in 60 digits, and the others' from it
by quotients of whole numbers in 400 bits, until nothing changes.
"""

import math
import random

import mpmath

EXACT = 20000
BITS = 400

mpmath.mp.dps = 60

# Logarithms nearer to 0 than this are given as 0.
LEAST = mpmath.mpf("1e-290")


def side(start, stop, step, quotient):
    """The sum of the terms from start to stop, whose first one is 1, in units of 2^-BITS."""
    term = total = 1 << BITS
    while start != stop and term > 0:
        top, bottom = quotient(start)
        term = term * top // bottom
        total += term
        start += step
    return total


def exact(support, antecedent, consequent, transactions):
    low = max(0, antecedent + consequent - transactions)
    high = min(antecedent, consequent)

    def ways(at):
        return math.comb(consequent, at) * math.comb(transactions - consequent, antecedent - at)

    everything = math.comb(transactions, antecedent)
    below = sum(ways(at) for at in range(low, support))
    above = sum(ways(at) for at in range(support, high + 1))
    assert below + above == everything
    if below < above:
        return mpmath.log1p(-mpmath.mpf(below) / everything)
    return mpmath.log(mpmath.mpf(above) / everything)


def from_mode(support, antecedent, consequent, transactions):
    low = max(0, antecedent + consequent - transactions)
    high = min(antecedent, consequent)
    mode = (antecedent + 1) * (consequent + 1) // (transactions + 2)
    neither = transactions - antecedent - consequent

    def choose(n, k):
        return mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)

    def term(at):
        return choose(consequent, at) + choose(transactions - consequent, antecedent - at) - choose(transactions, antecedent)

    def up(at):
        return (antecedent - at) * (consequent - at), (at + 1) * (neither + at + 1)

    def down(at):
        return at * (neither + at), (antecedent - at + 1) * (consequent - at + 1)

    unit = mpmath.mpf(2) ** -BITS
    if support > mode:
        return term(support) + mpmath.log(side(support, high, 1, up) * unit)
    if support == low:
        return mpmath.mpf(0)
    below = mpmath.exp(term(support - 1)) * side(support - 1, low, -1, down) * unit
    return mpmath.log1p(-below)


def spread(antecedent, consequent, transactions):
    a, c, n = antecedent, consequent, transactions
    return math.sqrt(a * c / n * (n - a) / n * (n - c) / n)


def supports(rng, antecedent, consequent, transactions):
    """Supports that are worth a look: the ends, about the mean, and far from it on both sides."""
    low = max(0, antecedent + consequent - transactions)
    high = min(antecedent, consequent)
    mean = antecedent * consequent / transactions
    sigma = spread(antecedent, consequent, transactions)
    wanted = {low + 1, high, math.floor(mean), math.floor(mean) + 1}
    for times in (rng.uniform(0, 3), rng.uniform(3, 12), rng.uniform(12, 40)):
        wanted |= {round(mean + times * sigma), round(mean - times * sigma)}
    wanted.add(rng.randint(low, high))
    return sorted(at for at in wanted if low < at <= high)


def tables(rng):
    yield 1, 1, 2
    yield 1, 2**31 - 1, 2**31
    yield 2**30, 2**30, 2**31
    yield 2**31 - 5, 2**31 - 7, 2**31
    yield 2**31 // 3, 12345, 2**31
    for transactions in (7, 40, 300, 1000, 8124, 19000, 88162, 990002, 10**7, 2**31 - 1):
        for _ in range(4):
            antecedent = min(transactions - 1, max(1, round(transactions ** rng.uniform(0.2, 1))))
            consequent = min(transactions - 1, max(1, round(transactions ** rng.uniform(0.5, 1))))
            yield antecedent, consequent, transactions
    # The terms are about as wide as where fisher.c begins to integrate.
    for transactions in (30000, 100000, 2**31):
        for variance in (2300, 2490, 2510, 2700):
            yield transactions // 2, min(transactions // 2, round(2 * variance * (1 + 2 * variance / transactions))), transactions
    yield 2**52, 20000, 2**53
    yield 10**10, 10**9, 2**53
    yield 10**12, 123456789, 2**53


def main():
    rng = random.Random(35)
    print("/* Made by fisher_references.py: support, antecedent, consequent, transactions, logarithm. */")
    for antecedent, consequent, transactions in tables(rng):
        for support in supports(rng, antecedent, consequent, transactions):
            of = exact if transactions <= EXACT else from_mode
            log = of(support, antecedent, consequent, transactions)
            if transactions <= 1000:
                assert abs(from_mode(support, antecedent, consequent, transactions) / log - 1) < mpmath.mpf(10) ** -40
            if log > -LEAST:
                log = mpmath.mpf(0)
            print(f"{{{support}, {antecedent}, {consequent}, {transactions}, {mpmath.nstr(log, 25)}L}},")


main()
