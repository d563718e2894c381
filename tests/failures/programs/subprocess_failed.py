"""A program starts another, which fails with its own message."""

import subprocess
import sys

subprocess.run([sys.executable, "-c", "import no_such_backend"], check=True)
