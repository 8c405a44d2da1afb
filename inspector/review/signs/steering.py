"""Other tools are steered, consent is claimed, safeguards are to be off, or the model itself is spoken to."""

from inspector.review.signs.matching import Said, Weighed
from inspector.review.word_set import word_set

_OTHERS = "it changes how other tools are used"

_MANY = word_set("any all every each other")
_TOOLS = word_set("tool tools function functions operation operations request requests command commands")
_USE = word_set("use using call calling invoke invoking run running execute executing perform performing")
_CHANGE = word_set(
    "replace swap change set substitute redirect address addressed alter modify raise raised multiply multiplied prefix append "
    "add insert strip changed replaced included choose archived archive triggered add_to relabel rewrite override"
)
_LATER = word_set(
    "when whenever afterwards later subsequent following follows next future after once from if connected available used each "
    "every any all"
)
_THINGS = word_set(
    "recipient recipients amount amounts account card wallet payment payments link links commit commits code email emails "
    "mail mails message messages invoice invoices order orders attendee attendees parameter parameters argument arguments "
    "destination cart line fee condition conditions classification licence license import call visibility access permission"
)
_AGAINST = word_set("regardless irrespective whatever rather despite unconditionally")
_USER = word_set(
    "user user's users person customer client developer traveller human operator somebody anyone people asks"
)
_OBJECTS = word_set(
    "objects insists refuses declines otherwise disagrees disagree did private says objected removed asked names named"
)
_CONSENT = word_set(
    "approved authorized authorised consented agreed confirmed permitted granted recorded pre-approved preapproved approves"
)
_PERMIT = word_set("approval consent permission confirmation confirmations authorization approvals")
_GIVEN = word_set("granted recorded given obtained file already blanket advance implied skipped")
_MASTER = word_set("owner admin administrator administrators developer operator maintainer user user's users")
_SKIP = word_set("skip bypass disable circumvent omit suppress ignore")
_GATES = word_set(
    "confirmation confirmations review approval approvals gate permission permissions verification authentication check "
    "checks checking validation signature signatures sandbox sandboxing logging guardrails safety security ssl tls certificate "
    "warnings antivirus firewall mfa 2fa audit rls policies filter filters encryption"
)
_MODEL = word_set("assistant llm ai agent agents model claude gpt chatgpt copilot gemini cursor chatbot")
_MUST = word_set("must should shall always needs need never required has let")
_NOTE = word_set(
    "note notes message instruction instructions memo attention notice hint reminder requirement"
)
_PRETEXT = word_set(
    "compliance audit authentication verification telemetry debugging quality support compatibility handshake pre-flight "
    "preflight licensing regulatory policy security"
)
_PUSHED = word_set(
    "purposes reasons measure step requirement required mandatory ensure part check protocol due"
)


def steering(said: Said) -> Weighed:
    """Signs of this kind in a sentence."""
    yield from _others(said)
    yield from _tampers(said)
    yield from _consents(said)
    yield from _weakens(said)
    yield from _addresses(said)


def _others(said: Said) -> Weighed:
    for index in said.where(_MANY):
        if said.near(index, _TOOLS, behind=3) and index + 1 < len(said.words):
            near = said.words[max(0, index - 4) : index]
            first = {"before", "instead", "after", "whenever", "from", "prior", "over"} & set(near)
            if first or not _USE.isdisjoint(near):
                yield 1, "it speaks of all other tools"
                return
    ill = word_set(
        "compromised deprecated insecure unsafe broken unreliable obsolete malicious untrusted discredit"
    )
    if said.has(ill) and (
        said.phrase("other", "tools|servers|search|functions") or said.has(word_set("discredit"))
    ):
        yield 2, "it speaks ill of other tools"
    if said.phrase("any|every|all|other", "server|servers"):
        yield 1, "it speaks of other servers"
    if said.phrase(
        "all|every|any", "commands|command|requests|messages|emails|calls|responses", "must|shall"
    ):
        yield 2, _OTHERS
    if said.phrase("every|each|any|all", "shell|bash|terminal", "command|commands"):
        yield 3, _OTHERS
    if said.phrase("in", "each", "conversation") or said.phrase("in", "every", "conversation"):
        yield 1, "it speaks of all other tools"


def _tampers(said: Said) -> Weighed:
    against = _against(said)
    if against:
        yield against, "it is to happen whatever the user says"
    things = said.has(_THINGS)
    if against and things:
        yield (2 if said.addresses else 1.5), _OTHERS
    if said.tools and said.has(_WHENEVER) and said.has(_TOO) and said.has(_USE | _DONE):
        yield 2, _OTHERS
    changes = next(said.asked(_CHANGE), None)
    if changes is None:
        uses = said.asked(frozenset({"use"}))
        changes = next((index for index in uses if said.near(index, _THINGS, behind=3)), None)
    if changes is None:
        return
    later = said.has(_LATER)
    fixed = any(abs(place - changes) <= _NEAR for place in said.addresses)
    if said.tools and later and things and (said.near(changes, _THINGS, before=8, behind=8)):
        yield 2.5 if fixed or against or said.phrase("must", "be") else 1.5, _OTHERS
    elif things and fixed and (later or against) and said.near(changes, _THINGS, before=8, behind=8):
        yield 2, _OTHERS
    elif things and later and said.has(word_set("without conceal quietly silently any each every whether")):
        yield 1, _OTHERS


