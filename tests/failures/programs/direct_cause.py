"""A chain with `raise … from …`: the cause is the root."""


def read(path: str) -> dict[str, int]:
    return {"width": int(open(path).read())}


def load(path: str) -> dict[str, int]:
    try:
        return read(path)
    except FileNotFoundError as error:
        raise RuntimeError(f"cannot load settings from {path}") from error


load("no-such-settings.json")
