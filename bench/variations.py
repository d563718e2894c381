"""Whether an id stays when what varies is varied, and changes when what carries meaning is.

    python bench/variations.py [--logs FOLDER] [--only WORD] [--list]

Every golden log with a failure is rewritten in each way that applies to it. `same`: other machines, times, folders,
lines, versions, wrappers; right is the same id of the primary failure. `other`: another name, code or kind of thing in
the first line of its message, or another type; right is another id, or none. What stands in advice behind the first
sentence, and types that are not printed as they are named, may rightly change nothing.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

from golden_logs import logs, options, primary

from kb.capture.redaction.redactor import Redactor
from kb.failures.model import Failure
from kb.signature.sign import sign

Rewrite = Callable[[str], str]
_SOURCES = "py|js|ts|java|go|rs|c|cc|cpp|cu|h|rb|php|kt|ex|cs|scala|swift|pl"
_FRAME = r'(?m)^(\s*File "'


def put(pattern: str, replacement: str | Callable[[re.Match[str]], str]) -> Rewrite:
    """Every match of `pattern` replaced."""
    expression = re.compile(pattern)
    return lambda text: expression.sub(replacement, text)


def turned(match: re.Match[str]) -> str:
    """The match with its digits and its letters of hexadecimal numbers turned into other ones."""
    return match[0].translate(str.maketrans("123456789abcdef", "912345678fabcde"))


def further(group: int, by: int = 17) -> Callable[[re.Match[str]], str]:
    """The match with the number in `group` raised."""
    return lambda match: (
        match[0][: match.start(group) - match.start()]
        + str(int(match[group]) + by)
        + match[0][match.end(group) - match.start() :]
    )


def each(rewrite: Callable[[int, str], str]) -> Rewrite:
    """Every line rewritten by its index."""
    return lambda text: "\n".join(rewrite(index, line) for index, line in enumerate(text.split("\n")))


def behind(*lines: str) -> Rewrite:
    """`lines` after the log."""
    return lambda text: "\n".join([text.rstrip("\n"), *lines, ""])


def swapped(words: dict[str, str]) -> Rewrite:
    """Each of `words` replaced by another one."""
    return put(r"\b(?:" + "|".join(map(re.escape, words)) + r")\b", lambda match: words[match[0]])


CALLED = (
    "Traceback (most recent call last):",
    '  File "/srv/ci/run.py", line 8, in <module>',
    "    subprocess.run(command, check=True)",
    '  File "/usr/lib/python3.12/subprocess.py", line 571, in run',
    "    raise CalledProcessError(retcode, process.args,",
    "subprocess.CalledProcessError: Command '['bash', 'job.sh']' returned non-zero exit status 1.",
)

SAME: dict[str, Rewrite] = {
    "addresses": put(r"\b0x[0-9a-f]{4,16}\b", turned),
    "ids and hashes": put(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=\w*\d)[0-9a-f]{32,64}\b", turned),
    "process ids": put(r"(?:\bpid[=: ]{1,2}|\bPID[=: ]{1,2})(\d{1,7})\b", further(1, 31)),
    "times": put(r"\b20[12]\d-(?=\d\d-\d\d)", "2027-"),
    "hosts": put(r"(?<![\w.])(?:10|172|192)(?:\.\d{1,3}){2}\.(\d{1,2})(?![\w.])", further(1, 100)),
    "ranks": put(r"\b[Rr]ank ?(\d)\b", further(1, 2)),
    "sizes": put(r"(?<![\w.])\d+(?:\.\d+)?(?= ?(?:[KMG]i?B|bytes)\b)", turned),
    "line numbers": put(
        rf'File "[^"\n]+", line (\d+)|\.(?:{_SOURCES}):(\d{{1,5}})\b', lambda m: further(m.lastindex or 1)(m)
    ),
    "home folders": put(r"/(?:home|Users)/[\w.-]+/", "/mnt/nfs/u17/"),
    "folders": put(r"(?<![\w.])/(?:srv|app|opt|work|workspace|root|build|data|tmp)/(?=[\w.-]+/)", "/builds/x/y/"),
    "site-packages": put(
        r"/[\w./-]+/lib(?:64)?/python3\.\d+/(?:site|dist)-packages/", "/envs/e/lib/python3.13/site-packages/"
    ),
    "Windows paths": put(r'File "(/[^"\n]+)"', lambda m: 'File "C:' + m[1].replace("/", "\\") + '"'),
    "no folders": put(_FRAME + r')(?:[^"\n]*/)(?=[^"/\n]+")', r"\1"),
    "no sources": put(_FRAME + r'[^"\n]+", line \d+, in [^\n]+\n) {4}[^\n]*\n(?:\s+[~^]+[~^ ]*\n)?', r"\1"),
    "no marks": put(r"(?m)^\s*[~^]+[~^ ]*\n", ""),
    "redacted": lambda text: Redactor().text(text),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "bold types": put(r"(?m)^(\w*(?:Error|Exception))(: .*)$", "\x1b[1;35m\\1\x1b[0m\x1b[35m\\2\x1b[0m"),
    "erased lines": each(lambda _, line: f"\x1b[0K{line}\x1b[0m\x1b[K"),
    "spaces at the ends": each(lambda _, line: f"{line:118}  "),
    "hard spaces": each(lambda _, line: "\xa0" * (len(line) - len(line.lstrip(" "))) + line.lstrip(" ")),
    "other lines before": lambda text: f"INFO starting\nLoading shards: 100%|████| 4/4 [00:03<00:00, 1.2it/s]\n{text}",
    "other lines after": behind("INFO shutting down", "saved state to /var/lib/x", "Bye."),
    "a caller": behind(*CALLED),
    "make": behind("make: *** [Makefile:12: all] Error 1"),
    "yarn": behind("error Command failed with exit code 1."),
    "GitHub": behind("##[error]Process completed with exit code 1."),
    "GitLab": behind("ERROR: Job failed: exit code 1"),
    "Slurm": behind("srun: error: node17: task 0: Exited with exit code 1"),
    "BuildKit": each(lambda index, line: f"#12 {1.2 + index / 10:.3f} {line}"),
}

OTHER: dict[str, Rewrite] = {
    "quoted names": put(r"(?<=['`‘\"])[A-Za-z_]\w{3,40}(?=['`’\"])", lambda match: match[0][:-1] + "zq"),
    "modules": put(r"(?<=No module named ')[\w.]+", lambda match: match[0] + "zq"),
    "symbols": put(r"(?:undefined (?:symbol|reference to)[: `']{1,3})\w{4,}", lambda match: match[0] + "zq"),
    "files": put(r"(?<=/)[\w-]{3,30}(?=\.(?:csv|json|so|txt|ya?ml|bin|h|conf|db)\b)", lambda match: match[0] + "zq"),
    "exit status": put(r"(?i)\bexit(?:ed)?(?: with)?(?: exit)? (?:code|status):? (\d{1,3})\b", further(1, 2)),
    "error numbers": put(r"\[Errno (\d+)\]", further(1, 1)),
    "system errors": swapped(
        {
            "No such file or directory": "Permission denied", "Permission denied": "No such file or directory",
            "Connection refused": "Connection timed out", "Address already in use": "Cannot assign requested address",
            "No space left on device": "Disk quota exceeded", "ENOENT": "EACCES", "ECONNREFUSED": "ETIMEDOUT",
            "EADDRINUSE": "EADDRNOTAVAIL", "ENOSPC": "EDQUOT",
        }
    ),
    "signals": swapped(
        {
            "SIGSEGV": "SIGBUS", "SIGBUS": "SIGSEGV", "SIGABRT": "SIGILL", "SIGKILL": "SIGSEGV", "SIGILL": "SIGFPE",
            "Segmentation fault": "Bus error", "Illegal instruction": "Segmentation fault", "Bus error": "Aborted",
        }
    ),
    "CUDA errors": swapped(
        {
            "illegal memory access": "illegal instruction", "out of memory": "misaligned address",
            "device-side assert triggered": "invalid argument", "invalid device ordinal": "invalid argument",
        }
    ),
    "architectures": put(r"\bsm_(\d{2,3})\b", further(1, 10)),
    "types of numbers": swapped(
        {
            "float16": "bfloat16", "float32": "float64", "bfloat16": "float16", "int64": "int32", "int32": "int64",
            "Half": "BFloat16", "BFloat16": "Half", "Float": "Double", "Double": "Float", "Long": "Int",
        }
    ),
}  # fmt: skip


def in_message(rewrite: Rewrite, text: str, failure: Failure) -> str:
    """`text` with the first line of the failure's message rewritten wherever it stands."""
    first = failure.message.split("\n", 1)[0]
    return text.replace(first, rewrite(first)) if first else text


