"""Finds a Python that has what the standard library lacks: pyfim, matplotlib.

The running interpreter is taken if it has the module; else a virtual
environment under bench/out/, into which pip installs it once.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.join(HERE, 'out', 'venv')


def has(python, module):
    return subprocess.run([python, '-c', 'import ' + module], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def find(module, package, install=True):
    """(interpreter, None) or (None, why there is none); both may be several words, as after import and pip install."""
    python = os.path.join(VENV, 'bin', 'python')
    for candidate in (sys.executable, python):
        if os.path.exists(candidate) and has(candidate, module):
            return candidate, None
    if not install:
        return None, '%s is not installed' % package
    print('installing %s into %s' % (package, os.path.relpath(VENV)), flush=True)
    log = os.path.join(HERE, 'out', 'pip-%s.log' % package)
    os.makedirs(os.path.dirname(log), exist_ok=True)
    with open(log, 'w') as out:
        for command in ([sys.executable, '-m', 'venv', VENV],
                        [python, '-m', 'pip', 'install', '--quiet', *package.split()]):
            try:
                status = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT).returncode
            except OSError as error:
                status = error
            if status != 0:
                return None, '%s could not be installed, see %s' % (package, os.path.relpath(log))
    return (python, None) if has(python, module) else (None, '%s cannot be imported' % module)
