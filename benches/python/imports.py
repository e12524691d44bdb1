"""The time to import a package, including NumPy.

usage: imports.py PACKAGE
"""

import json
import sys
import time

started = time.perf_counter()
__import__(sys.argv[1])
print(json.dumps({"seconds": time.perf_counter() - started}))
