"""An exception group with a nested group and a member that was never raised."""


def fetch(name: str) -> None:
    raise TimeoutError(f"no answer from {name}")


def gather() -> None:
    errors: list[Exception] = []
    for name in ("eu-1", "us-2"):
        try:
            fetch(name)
        except TimeoutError as error:
            errors.append(error)
    raise ExceptionGroup("two shards", [*errors, ExceptionGroup("inner", [LookupError("never raised")])])


gather()
