"""What meets and what stays apart, and that every signature can say why."""

from __future__ import annotations

import re

import pytest

from kb.failures.find import find_failures
from kb.failures.model import Failure, Frame
from kb.signature.model import Signature
from kb.signature.sign import sign, sign_declared


def failure(line: str, *frames: str) -> Failure:
    """An exception as one line says it, with frames given as `file:function`."""
    kind, _, message = line.partition(": ")
    return Failure(
        kind="exception",
        type=kind,
        message=message,
        line=1,
        first_line=1,
        last_line=1,
        text=line,
        language="python",
        frames=tuple(Frame(*frame.split(":")) for frame in frames),
    )


def of(line: str, *frames: str) -> Signature:
    return sign(failure(line, *frames))


MEET = [
    ("OutOfMemoryError: Out of memory allocating 900 bytes now", "OutOfMemoryError: Out of memory allocating 8,589,934,592 bytes now"),
    ("TimeoutError: no answer after 2 s from the shard", "TimeoutError: no answer after 1,5 s from the shard"),
    ("ValueError: expected 17 rows in the ledger", "ValueError: expected 1,204 rows in the ledger"),
    ("ValueError: the step 0.001 is too small", "ValueError: the step 1.5e-07 is too small"),
    ("RuntimeError: needs the engine v0.15.1 or newer", "RuntimeError: needs the engine v1.2.0 or newer"),
    ("FileNotFoundError: [Errno 2] No such file or directory: '/srv/a/x.csv'", "FileNotFoundError: [Errno 2] No such file or directory: '/mnt/My Data/b c/x.csv'"),
    ("FileNotFoundError: [Errno 2] No such file or directory: 'C:\\\\data\\\\x.csv'", "FileNotFoundError: [Errno 2] No such file or directory: 'C:/Users/Jo Doe/x.csv'"),
    ("OSError: cannot read \\\\nas7\\share\\x.csv at all", "OSError: cannot read D:/jobs/x.csv at all"),
    ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 540.00 MiB. GPU 0 has 14.76 GiB", "OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB. GPU 7 has 1 GiB"),
    ("OSError: [Errno 98] bind 10.0.0.1:8000", "OSError: [Errno 98] bind 127.0.0.1:29500"),
    ("FileNotFoundError: [Errno 2] No such file or directory: '/home/a/models/config.json'", "FileNotFoundError: [Errno 2] No such file or directory: '/mnt/x/config.json'"),
    ("RuntimeError: DataLoader worker (pid 851) is killed by signal: Killed. ", "RuntimeError: DataLoader worker (pid 99120) is killed by signal: Killed. "),
    ("safetensors_rust.SafetensorError: header too large", "safetensors._safetensors_rust.SafetensorError: header too large"),
    ("RuntimeError: object at 0x7f1962d3e2d0 is gone", "RuntimeError: object at 0x1f is gone"),
    ("RuntimeError: shard layers.3.mlp.weight missing", "RuntimeError: shard layers.61.mlp.weight missing"),
    ("RuntimeError: request 7f3a9c0d-1111-2222-3333-444455556666 lost", "RuntimeError: request 00000000-aaaa-bbbb-cccc-ddddeeeeffff lost"),
    ("RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x8 and 16x32)", "RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x8 and 16x32)"),
    ("RuntimeError: size mismatch, torch.Size([32, 32]) and torch.Size([64])", "RuntimeError: size mismatch, torch.Size([1, 2, 3]) and torch.Size([7, 7])"),
    ("ConnectionError: cannot reach <host:1> as <user:2>", "ConnectionError: cannot reach <host:3> as <user:1>"),
    ("ConnectionError: cannot reach 10.1.2.3 now", "ConnectionError: cannot reach <ip:1> now"),
    ("RuntimeError: cannot read /home/<user:1>/run/a.bin", "RuntimeError: cannot read /home/alice/run/a.bin"),
    ("TimeoutError: no answer after 600036 ms", "TimeoutError: no answer after 30 ms"),
    ("ValueError: The model's max seq len (131072) is larger than KV cache (93760). Try increasing `a`", "ValueError: The model's max seq len (4096) is larger than KV cache (80). Try decreasing `b`"),
    ("IOException: lost part_-7731250981 of attempt_20261129_0007_m_000003_1", "IOException: lost part_18814 of attempt_20261201_0012_m_000001_0"),
    ("SshError: password refused, user=alice rhost=shop.example.org", "SshError: password refused, user=bob rhost=10.0.0.7"),
    ("LinkError: port 00:1B:44:11:3A:B7 is down since Sun Nov 29 10:00:00 2026", "LinkError: port 5C:26:0A:5A:C8:F2 is down since Mon Nov 30 11:30:01 2026"),
    ("OperationalError: (1205, 'Lock wait timeout exceeded') 'UPDATE ports SET up=%s' (1, 'a')", "OperationalError: (1205, 'Lock wait timeout exceeded') 'INSERT INTO nets VALUES (%s)' ('b',)"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), MEET)
def test_reports_of_one_failure_meet(one: str, other: str) -> None:
    assert of(one).parts == of(other).parts
    assert of(one).id == of(other).id


