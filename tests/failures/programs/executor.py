"""The same with concurrent.futures, wrapped once more by the caller."""

from concurrent.futures import ProcessPoolExecutor


def shard(name: str) -> int:
    return {"a": 1}[name]


if __name__ == "__main__":
    with ProcessPoolExecutor(1) as pool:
        try:
            list(pool.map(shard, ["a", "b"]))
        except KeyError as error:
            raise RuntimeError("sharding failed") from error
