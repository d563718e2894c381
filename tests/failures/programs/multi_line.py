"""A message of several lines, the first of which only announces the others."""


class M:
    def load_state_dict(self, given: dict[str, int]) -> None:
        missing = [k for k in ("embed.weight", "head.weight") if k not in given]
        raise RuntimeError("Error(s) in loading state_dict for M:\n\t" + f"Missing key(s) in state_dict: {missing}. ")


M().load_state_dict({})
