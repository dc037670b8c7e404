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


def cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()


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


def memory_bytes():
    return os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES')


def revision():
    """The commit measured; "+" after it: with uncommitted changes to code."""
    def git(*arguments):
        return subprocess.run(('git', '-C', HERE + '/..') + arguments, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              universal_newlines=True).stdout.strip()
    try:
        changed = git('status', '--porcelain', '--untracked-files=no', '--', 'src', 'cuda', 'sql',
                      'Makefile')
        return git('rev-parse', '--short', 'HEAD') + ('+' if changed else '')
    except (OSError, subprocess.CalledProcessError):
        return 'unknown'


def describe():
    """Pairs of (what, value) for the head of a table."""
    parts = [processor(), '%d cores' % cores(), caches(), '%.0f GiB' % (memory_bytes() / 2**30)]
    return [
        ('date', time.strftime('%Y-%m-%d')),
        ('machine', ', '.join(part for part in parts if part)),
        ('system', '%s %s' % (platform.system(), platform.release())),
        ('commit', revision()),
        ('load before', '%.2f' % os.getloadavg()[0]),
    ]
