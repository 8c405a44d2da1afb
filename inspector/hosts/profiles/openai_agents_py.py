"""`openai-agents-py`: the OpenAI Agents SDK (Python), as it comes."""

from inspector.hosts.openai_agents_python import handing_over
from inspector.hosts.profile import Host

HOST = Host(
    name="openai-agents-py",
    title="OpenAI Agents SDK (Python), default",
    version="0.24.0",
    as_of="2026-11",
    how="observed: adapter code run",
    source="PyPI openai-agents 0.24.0, agents/mcp/util.py and agents/items.py: output of the function_call_output item",
    notes="Client library mcp 2.3.0.",
    hand_over=handing_over(use_structured=False),
)
