"""What this machine knows to be secret: values of its environment and of its credential files.

They are only ever held in memory, and are matched literally, so whatever form they have, they are found.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, quote_plus

from kb.private.values import stays

#: Shorter values would be found in words that have nothing to do with them.
SHORTEST = 8

_SECRET_NAME = re.compile(
    r"(?i)(?:token|secret|pass(?:word|wd|phrase)?$|passw|pwd$|api_?key|_key$|^key$|cred|auth|dsn)"
)
_PUBLIC_NAME = re.compile(
    r"(?i)(?:path|file|dir|home|url|uri|host|sock|socket|agent|authority|name|id)$|^(?:ssh_auth_sock|xauthority)$"
)
_URL_PASSWORD = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/:@]*:([^\s/@]+)@")
#: Files of credentials, under the home folder, and what in them is secret.
_FILES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (".netrc", re.compile(r"\bpassword\s+(\S+)")),
    ("_netrc", re.compile(r"\bpassword\s+(\S+)")),
    (".git-credentials", re.compile(r"://[^\s/:@]*:([^\s/@]+)@")),
    (".pgpass", re.compile(r"^(?:[^:\n]*:){4}(.+)$", re.MULTILINE)),
    (".npmrc", re.compile(r"_(?:authToken|auth|password)\s*=\s*\"?([^\s\"]+)")),
    (".pypirc", re.compile(r"^\s*password\s*[=:]\s*(\S+)", re.MULTILINE)),
    (".my.cnf", re.compile(r"^\s*password\s*=\s*\"?([^\s\"]+)", re.MULTILINE)),
    (".aws/credentials", re.compile(r"(?:aws_secret_access_key|aws_session_token)\s*=\s*(\S+)")),
    (".cache/huggingface/token", re.compile(r"(\S+)")),
    (".huggingface/token", re.compile(r"(\S+)")),
    (".docker/config.json", re.compile(r"\"(?:auth|identitytoken|registrytoken)\"\s*:\s*\"([^\"]+)\"")),
    (".config/gh/hosts.yml", re.compile(r"oauth_token:\s*(\S+)")),
    (".config/glab-cli/config.yml", re.compile(r"token:\s*(\S+)")),
    (".kube/config", re.compile(r"(?:token|password|client-key-data):\s*\"?([^\s\"]+)")),
    (".kaggle/kaggle.json", re.compile(r"\"key\"\s*:\s*\"([^\"]+)\"")),
    (".config/rclone/rclone.conf", re.compile(r"^\s*(?:pass|token|secret_access_key)\s*=\s*(\S+)", re.MULTILINE)),
    (".cargo/credentials.toml", re.compile(r"token\s*=\s*\"([^\"]+)\"")),
    (".vault-token", re.compile(r"(\S+)")),
    (".terraform.d/credentials.tfrc.json", re.compile(r"\"token\"\s*:\s*\"([^\"]+)\"")),
)
_LARGEST_FILE = 1 << 20


def machine_secrets(environment: Mapping[str, str] | None = None, home: Path | None = None) -> frozenset[str]:
    """The secret values that the environment and the credential files under `home` hold; never an error.

    Defaults are this process's own. Files that are missing, unreadable or large are passed over.
    """
    environment = os.environ if environment is None else environment
    found = set(_of_environment(environment))
    with suppress(RuntimeError):  # no home folder is known
        found.update(_of_files(home if home is not None else Path.home()))
    return frozenset(value for value in found if is_fit(value))


def is_fit(value: str) -> bool:
    """Whether `value` may be matched literally: long enough, and no word or path that stands everywhere."""
    return (
        len(value) >= SHORTEST
        and "\n" not in value
        and not stays(value.encode("utf-8", "surrogatepass"))
        and not (value.isalpha() and value.islower() and len(value) < 2 * SHORTEST)
    )


def _of_environment(environment: Mapping[str, str]) -> Iterator[str]:
    for name, value in environment.items():
        if _SECRET_NAME.search(name) and not _PUBLIC_NAME.search(name):
            yield value
        yield from _URL_PASSWORD.findall(value)


def _of_files(home: Path) -> Iterator[str]:
    for name, expression in _FILES:
        path = home / name
        try:
            if not path.is_file() or path.stat().st_size > _LARGEST_FILE:
                continue
            text = path.read_text("utf-8", "replace")
        except OSError:
            continue
        yield from expression.findall(text)


def forms(values: Iterable[str]) -> list[bytes]:
    """Each value as it may be printed (as it is, quoted for URLs and JSON, in base64), the longest first."""
    found: set[bytes] = set()
    for value in values:
        raw = value.encode("utf-8", "surrogatepass")
        found.update((raw, quote(raw, safe="").encode(), quote_plus(raw).encode()))
        found.add(json.dumps(value)[1:-1].encode())
        found.update(_encoded(raw))
    return sorted((form for form in found if len(form) >= SHORTEST), key=len, reverse=True)


def _encoded(raw: bytes) -> Iterator[bytes]:
    """The characters of base64 that only `raw` decides, at each of the three places it can have in a longer text."""
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + raw)
        first = (0, 2, 3)[shift]
        last = len(coded.rstrip(b"="))
        if (shift + len(raw)) % 3:
            last -= 1
        for text in (coded[first:last], coded[first:last].translate(bytes.maketrans(b"+/", b"-_"))):
            if len(text) >= SHORTEST + 2:
                yield text
