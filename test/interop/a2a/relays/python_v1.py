"""A relay made with the Python package a2a-sdk 1.3: a plain server of A2A 1.0 over three bindings that passes parts along.

It knows nothing of what is in them.
"""

import asyncio

import grpc
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import a2a_pb2 as types
from a2a.types import a2a_pb2_grpc
from google.protobuf.json_format import MessageToDict, ParseDict
from starlette.applications import Starlette

from relay_host import end_with_parent, free_socket, keep, serve, words_of


class KeptTasks(InMemoryTaskStore):
    async def save(self, task, *more):
        keep(MessageToDict(task))
        await super().save(task, *more)


def event_of(word, about):
    if "message" in word:
        return ParseDict(word["message"], types.Message())
    if "status" in word:
        return ParseDict({**about, "status": word["status"]}, types.TaskStatusUpdateEvent())
    update = {name: word[name] for name in ("artifact", "append", "lastChunk") if name in word}
    return ParseDict({**about, **update}, types.TaskArtifactUpdateEvent())


class Relay(AgentExecutor):
    async def execute(self, context, event_queue):
        message = MessageToDict(context.message)
        about = {"taskId": context.task_id, "contextId": context.context_id}
        is_begun = context.current_task is not None
        async for word in words_of({"taskId": context.task_id, "message": message}):
            if not is_begun and "message" not in word:
                status = {"state": "TASK_STATE_SUBMITTED"}
                begun = {"id": context.task_id, "contextId": context.context_id, "status": status, "history": [message]}
                await event_queue.enqueue_event(ParseDict(begun, types.Task()))
            is_begun = True
            await event_queue.enqueue_event(event_of(word, about))

    async def cancel(self, context, event_queue):
        about = {"taskId": context.task_id, "contextId": context.context_id}
        async for word in words_of({"taskId": context.task_id}):
            await event_queue.enqueue_event(event_of(word, about))


async def main():
    http, grpc_server = free_socket(), grpc.aio.server()
    origin = f"http://127.0.0.1:{http.getsockname()[1]}"
    grpc_port = grpc_server.add_insecure_port("127.0.0.1:0")
    interfaces = {"JSONRPC": f"{origin}/rpc", "HTTP+JSON": f"{origin}/rest", "GRPC": f"127.0.0.1:{grpc_port}"}
    card = {
        "name": "relay",
        "description": "passes on what it does not understand",
        "version": "1",
        "supportedInterfaces": [
            {"url": url, "protocolBinding": binding, "protocolVersion": "1.0"} for binding, url in interfaces.items()
        ],
        "capabilities": {"streaming": True},
        "defaultInputModes": ["text/plain", "application/json"],
        "defaultOutputModes": ["text/plain", "application/json"],
        "skills": [{"id": "pass", "name": "Pass", "description": "passes on", "tags": ["relay"]}],
    }
    card = ParseDict(card, types.AgentCard())
    handler = DefaultRequestHandler(agent_executor=Relay(), task_store=KeptTasks(), agent_card=card)
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(handler), grpc_server)
    routes = [
        *create_agent_card_routes(card),
        *create_jsonrpc_routes(handler, "/rpc"),
        *create_rest_routes(handler, path_prefix="/rest"),
    ]
    end_with_parent()
    await serve(Starlette(routes=routes), http, grpc_server)


asyncio.run(main())