APART = [
    ("ERROR: Can't start server: Bind on TCP/IP port. Got error: 98: Address already in use", "ERROR: Can't start server: Bind on TCP/IP port. Got error: 99: Cannot assign requested address"),
    ("Error: cannot open the table of the ledger. System error: Permission denied", "Error: cannot open the table of the ledger. System error: No such file or directory"),
    ("FileNotFoundError: [Errno 2] No such file or directory: '/mnt/My Data/x.csv'", "FileNotFoundError: [Errno 2] No such file or directory: '/mnt/My Data/y.csv'"),
    ("ValueError: the api v1 is not served here", "ValueError: the api v2 is not served here"),
    ("OperationalError: (1205, 'Lock wait timeout exceeded') now", "OperationalError: (1213, 'Deadlock found') now"),
    ("HTTPError: 403 Client Error: Forbidden", "HTTPError: 404 Client Error: Not Found"),
    ("RuntimeError: HTTP 403 from the hub", "RuntimeError: HTTP 404 from the hub"),
    ("RuntimeError: exited with code 137", "RuntimeError: exited with code 139"),
    ("ModuleNotFoundError: No module named 'torch'", "ModuleNotFoundError: No module named 'packaging'"),
    ("AttributeError: 'NoneType' object has no attribute 'shape'", "AttributeError: 'Tensor' object has no attribute 'shape'"),
    ("AttributeError: 'FooConfig' object has no attribute 'a_index'", "AttributeError: 'FooConfig' object has no attribute 'b_index'"),
    ("RuntimeError: CUDA error: an illegal memory access was encountered", "RuntimeError: CUDA error: an illegal instruction was encountered"),
    ("RuntimeError: NCCL error: ncclSystemError", "RuntimeError: NCCL error: ncclUnhandledCudaError"),
    ("RuntimeError: no kernel image for sm_90", "RuntimeError: no kernel image for sm_120"),
    ("RuntimeError: expected scalar type Half but found Float", "RuntimeError: expected scalar type BFloat16 but found Float"),
    ("RuntimeError: not implemented for 'float8_e4m3'", "RuntimeError: not implemented for 'int8'"),
    ("OSError: [Errno 98] Address already in use", "OSError: [Errno 99] Cannot assign requested address"),
    ("KeyError: 'EUR'", "KeyError: 'USD'"),
    ("FileNotFoundError: [Errno 2] No such file or directory: '/a/config.json'", "FileNotFoundError: [Errno 2] No such file or directory: '/a/tokenizer.json'"),
    ("ValueError: x", "TypeError: x"),
    ("UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0", "UnicodeDecodeError: 'utf-16' codec can't decode byte 0xff in position 0"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), APART)
def test_failures_that_merely_look_alike_stay_apart(one: str, other: str) -> None:
    assert of(one).id != of(other).id


def test_a_message_that_says_too_little_is_told_apart_by_the_nearest_own_function() -> None:
    one = of(
        "IndexError: list index out of range", "/srv/app/a.py:load_rows", "/usr/lib/python3.11/json/decoder.py:decode"
    )
    other = of("IndexError: list index out of range", "/srv/app/a.py:write_rows")
    assert one.parts == ("IndexError", "list index out of range", "load_rows")
    assert one.id != other.id
    assert one.context == " in load_rows"


def test_a_generic_message_without_frames_has_no_rule() -> None:
    assert of("KeyError: 0").pattern == ""


def test_the_owner_of_a_missing_attribute_varies_and_its_last_word_stays() -> None:
    one = of("AttributeError: 'KimiK25Config' object has no attribute 'image_token_index'", "/v/eagle.py:load_model")
    other = of(
        "AttributeError: 'Qwen2VLConfig' object has no attribute 'image_token_index'", "/v/proposer.py:load_model"
    )
    assert one.id == other.id
    assert one.pattern == "AttributeError: '[A-Za-z_][0-9A-Za-z_]*Config' object has no attribute 'image_token_index'"


def test_a_bare_assertion_is_known_by_its_source() -> None:
    signature = sign(
        find_failures(
            'Traceback (most recent call last):\n  File "a.py", line 1, in split\n    assert heads % size == 0\nAssertionError\n'
        ).failures[0]
    )
    assert signature.title == "AssertionError: assert heads % size == 0"
    assert signature.pattern == "assert heads % size == 0"


def test_the_line_that_decides_is_not_the_one_that_announces() -> None:
    text = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\nRuntimeError: Error(s) in loading state_dict for M:\n\tMissing key(s) in state_dict: "d2t". \n'
    assert sign(find_failures(text).failures[0]).template == 'Missing key(s) in state_dict: "d2t"'


def test_a_signature_explains_itself() -> None:
    reasons = of("torch.cuda.OutOfMemoryError: Tried to allocate 540.00 MiB on GPU 3").reasons
    assert [(r.rule, r.before, r.after) for r in reasons] == [
        ("type-name", "torch.cuda.OutOfMemoryError", "OutOfMemoryError"),
        ("mask size", "540.00 MiB", "<size>"),
        ("mask number", "3", "<num>"),
    ]


@pytest.mark.parametrize("line", [line for pair in [*MEET, *APART] for line in pair])
def test_a_rule_matches_its_own_evidence_and_holds_its_anchor(line: str) -> None:
    one = failure(line)
    signature = sign(one)
    if signature.pattern:
        first, *rest = one.message.split("\n")
        found = [re.search(signature.pattern, text) for text in (one.text, f"{one.type}: {first}", *rest)]
        assert any(found)
        assert all(signature.anchor in matched[0] for matched in found if matched)


def test_a_declared_failure_is_its_slug() -> None:
    signature = sign_declared("low-acceptance-rate", "acceptance 15 %")
    assert signature.id == sign_declared("low-acceptance-rate", "other").id
    assert signature.title == "Low acceptance rate (acceptance 15 %)"
    assert signature.pattern == ""


GOLDEN_IDS = {
    "ModuleNotFoundError: No module named 'torchvision'": "kb1-ekfshptpgy",
    "RuntimeError: operator torchvision::nms does not exist": "kb1-64joz3svut",
}


@pytest.mark.parametrize(("line", "expected"), GOLDEN_IDS.items())
def test_ids_of_this_version_never_change(line: str, expected: str) -> None:
    """Never edit these: a change of algorithm is a new version with a new prefix."""
    assert of(line).id == expected
