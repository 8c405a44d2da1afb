"""The dialog about how Sightline connects: the client profile that it announces, and the protocol era."""

from collections.abc import Callable

from inspector.protocol.client import PROFILES, ClientProfile
from inspector.protocol.targets import Era
from inspector.tui.dialogs.ask import AskField, AskScreen

_ERAS = {
    Era.AUTO: "stateless if the server has it, otherwise with a handshake",
    Era.LEGACY: "with a handshake: a server can ask during a call (ctx.elicit)",
    Era.MODERN: "stateless",
}


def profiles_dialog(
    profile: ClientProfile,
    era: Era,
    choose: Callable[[ClientProfile, Era], None],
    *,
    proposed: Era | None = None,
) -> AskScreen:
    """A dialog that asks for a client profile and a protocol era.

    `profile`, `era`: those in use. `proposed`: the era that is selected at first; None for the one in use.
    `choose`: called with the chosen profile and era if either differs from the one in use; connects again.
    """

    async def accept(answers: tuple[str, ...]) -> str:
        chosen = PROFILES[answers[1]], Era(answers[0])
        if chosen == (profile, era):
            return "This is how Sightline is connected now. ↓ chooses another era, Esc keeps this one."
        choose(*chosen)
        return ""

    about = ". ".join(f"{each.name}: {each.about}" for each in PROFILES.values())
    return AskScreen(
        "Connect as",
        f"{about}. Sightline then connects again: a command is started again.",
        [
            AskField(
                label="Era",
                value=(proposed or era).value,
                choices=tuple(each.value for each in _ERAS),
                meanings=tuple(_ERAS.values()),
            ),
            AskField(label="Profile", value=profile.name, choices=tuple(PROFILES)),
        ],
        accept,
        verb="connect",
    )
