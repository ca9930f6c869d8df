"""An agent made with the Python package a2a-sdk 0.3.26: A2A 0.3 over JSON-RPC, REST and gRPC."""

import asyncio

import grpc
import httpx
from a2a.grpc import a2a_pb2_grpc
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.tasks import BasePushNotificationSender, InMemoryPushNotificationConfigStore, InMemoryTaskStore
from a2a.types import AgentCard, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent
from starlette.applications import Starlette
from starlette.routing import Mount

from host import free_socket, script_of, serve


class Agent(AgentExecutor):
    def __init__(self):
        self.held = {}
        self.asked = set()

    async def execute(self, context, queue):
        about = {"taskId": context.task_id, "contextId": context.context_id}
        text = context.get_user_input()
        if text.startswith("answer"):
            await queue.enqueue_event(Message.model_validate(said("answered at once", about, 0)))
            return
        if context.current_task is None:
            begun = {"id": context.task_id, "contextId": context.context_id, "status": {"state": "submitted"}}
            history = [context.message.model_dump(mode="json", by_alias=True, exclude_none=True)]
            await queue.enqueue_event(Task.model_validate({**begun, "history": history}))
        for at, word in enumerate(script_of(text, context.task_id in self.asked)):
            if word == "hold":
                held, ended = self.held[context.task_id] = asyncio.Event(), asyncio.Event()
                await held.wait()
                await queue.enqueue_event(status_of(("canceled", None), about, at))
                ended.set()
            elif isinstance(word, dict):
                parts = [part_of(part) for part in word["parts"]]
                artifact = {"artifactId": word["id"], "name": word["id"], "parts": parts}
                update = {**about, "artifact": artifact, "append": word.get("append", False)}
                await queue.enqueue_event(TaskArtifactUpdateEvent.model_validate(update))
            else:
                if word[0] == "input-required":
                    self.asked.add(context.task_id)
                await queue.enqueue_event(status_of(word, about, at))

    async def cancel(self, context, queue):
        # Who subscribes hears only what comes through the queue of the work itself.
        held, ended = self.held.pop(context.task_id)
        held.set()
        await ended.wait()


def part_of(part):
    if "text" in part:
        return {"kind": "text", "text": part["text"]}
    if "data" in part:
        return {"kind": "data", "data": part["data"]}
    file = {"mimeType": part["mediaType"]}
    file |= {"bytes": part["raw"], "name": part["filename"]} if "raw" in part else {"uri": part["url"]}
    return {"kind": "file", "file": file}


def said(words, about, at):
    parts = [{"kind": "text", "text": words}]
    return {"kind": "message", "messageId": f"{about['taskId']}-{at}", "role": "agent", "parts": parts}


def status_of(word, about, at):
    state, words = word
    status = {"state": state}
    if words is not None:
        status["message"] = said(words, about, at)
    final = state not in ("working", "submitted")
    return TaskStatusUpdateEvent.model_validate({**about, "final": final, "status": status})


async def main():
    http, grpc_server = free_socket(), grpc.aio.server()
    grpc_port = grpc_server.add_insecure_port("127.0.0.1:0")
    origin = f"http://127.0.0.1:{http.getsockname()[1]}"
    described = {
        "name": "python 0.3",
        "description": "an agent of the official SDK",
        "version": "1",
        "protocolVersion": "0.3.0",
        "url": f"{origin}/rpc",
        "preferredTransport": "JSONRPC",
        "additionalInterfaces": [
            {"url": f"{origin}/rpc", "transport": "JSONRPC"},
            {"url": f"{origin}/rest", "transport": "HTTP+JSON"},
            {"url": f"http://127.0.0.1:{grpc_port}", "transport": "GRPC"},
        ],
        "capabilities": {"streaming": True, "pushNotifications": True},
        "supportsAuthenticatedExtendedCard": True,
        "defaultInputModes": ["text/plain", "application/json"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "echo", "name": "Echo", "description": "says it again", "tags": ["text"]}],
    }
    card = AgentCard.model_validate(described)
    extended = AgentCard.model_validate({**described, "name": "python 0.3, extended"})
    hooks = InMemoryPushNotificationConfigStore()
    handler = DefaultRequestHandler(
        agent_executor=Agent(),
        task_store=InMemoryTaskStore(),
        push_config_store=hooks,
        push_sender=BasePushNotificationSender(httpx_client=httpx.AsyncClient(), config_store=hooks),
    )
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(extended, handler), grpc_server)
    made = {"agent_card": card, "http_handler": handler, "extended_agent_card": extended}
    app = Starlette(routes=[Mount("/rest", app=A2ARESTFastAPIApplication(**made).build())])
    A2AStarletteApplication(**made).add_routes_to_app(app, rpc_url="/rpc")
    await serve(app, http, grpc_server=grpc_server)


asyncio.run(main())
