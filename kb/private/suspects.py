"""The rules that may find something in one short line, told by plain words in it, without the cost of all of them.

Compiling every rule costs more than a whole answer of `kb triage`, and hardly any message holds a secret. So a few
cheap expressions look first for what every rule of a table needs; a test holds them against all that redaction finds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from kb.expressions import late
from kb.private.rules import CONTEXTS, LEFT, PERSONAL, TOKENS, rules

#: One of these stands in every personal value, or right before it.
_PERSONAL = late(
    rb"[A-Za-z0-9]@[A-Za-z0-9]|/(?:home|Users|var/spool|private/var|run/user-name)/|-home-|--Users-"
    rb"|[A-Za-z]:[\\/]{1,4}(?:[Uu][Ss][Ee][Rr][Ss]|[Dd][Oo][Cc][Uu][Mm][Ee][Nn][Tt][Ss] )"
    rb"|\.(?:internal|local|corp|lan|intranet|localdomain|home\.arpa)(?![A-Za-z0-9_])|ip-\d"
    rb"|(?<![0-9.])(?!127\.|0\.)\d{1,3}\.\d{1,3}\.\d{1,3}\.\d"
    rb"|(?:2[0-9A-Fa-f]{3}|f[cdCD][0-9A-Fa-f]{2}|fe80):[0-9A-Fa-f:]|(?:[0-9A-Fa-f]{1,4}:){7}"
)
#: No token is shorter than this run; keys of several lines begin with words.
_TOKEN = late(rb"[A-Za-z0-9_+/=.~%$|:{}-]{15}|PRIVATE KEY|Private-Lines: |SSH2 ENC|[Ss][Ss][Ww][Ss][ \t]")
#: What a token without a fixed beginning looks like.
_DRAWN = late(
    rb"\d[A-Za-z0-9_-]{9}|[A-Za-z0-9_-]{9}\d|[A-Za-z0-9+/]{40}|Private-Lines: |SSH2 ENC"
    rb"|_(?:live|test|prod)_|(?:AKIA|ASIA|ABIA|ACCA|A3T)[A-Z0-9]|[sb]\.[A-Za-z0-9]{24}"
)
#: What follows the beginning of a token.
_BODY = late(rb"[A-Za-z0-9_+/=.~%$|:-]{9}|[ \t]|[ A-Z0-9_-]{0,60}PRIVATE KEY")

_NAME = (
    rb"(?:pass|pwd|pswd|psw|pw\b|secret|(?<=[a-z])tokens\b|token(?!s\b|iz)|key(?!_?error|board|word)|cred"
    rb"|auth(?!entic|ority|ors?\b)|[a-z0-9_-]pat\b|[_-]sig\b|salt|conn[a-z]{0,10}[_.-]?str|webhook|dsn|psk"
    rb"|(?:private|session|cookie)[_.-]?(?:id|hash))"
)
_NAMES = late(_NAME)
#: Names of secrets with something behind them that may be a value.
_NAMED = late(
    _NAME + rb"[a-z0-9_.-]{0,60}[\"'`\])\\>]{0,9}(?:[ \t]{0,20}"
    rb"(?:[:=,|?+!<>-]|\([ \t]{0,20}(?:[a-z_.:]{0,40}\()?[bruf@$l]{0,2}[\"'`])"
    rb"|[ \t]{1,20}(?:[en]?[\"'`]|is\b|string\b|[^\s]*\d))"
)
#: Words after which the value may be a word as well.
_GIVEN = late(
    rb"(?:^|[\s\"'`=(])--?[a-z0-9_-]{0,60}" + _NAME + rb"|\b(?:setx?|put|create|add|env|arg|setenv|login|signin)\b"
    rb"|^[ \t]{0,20}[a-z_-]{0,60}(?:pass|auth|pw)[a-z_-]{0,60}[ \t]{1,4}\S+[ \t\r]{0,20}$"
)
_PASSWORDS = late(rb"pass|pwd|pswd|psw|secret|cred")
_VALUE = late(rb"\d|(?=[A-Za-z]{16})(?:[a-z]{0,60}[A-Z]){5}")
#: Headers, URLs and options that hold a secret without naming one: plain text of which one must be in the line, and
#: the expression, None where the text says enough.
_CALLED: tuple[tuple[tuple[bytes, ...], re.Pattern[bytes] | None], ...] = (
    ((b"authorization", b"aws4-hmac", b".sid=", b"sshpass", b"htpasswd", b"mysqladmin", b"<<<", b"passwd"), None),
    ((b"identified", b"/p:", b"/pass:", b"/password:", b"--with-token", b"--stdin"), None),
    ((b"://",), late(rb"://[^\s]{0,400}@")),
    (
        (b"=", b"%3d"),
        late(
            rb"(?:[?&;]|%26|\\u0026)[a-z_-]{0,40}(?:sig|key|token|secret|pass|pwd|auth|code|jwt|credential|id)"
            rb"(?:nature)?(?:=|%3d)|sess[a-z]{0,20}=|[cx]srf[a-z-]{0,20}=|_auth(?:token)?[ \t]{0,4}="
            rb"|(?:shared|primary|secondary|account)(?:access)?(?:key|secret|signature)[ \t]*="
        ),
    ),
    ((b"bearer", b"basic", b"ssws", b"apikey"), late(rb"\b(?:bearer|basic|ssws|apikey)[ \t]")),
    ((b"cookie",), late(rb"cookie2?[\"']{0,2}[ \t]{0,4}:")),
    ((b"x-",), late(rb"\bx-[a-z0-9-]{0,40}(?:key|token|secret|auth|signature|password|session|credential)")),
    (
        (b" -", b"\t-", b" /add", b"\t/add"),
        late(
            rb"\b(?:curl|wget|https?|xh|mysql[a-z]{0,9}|mariadb[a-z-]{0,9}|mycli|docker|podman|nerdctl|helm|buildah"
            rb"|skopeo|oras|crane|registry|az|oc|argocd|cf|mongo[a-z]{0,9}|redis-cli|ldap[a-z]{1,12}|sqlcmd|bcp|isql|osql"
            rb"|zip|unzip|7za?|rar|unrar|smbclient|rpcclient|smbget|mount\.cifs|net|ssh-keygen|heroku|gh|glab|vercel"
            rb"|netlify|npm)\b[^\n]{0,300}[ \t](?:-|/add)"
        ),
    ),
    ((b"pass",), late(rb"pass(?:in|out)?[ \t]{0,4}(?:arg)?[ \t]{0,4}pass:|-[a-z]{0,9}pass(?:in|out)?[ \t]")),
    ((b"sudo", b"vault", b"signin"), late(rb"\bsudo[ \t]|\bvault[ \t]|\bop[ \t]+signin")),
    ((b"auth", b"token"), late(rb"\"(?:_?auth|identitytoken|registrytoken)\"")),
)


def suspects(line: bytes) -> list[int]:
    """The indices of the rules that may find something in `line`, ascending: more than those that do, never fewer."""
    tables = set()
    if _PERSONAL.search(line):
        tables.add(PERSONAL)
    if _may_hold_context(line):
        tables.add(CONTEXTS)
    tokens = list(_tokens(line)) if _TOKEN.search(line) else []
    if not tables:
        return tokens
    return [*tokens, *(index for index, rule in enumerate(rules()) if rule.table in tables)]


def _may_hold_context(line: bytes) -> bool:
    lowered = line.lower()
    for words, expression in _CALLED:
        if any(word in lowered for word in words) and (expression is None or expression.search(lowered)):
            return True
    if not _PASSWORDS.search(lowered) and not _VALUE.search(line):
        return False
    return _NAMED.search(lowered) is not None or (
        _NAMES.search(lowered) is not None and _GIVEN.search(lowered) is not None
    )


def _tokens(line: bytes) -> Iterator[int]:
    drawn = _DRAWN.search(line) is not None
    for index, beginnings in _beginnings():
        if any(_begins(line, one) for one in beginnings) if beginnings else drawn:
            yield index


def _begins(line: bytes, beginning: bytes) -> bool:
    """Whether a token with this beginning may stand in `line`."""
    at = line.find(beginning)
    while at >= 0:
        at += len(beginning)
        if _BODY.match(line, at):
            return True
        at = line.find(beginning, at)
    return False


#: A piece of an expression that stands for a few plain texts: characters, one of a few characters, one of a few words.
_PIECE = late(
    r"((?:[A-Za-z0-9_~-]|\\[.$+{}])+(?![?*{]))"
    r"|\[([A-Za-z0-9]{1,8})\](?![?*{])|\(\?:([A-Za-z0-9_|]+)\)(?![?*{])"
)
_SHORTEST = 3
_MOST = 24


@cache
def _beginnings() -> tuple[tuple[int, tuple[bytes, ...]], ...]:
    """Each rule of tokens with the plain texts one of which begins its matches; () when it has no fixed beginning."""
    return tuple((index, _begin(rule.pattern)) for index, rule in enumerate(rules()) if rule.table is TOKENS)


def _begin(pattern: str) -> tuple[bytes, ...]:
    guarded = pattern.removeprefix(LEFT)
    at = int(guarded.startswith("(") and not guarded.startswith("(?:") and "|" not in guarded.split("(?:")[0])
    texts = [""]
    while piece := _PIECE.match(guarded, at):
        more = [piece[1].replace("\\", "")] if piece[1] else list(piece[2] or "") or piece[3].split("|")
        grown = [text + one for text in texts for one in more]
        if len(grown) > _MOST:
            break
        texts, at = grown, piece.end()
    return tuple(map(str.encode, texts)) if min(map(len, texts)) >= _SHORTEST else ()
