"""What a demo server may be asked to do differently."""

import os
from dataclasses import dataclass

from inspector.protocol.targets import Era

SEED_VARIABLE = "SIGHTLINE_DEMO_SEED"
BEARER_TOKEN = "demo"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings of one server; the defaults are those of `python -m inspector.demo`."""

    seed: str | None = None
    """Makes generated secrets and identifiers repeatable and stops the clock. None draws fresh ones."""
    auth: bool = False
    """Whether HTTP requests need `Authorization: Bearer demo`."""
    era: Era = Era.AUTO
    """AUTO serves both eras, the others refuse one."""
    page_size: int = 100
    """Items on one page of a listing."""
    sound_only: bool = False
    """Leaves out the tools that make strict clients reject a whole listing."""


def environment_seed() -> str | None:
    """The seed that the environment asks for; None where it asks for none."""
    return os.environ.get(SEED_VARIABLE) or None
