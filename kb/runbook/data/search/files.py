"""The files of the search: a list of what there is, blocks of documents, and shards of the postings of their grams.

A build with few changes takes the shards of the one before and changes in them what the changed blocks say; the outcome
is the same as from nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from kb.runbook.data.scripts import data_script, script_value
from kb.runbook.data.search.blocks import Row, block_grams, block_name, block_script, blocks, each_gram, read_block
from kb.runbook.data.search.documents import Document
from kb.runbook.data.search.earlier import Earlier
from kb.runbook.data.search.grams import shard_of
from kb.runbook.data.search.listed import NAME, Listed, level, read_listed
from kb.runbook.data.search.postings import pack, unpack

#: How many postings a shard holds at most, on average, and the most shards.
PER_SHARD, MOST_SHARDS = 4000, 4096
#: With more changed blocks than one in so many, all is made anew.
_FEW = 4

#: The files by their name relative to the data folder, each with its text, or None when it is as it was before.
Files = Iterable[tuple[str, str | None]]
#: For some grams of a shard: the posting that a block has now, or None, by the block.
_Edits = dict[str, dict[int, int | None]]


def search_files(documents: Iterable[Document], earlier: Earlier) -> Iterator[tuple[str, str | None]]:
    """All files of the search; `earlier` are those of the build before."""
    made = blocks(documents)
    changed: list[int] = []
    for number, block in enumerate(made):
        name, script = _file(block_name(number)), block_script(number, block)
        same = earlier.same(name, script)
        if not same:
            changed.append(number)
        yield name, None if same else script
    yield from _patched(made, changed, earlier) or files_of_blocks(made)


def files_of_blocks(made: list[list[Row]]) -> Iterator[tuple[str, str | None]]:
    """The list, and the shards of the postings, of these blocks."""
    postings = each_gram(made)
    total = sum(map(len, postings.values()))
    shards: list[dict[str, str]] = [{} for _ in range(_shards(total))]
    common: dict[str, int] = {}
    for gram, found in postings.items():
        shards[shard_of(gram, len(shards))][gram] = pack(found)
        if (how := level(gram, len(found), len(made))) is not None:
            common[gram] = how
    for number, shard in enumerate(shards):
        yield _file(_shard_name(number)), _shard_script(number, shard)
    yield _file(NAME), Listed(sum(map(len, made)), len(made), len(shards), total, common).script()


def _patched(made: list[list[Row]], changed: list[int], earlier: Earlier) -> Files | None:
    """The shards and the list, as the ones before with what is different now; None when they must be made afresh."""
    listed = read_listed(earlier.text(_file(NAME)))
    if listed is None or listed.blocks != len(made) or len(changed) * _FEW > len(made):
        return None
    names = [_file(_shard_name(number)) for number in range(listed.shards)]
    edits = _edits(made, changed, listed.shards, earlier)
    if edits is None or not all(map(earlier.there, names)):
        return None
    common, total = dict(listed.common), listed.postings
    files: dict[str, str | None] = dict.fromkeys(names)
    for number, wanted in edits.items():
        before = earlier.text(names[number])
        if before is None:
            return None
        shard = cast("dict[str, str]", script_value(before))
        for gram, places in wanted.items():
            old = unpack(shard.pop(gram, ""))
            new = sorted(
                [*(one for one in old if one // 2 not in places), *(p for p in places.values() if p is not None)]
            )
            total += len(new) - len(old)
            common.pop(gram, None)
            if new:
                shard[gram] = pack(new)
                if (how := level(gram, len(new), len(made))) is not None:
                    common[gram] = how
        files[names[number]] = _shard_script(number, shard)
    if _shards(total) != listed.shards:
        return None
    files[_file(NAME)] = Listed(sum(map(len, made)), len(made), listed.shards, total, common).script()
    return files.items()


def _edits(made: list[list[Row]], changed: list[int], shards: int, earlier: Earlier) -> dict[int, _Edits] | None:
    """What changed in each shard; None when that cannot be told."""
    edits: dict[int, _Edits] = defaultdict(lambda: defaultdict(dict))
    for number in changed:
        before = earlier.text(_file(block_name(number)))
        if before is None:
            return None
        old, new = block_grams(read_block(before)), block_grams(made[number])
        for gram in old.keys() | new.keys():
            if old.get(gram) != new.get(gram):
                posting = 2 * number + new[gram] if gram in new else None
                edits[shard_of(gram, shards)][gram][number] = posting
    return edits


def _shards(postings: int) -> int:
    count = 1
    while count * PER_SHARD < postings and count < MOST_SHARDS:
        count *= 2
    return count


def _shard_name(number: int) -> str:
    return f"search/g{number}"


def _shard_script(number: int, shard: Mapping[str, str]) -> str:
    return data_script(_shard_name(number), {gram: shard[gram] for gram in sorted(shard)})


def _file(name: str) -> str:
    return f"{name}.js"