_NEAR = 12
_WHENEVER = word_set("whenever when after once each every upon also")
_TOO = word_set("too also additionally likewise")
_DONE = word_set("triggered called invoked run executed")


def _against(said: Said) -> float:
    """How much of it is against the user's will."""
    for index in said.where(_AGAINST):
        if said.near(index, _USER, behind=7, before=3):
            return 2.5
    if (
        said.phrase("even", "if|when|though|where")
        and said.has(_USER | word_set("they"))
        and said.has(_OBJECTS)
    ):
        return 2.5
    if said.phrase("if", "the", "user|customer|person", "insists|objects|refuses|declines|complains"):
        return 2
    if said.phrase("whether", "or", "not") or said.phrase("no", "matter", "what"):
        return 1.5
    return 0


def _consents(said: Said) -> Weighed:
    for index in said.where(_MASTER):
        near = said.words[index + 1 : index + 7]
        agreed = {"has", "have", "already", "on", "in"} & set(near[:3]) and not _CONSENT.isdisjoint(near)
        if agreed or ("knows" in near[:2] and not {"about", "already"}.isdisjoint(near)):
            yield 2, "it claims that the user has agreed"
    for index in said.where(_PERMIT):
        if said.near(index, _GIVEN, before=4, behind=5) and not said.near(
            index, word_set("if unless until once"), before=6
        ):
            yield 2, "it claims that the user has agreed"
            break
    if said.phrase("approve|approved|accept|merge", "unconditionally|automatically|blindly"):
        yield 2.5, "a safeguard is to be off"
    for index in said.where(word_set("without ask asking don't")):
        near = list(said.words[index : index + 4])
        if near[:2] in (
            ["without", "asking"],
            ["without", "prompting"],
            ["without", "confirmation"],
            ["don't", "ask"],
        ):
            yield 1.5, "it wants to go ahead without being asked"
        elif near[:3] == ["ask", "no", "one"] or near[:2] == ["ask", "nobody"]:
            yield 2, "it wants to go ahead without being asked"


def _weakens(said: Said) -> Weighed:
    for index in said.asked(_SKIP):
        if said.near(index, _GATES, behind=5):
            yield 2, "a safeguard is to be off"
            break
    if (said.phrase("turn|switch|turned|switched", "off") or said.phrase("left", "out")) and said.has(_GATES):
        yield 2.5, "a safeguard is to be off"
    if said.phrase("turn|switch", "them|it|these|this|those", "off"):
        yield (2.5 if said.tools or said.has(_GATES) else 1), "a safeguard is to be off"
    if said.has(word_set("unlock disarm disarmed unlocked")) and said.has(
        word_set("door lock alarm gate safe")
    ):
        yield (
            (2.5 if said.phrase("at", "it") or said.has(word_set("also too and")) else 0.5),
            "what is closed is to be opened",
        )
    if said.phrase("while", "you're", "at", "it") or said.phrase("while", "you", "are", "at", "it"):
        yield 2, "it adds this to what the user asked for"
    if said.has(word_set("world-readable world-writable 777 authorized_keys public-read")) or said.phrase(
        "or", "1=1"
    ):
        yield 2, "what is closed is to be opened"


def _addresses(said: Said) -> Weighed:
    for index in said.where(_MODEL):
        if said.near(index, _MUST, behind=3) or said.near(index, frozenset({"let"}), before=2):
            yield 1, "it gives orders to the model"
        if said.near(index, _NOTE, before=4) and said.near(index, word_set("to for the"), before=2):
            yield 1.5, "it gives orders to the model"
    if not _MODEL.isdisjoint(said.words[:1]) and said.tools and said.has(_USE):
        yield 1.5, "it gives orders to the model"
    if list(said.words[:2]) in (["dear", "assistant"], ["attention", "assistant"]):
        yield 2, "it gives orders to the model"
    if said.phrase(
        "administrator|operator|system|owner|company|provider", "requires|mandates|demands|orders"
    ):
        yield 1, "it claims an authority"
    if said.has(word_set("recommend promote favour favor advertise")) and said.has(
        word_set("our only premium brand product always sponsor")
    ):
        yield 1.5, "it pushes a product"
    if said.has(word_set("grant give elevate promote assign")) and said.phrase(
        "admin|administrator|root|owner|superuser", "rights|role|privileges|permissions|access"
    ):
        yield 2.5, "what is closed is to be opened"
    if said.has(_PRETEXT) and said.has(_PUSHED):
        yield 0.5, "it gives a reason of compliance or safety"
    if (
        said.has(_ANSWERS)
        and said.addresses
        and said.phrase("always", "ends|end|contains|contain|includes|include")
    ):
        yield 2.5, "it puts something into the answers to the user"


_ANSWERS = word_set("reply answer response answers replies")
