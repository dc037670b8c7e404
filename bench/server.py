"""A PostgreSQL with gpufim, and a session on it.

The server is the one that PGHOST names, else a throwaway one of scripts/cluster.
"""

import os
import re
import shlex
import signal
import subprocess
import tempfile
import time

import machine

TIME = re.compile(r'^Time: ([0-9.]+) ms')
END = '-- end of answer --'


class SqlError(Exception):
    pass


class NoServer(Exception):
    pass


# Says where the throwaway server is, and then only waits.
HOLD = 'env | grep "^PG"; echo "PATH=$PATH"; echo ready; exec sleep 86400'


def restart(settings):
    """A shell command: have the server that PGHOST names start with other settings."""
    lines = ' '.join(shlex.quote("%s = '%s'" % setting) for setting in settings.items())
    return ('printf "%%s\\n" %s >>"$(psql -XAtc "SHOW config_file")" && '
            'pg_ctl -D "$(psql -XAtc "SHOW data_directory")" -s -w -l "$PGHOST/server.log" restart'
            % lines)


class Server:
    """Where psql connects to: use as a context.

    A throwaway server has the settings, and gpufim as make builds it with variables.
    """

    def __init__(self, settings=None, **variables):
        self.variables = variables
        self.command = '%s && { %s; }' % (restart(settings), HOLD) if settings else HOLD
        self.cluster = None
        self.environment = dict(os.environ, PGAPPNAME='gpufim bench')

    def __enter__(self):
        if 'PGHOST' not in os.environ:
            self.start()
        return self

    def start(self):
        """Holds a cluster by running something in it that only waits."""
        script = os.path.join(machine.HERE, '..', 'scripts', 'cluster')
        self.cluster = subprocess.Popen(
            [script, 'sh', '-c', self.command],
            env=dict(os.environ, **self.variables), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, universal_newlines=True, start_new_session=True)
        for line in self.cluster.stdout:
            if line == 'ready\n':
                return
            name, equals, value = line.rstrip('\n').partition('=')
            if equals and re.fullmatch('PG[A-Z_]+|PATH', name):
                self.environment[name] = value
        self.cluster.wait()
        raise NoServer('the throwaway server did not start')

    def __exit__(self, *exception):
        if self.cluster is not None:
            self.cluster.send_signal(signal.SIGTERM)
            self.cluster.wait()

    def session(self):
        return Session(self.environment)


class Session:
    """One psql that lives through many statements."""

    def __init__(self, environment):
        self.error_at = None            # when an error was last seen
        self.psql = subprocess.Popen(
            ['psql', '-X', '-q', '-A', '-t', '-F', '\t', '-v', 'VERBOSITY=terse'],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, universal_newlines=True)
        self.run('\\timing on')

    def run(self, statement):
        """(seconds, rows) of a statement or of what psql calls a meta-command."""
        end = '' if statement.startswith('\\') else ';'
        try:
            self.psql.stdin.write('%s%s\n\\echo %s\n' % (statement, end, END))
            self.psql.stdin.flush()
        except BrokenPipeError:
            pass                        # what it says below tells why
        seconds = None
        rows = []
        error = None
        for line in self.psql.stdout:
            line = line.rstrip('\n')
            if line == END:
                break
            if re.match(r'psql: error|(psql:\S* )?(ERROR|FATAL|PANIC):', line):
                error = error or line
                self.error_at = time.monotonic()
            elif TIME.match(line):
                seconds = float(TIME.match(line).group(1)) / 1000
            elif not line.startswith(('NOTICE:', 'WARNING:', 'DETAIL:', 'HINT:', 'LINE ')):
                rows.append(line.split('\t'))
        else:
            error = error or 'the connection was lost'
        if error:
            raise SqlError(error)
        return seconds, rows

    def value(self, statement):
        return self.run(statement)[1][0][0]

    def last_run(self):
        """What gpufim_last_run() says, as a dictionary of texts."""
        columns = ('engine', 'strategy', 'read_ms', 'encode_ms', 'mine_ms', 'emit_ms', 'total_ms',
                   'peak_memory_bytes', 'spilled_bytes', 'workers', 'itemsets',
                   'gpu_transfer_ms', 'gpu_transfer_bytes', 'gpu_build_ms', 'gpu_build_bytes',
                   'gpu_count_ms', 'gpu_count_bits', 'gpu_return_ms', 'gpu_return_bytes')
        row = self.run('SELECT %s FROM gpufim_last_run()' % ', '.join(columns))[1][0]
        return dict(zip(columns, row))

    def close(self):
        self.psql.stdin.close()
        self.psql.wait()


def demo_answers(queries):
    """What a throwaway server with the demo's data says to each of several queries, by their names."""
    mark = 'answer to '
    with tempfile.NamedTemporaryFile('w', suffix='.sql') as script:
        script.write('\\pset tuples_only on\n\\pset format unaligned\n')
        for name, query in queries.items():
            script.write('\\echo %s%s\n%s;\n' % (mark, name, query))
        script.flush()
        os.chmod(script.name, 0o644)
        output = subprocess.run([os.path.join(machine.HERE, '..', 'scripts', 'cluster'), 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1',
                                 '-f', 'demo/load.sql', '-f', script.name], check=True, stdout=subprocess.PIPE, text=True).stdout
    return dict(part.split('\n', 1) for part in ('\n' + output).split('\n' + mark)[1:])
