"""What the results were measured on."""

import os
import platform
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def processor():
    try:
        with open('/proc/cpuinfo') as cpuinfo:
            for line in cpuinfo:
                if line.startswith('model name'):
                    return line.split(':', 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def caches():
    """L2 and L3 size of the first processor, as Linux says them."""
    sizes = []
    folder = '/sys/devices/system/cpu/cpu0/cache/'
    for index in (2, 3):
        try:
            with open('%sindex%d/size' % (folder, index)) as size:
                sizes.append('L%d %s' % (index, size.read().strip()))
        except OSError:
            pass
    return ', '.join(sizes)


def memory():
    size = os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES')
    return '%.0f GiB' % (size / 2**30)


def revision():
    """The commit measured; "+" after it: with uncommitted changes to code."""
    def git(*arguments):
        return subprocess.run(('git', '-C', HERE + '/..') + arguments, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              universal_newlines=True).stdout.strip()
    try:
        changed = git('status', '--porcelain', '--untracked-files=no', '--', 'src', 'sql', 'Makefile')
        return git('rev-parse', '--short', 'HEAD') + ('+' if changed else '')
    except (OSError, subprocess.CalledProcessError):
        return 'unknown'


def describe():
    """Pairs of (what, value) for the head of a table."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()
    parts = [processor(), '%d cores' % cores, caches(), memory()]
    return [
        ('date', time.strftime('%Y-%m-%d')),
        ('machine', ', '.join(part for part in parts if part)),
        ('system', '%s %s' % (platform.system(), platform.release())),
        ('commit', revision()),
        ('load before', '%.2f' % os.getloadavg()[0]),
    ]
