"""Personal values: what is about somebody goes, what everybody has stays."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from kb.capture.redaction.policy import Policy
from kb.capture.redaction.redactor import Redactor

CASES = [
    ("dial tcp 10.4.0.9:5432: refused", "dial tcp <ip:1>:5432: refused"),
    ("src: /10.4.0.9:36415 dest: /10.4.0.7:50010", "src: /<ip:1>:36415 dest: /<ip:2>:50010"),
    ("rhost=183.62.140.253  user=root", "rhost=<ip:1>  user=root"),
    ("node-1/10.4.0.9:8030", "node-1/<ip:1>:8030"),
    ("http://10.4.0.9/x?y", "http://<ip:1>/x?y"),
    ("from fd12:3456:789a::1 to fe80::1ff:fe23:4567:890a", "from <ip:1> to <ip:2>"),
    ("2a00:1450:4001:0831:0000:0000:0000:200e.", "<ip:1>."),
    ("/home/alice/x.py and /Users/bob/y.py", "/home/<user:1>/x.py and /Users/<user:2>/y.py"),
    (r"C:\Users\Alice Roe\x.py", r"C:\Users\<user:1>\x.py"),
    ("mail jane.roe@corp.example.io!", "mail <email:1>!"),
    ("db1.prod.internal:5432 and nas.local", "<host:1>:5432 and <host:2>"),
    ("api.team.svc.cluster.local.", "<host:1>."),
    ("ip-172-31-40-111.us-east-2.compute.internal", "<host:1>"),
]


@pytest.mark.parametrize(("text", "done"), CASES)
def test_it_is_replaced_and_what_stands_around_it_stays(text: str, done: str) -> None:
    assert Redactor().text(text) == done
    assert Redactor().text(done) == done


@pytest.mark.parametrize("text", [text for text, _ in CASES])
def test_the_policy_secrets_leaves_it(text: str) -> None:
    assert Redactor(Policy.SECRETS).text(text) == text


def test_the_name_of_this_machine_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.uname", lambda: SimpleNamespace(nodename="build-box-7.example.org"))
    assert Redactor().text("me@build-box-7:~$ ls build-box-77") == "me@<host:1>:~$ ls build-box-77"
