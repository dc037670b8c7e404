#!/usr/bin/env python3
"""Mines the demo's baskets, and a small table, with gpufim and with other programs, and compares the rules:

    elsewhere.py [--spark PYTHON] [--r-library FOLDER]

Of other programs there are mlxtend, efficient-apriori, pyfim and rusket (installed by pip, see
python_env.py), and where they can be used, Spark, through a Python that has pyspark, and R's arules.
What differs in the definitions is said on doc/coming-from.md; here each program is called so that nothing should.
"""

import argparse
import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile

import python_env
import server

PACKAGES = {'mlxtend': 'mlxtend', 'efficient_apriori': 'efficient-apriori', 'fim': 'pyfim', 'rusket': 'rusket', 'pyarrow': 'pyarrow'}    # rusket needs pyarrow

SMALL = """(VALUES (1, 'beer'), (1, 'diapers'), (1, 'chips'), (2, 'beer'), (2, 'diapers'), (3, 'beer'), (3, 'diapers'),
    (4, 'beer'), (4, 'chips'), (5, 'beer'), (6, 'beer'), (6, 'diapers'), (6, 'chips'), (7, 'beer'), (7, 'diapers'))"""
# name, table of transactions, minsup, minconf
SOURCES = (('small', "SELECT array_agg(column2) AS items FROM %s AS v GROUP BY column1" % SMALL, 0.25, 0.5),
           ('demo', 'SELECT items FROM baskets', 0.005, 0.3))

RULES = """SELECT json_build_object(
    'baskets', (SELECT json_agg(items) FROM (%(source)s) AS b),
    'rules', (SELECT json_agg(json_build_array(antecedent, consequent, support, confidence, lift))
              FROM association_rules($$(%(source)s)$$, 'items', %(minsup)s, %(minconf)s, max_consequent => NULL)))"""


def ours():
    """What gpufim says of each source: the baskets and the rules."""
    return {name: json.loads(answer) for name, answer in server.demo_answers(
        {name: RULES % {'source': source, 'minsup': minsup, 'minconf': minconf} for name, source, minsup, minconf in SOURCES}).items()}


def as_rules(rows):
    return {(frozenset(a), frozenset(c)): (int(support), confidence, lift) for a, c, support, confidence, lift in rows}


# Each returns rows of antecedent, consequent, number of transactions, confidence and lift.

def mlxtend(baskets, minsup, minconf, peer='mlxtend'):
    import pandas
    from mlxtend.preprocessing import TransactionEncoder
    if peer == 'mlxtend':
        from mlxtend.frequent_patterns import fpgrowth, association_rules
    else:
        from rusket import fpgrowth, association_rules
    encoder = TransactionEncoder()
    table = pandas.DataFrame(encoder.fit(baskets).transform(baskets), columns=encoder.columns_)
    itemsets = fpgrowth(table, min_support=minsup, use_colnames=True)
    rules = association_rules(itemsets, num_itemsets=len(baskets), metric='confidence', min_threshold=minconf)
    return [(r['antecedents'], r['consequents'], round(r['support'] * len(baskets)), r['confidence'], r['lift'])
            for _, r in rules.iterrows()]


def rusket(baskets, minsup, minconf):
    return mlxtend(baskets, minsup, minconf, 'rusket')


def efficient_apriori(baskets, minsup, minconf):
    from efficient_apriori import apriori
    _, rules = apriori([tuple(b) for b in baskets], min_support=minsup, min_confidence=minconf, max_length=100)
    return [(r.lhs, r.rhs, r.count_full, r.confidence, r.lift) for r in rules]


def pyfim(baskets, minsup, minconf):
    import fim
    return [(body, [head], count, confidence, lift) for head, body, count, confidence, lift in
            fim.apriori(baskets, target='r', supp=100 * minsup, conf=100 * minconf, zmin=2, report='acl', mode='o')]


SPARK = """
import json, sys
from pyspark.sql import SparkSession
from pyspark.ml.fpm import FPGrowth
given = json.load(sys.stdin)
spark = SparkSession.builder.master('local[1]').config('spark.ui.enabled', 'false').getOrCreate()
table = spark.createDataFrame([(b,) for b in given['baskets']], 'items array<string>')
model = FPGrowth(itemsCol='items', minSupport=given['minsup'], minConfidence=given['minconf']).fit(table)
rules = [(r.antecedent, r.consequent, round(r.support * len(given['baskets'])), r.confidence, r.lift) for r in model.associationRules.collect()]
print('answer' + json.dumps([spark.version, rules]))
"""


