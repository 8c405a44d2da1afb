"""`openai-agents-js`: the OpenAI Agents SDK (JS), as it comes."""

from inspector.hosts.openai_agents_javascript import handing_over
from inspector.hosts.profile import Host

HOST = Host(
    name="openai-agents-js",
    title="OpenAI Agents SDK (JS), default, on the wire",
    version="0.20.0",
    as_of="2026-11",
    how="observed: adapter code run",
    source="npm @openai/agents-core 0.20.0 and @openai/agents-openai 0.20.0: the item in the next request",
    notes="On the wire, with the Responses API.",
    hand_over=handing_over(use_structured=False),
)