def other_type(text: str, failure: Failure) -> str:
    """`text` with another exception in place of the failure's."""
    return text.replace(failure.type, f"{failure.type[:-5]}ZqError") if failure.type.endswith("Error") else text


def main() -> int:
    """Print how many ids are right for each way of rewriting; exit status 1 when there are no logs."""
    given = options("Vary golden logs, and see which ids stay.", "id is wrong")
    whole = logs(given.logs, given.only)
    ways: list[tuple[bool, str, Callable[[str, Failure], str]]] = [
        *((True, way, lambda text, _, rewrite=rewrite: rewrite(text)) for way, rewrite in SAME.items()),
        *(
            (False, way, lambda text, failure, rewrite=rewrite: in_message(rewrite, text, failure))
            for way, rewrite in OTHER.items()
        ),
        (False, "exceptions", other_type),
    ]
    for same, way, rewrite in ways:
        tried, wrong = 0, []
        for log in whole:
            changed = rewrite(log.text, log.failure)
            if changed != log.text:
                tried += 1
                found = primary(changed)
                stays = found is not None and sign(found).id == log.signature
                wrong += [] if stays == same else [log.name]
        print(f"{'same' if same else 'other'}  {way:20} {tried - len(wrong):>4} of {tried}", flush=True)
        if given.list and wrong:
            print("       " + " ".join(wrong))
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
