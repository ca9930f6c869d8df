"""An agent made with PenguiFlow 3.11.2: the draft of A2A over REST and JSON-RPC."""

import asyncio

from penguiflow import Message, Node, NodePolicy, create
from penguiflow_a2a import A2AService, create_a2a_http_app
from penguiflow_a2a.models import AgentCard

from host import free_socket, serve


async def work(message: Message, ctx):
    text = message.payload if isinstance(message.payload, str) else str(message.payload)
    match text.split()[0]:
        case "hold":
            await asyncio.Event().wait()
        case "fail":
            raise RuntimeError("no paper")
        case "chunks":
            await ctx.emit_chunk(parent=message, text="one ", done=False)
            await ctx.emit_chunk(parent=message, text="two", done=True)
            return "one two"
    return f"done {text}"


async def main():
    http = free_socket()
    origin = f"http://127.0.0.1:{http.getsockname()[1]}"
    card = AgentCard.model_validate({
        "protocolVersions": ["0.3"],
        "name": "penguiflow",
        "description": "an agent of PenguiFlow",
        "version": "1",
        "supportedInterfaces": [
            {"url": origin, "protocolBinding": "HTTP+JSON"},
            {"url": f"{origin}/rpc", "protocolBinding": "JSONRPC"},
        ],
        "capabilities": {"streaming": True, "pushNotifications": True, "extendedAgentCard": True},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "echo", "name": "Echo", "description": "says it again", "tags": ["text"]}],
    })
    node = Node(work, name="work", policy=NodePolicy(validate="none", max_retries=0))
    extended = card.model_copy(update={"name": "penguiflow, extended"})
    service = A2AService(create(node.to(), emit_errors_to_rookery=True), agent_card=card, extended_agent_card=extended)
    await serve(create_a2a_http_app(service), http, lifespan="on")


asyncio.run(main())
