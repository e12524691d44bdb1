"""The time to import a package, NumPy included, and to use something of it.

usage: imports.py PACKAGE [NAME]
"""

import json
import sys
import time

started = time.perf_counter()
package = __import__(sys.argv[1])
for name in sys.argv[2:]:
    # nnz imports most of itself when a name is used.
    getattr(package, name)
print(json.dumps({"seconds": time.perf_counter() - started}))
