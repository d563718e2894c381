"""How well kb reads logs that others labelled, beside the figures of other tools on the same data.

    python bench/datasets.py [--data FOLDER] [--only NAME] [--write]

The data are not part of kb; a data set that is not in FOLDER is left out with a line that says so. `--write` puts the
tables into README.md between its markers.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).parent))

import data_bugswarm
import data_cases
import data_ci
import data_clusterfuzz
import data_elastic
import data_loghub
import data_pytorch
import data_thefuck
from result_table import markdown

README = Path(__file__).with_name("README.md")
BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
SETS: dict[str, ModuleType] = {
    "ci": data_ci,
    "pytorch": data_pytorch,
    "bugswarm": data_bugswarm,
    "clusterfuzz": data_clusterfuzz,
    "elastic": data_elastic,
    "loghub": data_loghub,
    "thefuck": data_thefuck,
    "cases": data_cases,
}
_BEGIN, _END = "<!-- datasets: begin -->\n", "<!-- datasets: end -->\n"


def tables(data: Path, names: list[str]) -> list[str]:
    """The lines of all tables; a data set that is not in `data` is named on standard error and left out."""
    lines: list[str] = []
    for name in names:
        folder = data / SETS[name].FOLDER
        if not folder.is_dir():
            print(f"{name}: skipped, there is no {folder}", file=sys.stderr)
            continue
        lines += markdown(SETS[name].measure(folder))
    return lines


def write(lines: list[str]) -> None:
    """Put `lines` between the markers of README.md."""
    before, _, rest = README.read_text("utf-8").partition(_BEGIN)
    _, _, after = rest.partition(_END)
    README.write_text(before + _BEGIN + "\n" + "\n".join(lines) + _END + after, "utf-8")


def main() -> int:
    """Print the tables; exit status 1 when no data set was found."""
    parser = argparse.ArgumentParser(description="Measure kb on labelled logs.")
    parser.add_argument("--data", type=Path, default=BESIDE, help="folder of the data sets (default: %(default)s)")
    parser.add_argument("--only", choices=sorted(SETS), action="append", help="this data set only; may be repeated")
    parser.add_argument("--write", action="store_true", help="put the tables into README.md")
    options = parser.parse_args()
    lines = tables(options.data, options.only or list(SETS))
    print("\n".join(lines))
    if options.write and lines and not options.only:
        write(lines)
    return 0 if lines else 1


if __name__ == "__main__":
    sys.exit(main())
