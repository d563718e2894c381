"""Values that this machine knows to be secret."""

from __future__ import annotations

import base64
from pathlib import Path
from urllib.parse import quote

import pytest

from kb.capture.redaction.known import machine_secrets
from kb.capture.redaction.redactor import Redactor

SECRET = "Violet-Otter/17 sails"


def test_secrets_of_the_environment_are_known_by_their_names() -> None:
    environment = {
        "DEPLOY_TOKEN": SECRET,
        "DATABASE_URL": "postgres://app:pf3rdhaus@db/app",
        "SSH_AUTH_SOCK": "/tmp/ssh-1/agent.7",
        "PASSWORD_FILE": "/run/secrets/password",
        "LANG": "en_GB.UTF-8 and more",
        "API_KEY": "true",
    }
    assert machine_secrets(environment, Path("/nowhere")) == {SECRET, "pf3rdhaus"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".netrc", f"machine a login me password {SECRET.replace(' ', '')}\n"),
        (".pgpass", f"db:5432:app:me:{SECRET}\n"),
        (".npmrc", f"//registry.example.com/:_authToken={SECRET.replace(' ', '')}\n"),
        (".aws/credentials", f"[default]\naws_secret_access_key = {SECRET.replace(' ', '')}\n"),
        (".docker/config.json", f'{{"auths": {{"a": {{"auth": "{SECRET}"}}}}}}'),
        (".cache/huggingface/token", SECRET.replace(" ", "")),
    ],
)
def test_secrets_of_credential_files_are_known(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    assert [found.replace(" ", "") for found in machine_secrets({}, tmp_path)] == [SECRET.replace(" ", "")]


def test_a_known_value_is_found_in_the_forms_it_is_printed_in() -> None:
    redactor = Redactor(known=[SECRET])
    for text in (
        SECRET,
        quote(SECRET, safe=""),
        base64.b64encode(SECRET.encode()).decode(),
        base64.b64encode(b"user:" + SECRET.encode()).decode(),
        base64.b64encode(b"a" + SECRET.encode() + b"zz").decode(),
    ):
        done = redactor.text(f"sent {text} on")
        assert "<secret:value>" in done
        assert text[4:-6] not in done


def test_words_and_short_values_are_not_matched_everywhere() -> None:
    assert Redactor(known=["abc", "production", "changeme", "/var/lib/app"]).text("production abc /var/lib/app") == (
        "production abc /var/lib/app"
    )
