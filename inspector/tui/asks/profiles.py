"""The dialog about client profiles, which Sightline announces to a server."""

from collections.abc import Callable

from inspector.protocol.client import PROFILES, ClientProfile
from inspector.tui.dialogs.ask import AskField, AskScreen


def profiles_dialog(profile: ClientProfile, choose: Callable[[ClientProfile], None]) -> AskScreen:
    """A dialog that asks for a client profile.

    `profile`: the profile in use. `choose`: called with the chosen profile if that is another; connects
    again.
    """

    async def accept(answers: tuple[str, ...]) -> str:
        chosen = PROFILES[answers[0]]
        if chosen is not profile:
            choose(chosen)
        return ""

    about = ". ".join(f"{each.name}: {each.about}" for each in PROFILES.values())
    return AskScreen(
        "Announce as",
        f"{about}. Another profile needs another connection: the server is started again.",
        [AskField(label="Profile", value=profile.name, choices=tuple(PROFILES))],
        accept,
    )
