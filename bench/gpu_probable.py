"""Probable itemsets on a GPU, from a table to rows, beside the CPU engine.

The data, thresholds and probabilities are those of probable-lines.tsv.  The
probabilities themselves are drawn by the server, so that counts differ a little from
those that are there; the CPU engine's are what the others' must be.
"""

import gpu
import gpu_sql
import probable

CALLS = ['gpu', 'cpu', 'gpu fft', 'gpu fft_loop', 'cpu fft']
WORKERS = '-1'                  # a process of the CPU engine for each core
WANTED = 3                      # times what reading and emitting take

# Of the distributions in probable-lines.tsv; normal ones by Box and Muller.
UNIFORM = 'random()'
NORMAL = ('least(1, greatest(1e-9, %s + sqrt(%s * -2 * ln(1 - random())) * '
          'cos(2 * pi() * random())))')


def expression(distribution):
    """SQL that draws a probability of "uniform" or "normal:MEAN:VARIANCE"."""
    name, *numbers = distribution.split(':')
    return NORMAL % tuple(numbers) if name == 'normal' else UNIFORM


def lines(options):
    """(line, its file): values and decisions of each line without a limit to lengths."""
    for line, file in probable.lines(options.only):
        for mode in ('values', 'decide') if not line.max_length else ():
            yield gpu.Line('%s, %s' % (line.data, line.probabilities), line.source, line.minsup,
                           line.minprob, mode, '', WORKERS, ''), file


def fill(session, line):
    """The table with a line's transactions and their probabilities."""
    session.run('DROP TABLE IF EXISTS uncertain')
    session.run('SET max_parallel_workers_per_gather = 0')
    session.run('SELECT setseed(0.5)')
    session.run('CREATE UNLOGGED TABLE uncertain AS SELECT items, %s::float8 AS p FROM baskets'
                % expression(line.data.split(', ')[1]))
    session.run('VACUUM (ANALYZE) uncertain')
    session.run('RESET max_parallel_workers_per_gather')


def rows_of(engine, results, line, baskets):
    """What the calls of an engine took, with what the GPU should take at most."""
    whole = engine.row(results, 'probable', line)
    if not engine.last_run:
        return [whole]
    phases = gpu_sql.phase_rows(results, 'probable', line, engine.name, baskets, engine.last_run, {})
    if engine.name == 'gpu':
        outside = sum(float(row['seconds']) for row in phases if row['phase'] in ('read', 'emit'))
        whole['wanted'] = '%.4g' % (WANTED * outside)
    return [whole] + phases


def measure(cluster, session, options, results):
    filled = None
    for line, baskets in gpu_sql.each_line(cluster, session, lines(options)):
        if filled != line.data:
            fill(session, line)
            filled = line.data
        for engine in gpu_sql.call_in_turns(session, options, line, CALLS):
            rows = rows_of(engine, results, line, baskets)
            gpu.tell(rows)
            results.add(rows)


def probable_itemsets(options, results):
    """Section probable."""
    gpu_sql.on_server('probable', options, results, measure)
