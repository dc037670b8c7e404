"""DuckDB or SuiteSparse:GraphBLAS for sets.py, on one core.

    sets_peer.py duckdb|graphblas

Reads requests from its standard input, tab-separated, one a line, and answers each with the
processor seconds that it took and the number of results:

    load TABLE FILE         edges, two numbers a line; lines that begin with # are left out
    query SQL               DuckDB: its only value
    product|transposed existence|counting TIMES
                            GraphBLAS: A*A or A*At of what was loaded last, the quickest of so many
"""

import os
import sys
import time

os.environ['OMP_NUM_THREADS'] = '1'


def edges(file):
    with open(file) as lines:
        for line in lines:
            if not line.startswith('#'):
                yield [int(word) for word in line.split()[:2]]


def best_of(times, do):
    """The fewest processor seconds of doing something so many times, and its result."""
    best = float('inf')
    for _ in range(int(times)):
        start = time.process_time()
        result = do()
        best = min(best, time.process_time() - start)
    return best, result


class DuckDB:
    def __init__(self):
        import duckdb
        self.connection = duckdb.connect()
        self.connection.execute('SET threads = 1')

    def load(self, table, file):
        self.connection.execute('CREATE OR REPLACE TABLE %s (a int, b int)' % table)
        copy = file + '.csv'
        with open(copy, 'w') as out:
            out.writelines('%d,%d\n' % tuple(edge) for edge in edges(file))
        self.connection.execute("COPY %s FROM '%s' (HEADER false)" % (table, copy))
        os.unlink(copy)
        return 0, 0

    def query(self, statement):
        return best_of(1, lambda: self.connection.execute(statement).fetchall()[0][0])


class GraphBLAS:
    def __init__(self):
        import graphblas
        self.graphblas = graphblas
        self.matrix = None

    def load(self, table, file):
        rows, columns = zip(*edges(file))
        size = max(max(rows), max(columns)) + 1
        self.matrix = self.graphblas.Matrix.from_coo(rows, columns, True, nrows=size, ncols=size,
                                                     dtype=bool)
        self.matrix.T.new()
        return 0, 0

    def multiply(self, right, what):
        semiring = (self.graphblas.semiring.any_pair[bool] if what == 'existence' else
                    self.graphblas.semiring.plus_pair['UINT32'])
        return semiring(self.matrix @ right).new().nvals

    def product(self, what, times):
        return best_of(times, lambda: self.multiply(self.matrix, what))

    def transposed(self, what, times):
        return best_of(times, lambda: self.multiply(self.matrix.T, what))


def main():
    peer = {'duckdb': DuckDB, 'graphblas': GraphBLAS}[sys.argv[1]]()
    for line in sys.stdin:
        request, *words = line.rstrip('\n').split('\t')
        print('%.6f\t%s' % getattr(peer, request)(*words), flush=True)


main()
