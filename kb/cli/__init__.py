"""The commands, one module each, and the one place that catches and prints errors."""

import gc

# Start-up makes many objects that live to the end, click's first: looking for garbage among them is a tenth of it.
gc.set_threshold(50_000, 20, 20)