# An item twice in a basket is an error in Spark, and its recursion needs more stack than Java gives it.
def spark(python, baskets, minsup, minconf):
    baskets = [sorted(set(basket)) for basket in baskets]
    output = subprocess.run([python, '-c', SPARK], input=json.dumps({'baskets': baskets, 'minsup': minsup, 'minconf': minconf}),
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True,
                            env=dict(os.environ, PYSPARK_SUBMIT_ARGS='--driver-java-options -Xss256m pyspark-shell')).stdout
    return json.loads(output.split('answer', 1)[1])


# Items go to R as numbers, so that no name needs quoting.
ARULES = """
library(methods); suppressMessages(library(arules))
given <- commandArgs(TRUE)
lines <- readLines(given[1])
baskets <- as(lapply(strsplit(lines, " "), as.character), "transactions")
rules <- apriori(baskets, parameter = list(supp = as.numeric(given[2]), conf = as.numeric(given[3]), minlen = 2, maxlen = 100),
                 control = list(verbose = FALSE))
cat("version", as.character(packageVersion("arules")), "\\n")
for (i in seq_along(rules)) { q <- quality(rules)[i, ]
    cat(paste(LIST(lhs(rules))[[i]], collapse = " "), ">", LIST(rhs(rules))[[i]], ">", q$count, sprintf("%.15g", q$confidence), sprintf("%.15g", q$lift), "\\n") }
"""


def arules(library, baskets, minsup, minconf):
    names = sorted({item for basket in baskets for item in basket})
    number = {name: str(i) for i, name in enumerate(names)}
    with tempfile.NamedTemporaryFile('w', suffix='.txt') as file:
        file.writelines(' '.join(number[item] for item in basket) + '\n' for basket in baskets)
        file.flush()
        lines = subprocess.run(['Rscript', '-e', ARULES, file.name, str(minsup), str(minconf)], stdout=subprocess.PIPE, text=True,
                               check=True, env=dict(os.environ, R_LIBS=library)).stdout.splitlines()
    rules = []
    for line in lines[1:]:
        lhs, rhs, measures = line.split(' > ')
        count, confidence, lift = measures.split()
        rules.append(([names[int(i)] for i in lhs.split()], [names[int(rhs)]], count, float(confidence), float(lift)))
    return lines[0].split()[1], rules


def compare(name, program, expected, found):
    """Say whether the rules of a program are ours, and how far measures are apart."""
    found = as_rules(found)
    if all(len(c) == 1 for _, c in found):
        expected = {rule: numbers for rule, numbers in expected.items() if len(rule[1]) == 1}
    both = expected.keys() & found.keys()
    apart = max((abs(x - y) / abs(x) for rule in both for x, y in zip(expected[rule], found[rule])), default=0)
    print('%-6s %-24s %5d rules, %d only of gpufim, %d only of the other; numbers differ by %.0e at most' %
          (name, program, len(found), len(expected.keys() - both), len(found.keys() - both), apart), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--spark', help='a Python that has pyspark')
    parser.add_argument('--r-library', default='', help='a folder of R packages that has arules')
    options = parser.parse_args()
    for module, package in PACKAGES.items():
        python, why = python_env.find(module, package)
        if python is None:
            sys.exit(why)
        if python != sys.executable:
            os.execv(python, [python] + sys.argv)
    answers = ours()
    for name, _, minsup, minconf in SOURCES:
        baskets = [basket or [] for basket in answers[name]['baskets']]
        expected = as_rules(answers[name]['rules'])
        for peer, package in zip((mlxtend, efficient_apriori, pyfim, rusket), PACKAGES.values()):
            compare(name, '%s %s' % (package, importlib.metadata.version(package)), expected, peer(baskets, minsup, minconf))
        if options.spark:
            version, rules = spark(options.spark, baskets, minsup, minconf)
            compare(name, 'Spark ' + version, expected, rules)
        if options.r_library:
            version, rules = arules(options.r_library, baskets, minsup, minconf)
            compare(name, 'arules ' + version, expected, rules)


if __name__ == '__main__':
    main()
