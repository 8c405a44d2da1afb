"""Badges and traits: letters in the catalogue, words beside a tool."""

from textual.content import Content

from inspector.claims.claim import TraitName
from inspector.claims.registry import claims_of_tool
from inspector.claims.traits import Badge, Traits, badges, traits
from inspector.protocol.catalogue import Tool
from inspector.tui.present.foreign import content, shortened

_STYLES = {
    Badge.READ: "$text-success",
    Badge.WRITE: "$text-warning",
    Badge.DELETE: "bold $text-error",
    Badge.EXTERNAL: "$text-warning",
    Badge.SENSITIVE: "bold $text-accent",
    Badge.UNTRUSTED: "bold $text-warning",
    Badge.CONFIRM: "bold $text-primary",
    Badge.MALICIOUS: "bold reverse $text-error",
}

_LONG = 60


def letters_of(tool: Tool) -> Content:
    """One letter a badge of a tool."""
    return letters(traits(claims_of_tool(tool)))


def letters(found: Traits) -> Content:
    """One letter a badge."""
    return Content.assemble(*((str(badge), _STYLES[badge]) for badge in badges(found)))


def words(found: Traits) -> Content:
    """Each badge as `R read`; a sentence where nothing was declared."""
    earned = badges(found)
    if not earned:
        return Content.styled("declares nothing that earns a badge", "$foreground 70%")
    return Content("  ").join(
        Content.assemble((str(badge), _STYLES[badge]), f" {badge.word}") for badge in earned
    )


def legend() -> Content:
    """What every letter stands for."""
    return Content("  ").join(
        Content.assemble((str(badge), _STYLES[badge]), f" {badge.word}") for badge in Badge
    )


def trait_lines(found: Traits) -> tuple[Content, ...]:
    """Every trait that is known, with how it is known."""
    lines: list[Content] = []
    for name in TraitName:
        trait = found.trait(name)
        if trait.value is None or trait.value == ():
            continue
        how = "default, nobody declared it" if trait.defaulted else f"claims for it: {len(trait.claims_for)}"
        against = f", against it: {len(trait.claims_against)}" if trait.claims_against else ""
        lines.append(
            Content.assemble(
                (f"{name.value:<19} ", "$foreground 70%"),
                content(shortened(_value(trait.value), _LONG), "" if trait.defaulted else "bold"),
                (f"  ({'set by you' if trait.overridden else how}{against})", "$foreground 60%"),
            )
        )
    return tuple(lines)


def _value(value: bool | str | tuple[str, ...]) -> str:  # noqa: FBT001 - a trait's value is data
    match value:
        case bool():
            return "yes" if value else "no"
        case str():
            return value
        case _:
            return ", ".join(value)
