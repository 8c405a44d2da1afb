"""The garbage collector belongs to the whole process: each of these tests runs in a process of its own."""

import subprocess
import sys

_WATCHED = """
import gc
from inspector.tui.runtime import memory as collecting
collecting.keep_responsive()
collecting.keep_responsive()
assert gc.callbacks.count(collecting._watch) == 1
rounds = []
gc.callbacks.append(lambda phase, facts: rounds.append(facts) if phase == "stop" and facts["generation"] == 2 else None)
"""


def run(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", _WATCHED + code], check=True, capture_output=True, text=True
    ).stdout


def test_objects_frozen_after_a_long_collection_are_still_freed() -> None:
    said = run(
        "collecting._LONG_S = 0.0\n"
        "class Thing: pass\n"
        "import weakref\n"
        "one = Thing(); seen = weakref.ref(one)\n"
        "before = gc.get_freeze_count()\n"
        "kept = [[number] for number in range(200_000)]\n"
        "print(gc.get_freeze_count() - before > 100_000, bool(rounds))\n"
        "del one, kept\n"
        "print(seen() is None, gc.get_freeze_count() - before < 1_000)\n"
    )
    assert said.split() == ["True"] * 4


def test_unreferenced_cycles_are_freed_automatically() -> None:
    said = run(
        "class Thing: pass\n"
        "import weakref\n"
        "old = []\n"
        "for number in range(200):\n"
        "    thing = Thing(); thing.itself = thing; old.append(thing)\n"
        "more = [[number] for number in range(20_000)]\n"
        "seen = [weakref.ref(thing) for thing in old]\n"
        "del old, thing\n"
        "for _ in range(30): more = more + [[number] for number in range(3_000)]\n"
        "print(all(each() is None for each in seen))\n"
    )
    assert said.split() == ["True"]


def test_a_short_collection_freezes_nothing() -> None:
    said = run(
        "collecting._LONG_S = 1e9\n"
        "before = gc.get_freeze_count()\n"
        "kept = [[number] for number in range(200_000)]\n"
        "print(gc.get_freeze_count() <= before, bool(rounds))\n"
    )
    assert said.split() == ["True"] * 2
