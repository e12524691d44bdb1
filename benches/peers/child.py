#!/usr/bin/env python3
"""Runs a command in a separate process; prints its result as a line of JSON after its output.

usage: child.py COMMAND ARGUMENT...
`peak_rss` is at least that of this interpreter, about 10 MB, as a process inherits it.
"""
import os
import sys
import time

started = time.perf_counter()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
wall = time.perf_counter() - started
peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(
    f'{{"wall": {wall}, "cpu": {usage.ru_utime + usage.ru_stime}, "peak_rss": {peak}, '
    f'"status": {os.waitstatus_to_exitcode(status)}}}'
)
