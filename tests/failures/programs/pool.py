"""A worker of a multiprocessing pool fails; the parent raises the remote traceback again."""

import multiprocessing


def parse(row: str) -> float:
    return float(row)


if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        pool.map(parse, ["1.5", "2.5", "--"])
