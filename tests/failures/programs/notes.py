"""An exception with notes (3.11 and later)."""

try:
    int("n/a")
except ValueError as error:
    error.add_note("while reading column 'latency'")
    error.add_note("row 17 of metrics.csv")
    raise
