"""A relay made with the Python package a2a-sdk 0.3.26: a plain server of A2A 0.3 over three bindings that passes parts along.

It knows nothing of what is in them.
"""

import asyncio

import grpc
from a2a.grpc import a2a_pb2_grpc
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCard, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent
from starlette.applications import Starlette
from starlette.routing import Mount

from relay_host import end_with_parent, free_socket, keep, serve, words_of

GOING_ON = ("working", "submitted")


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


class KeptTasks(InMemoryTaskStore):
    async def save(self, task, *more):
        keep(plain(task))
        await super().save(task, *more)


def event_of(word, about):
    if "message" in word:
        return Message.model_validate(word["message"])
    if "status" in word:
        final = word["status"]["state"] not in GOING_ON
        return TaskStatusUpdateEvent.model_validate({**about, "final": final, "status": word["status"]})
    return TaskArtifactUpdateEvent.model_validate({**about, **word})


class Relay(AgentExecutor):
    async def execute(self, context, event_queue):
        message = plain(context.message)
        about = {"taskId": context.task_id, "contextId": context.context_id}
        is_begun = context.current_task is not None
        async for word in words_of({"taskId": context.task_id, "message": message}):
            if not is_begun and "message" not in word:
                status = {"state": "submitted"}
                begun = {"id": context.task_id, "contextId": context.context_id, "status": status, "history": [message]}
                await event_queue.enqueue_event(Task.model_validate(begun))
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
    interfaces = {"JSONRPC": f"{origin}/rpc", "HTTP+JSON": f"{origin}/rest", "GRPC": f"http://127.0.0.1:{grpc_port}"}
    card = AgentCard.model_validate({
        "name": "relay",
        "description": "passes on what it does not understand",
        "version": "1",
        "protocolVersion": "0.3.0",
        "url": interfaces["JSONRPC"],
        "preferredTransport": "JSONRPC",
        "additionalInterfaces": [{"url": url, "transport": binding} for binding, url in interfaces.items()],
        "capabilities": {"streaming": True},
        "defaultInputModes": ["text/plain", "application/json"],
        "defaultOutputModes": ["text/plain", "application/json"],
        "skills": [{"id": "pass", "name": "Pass", "description": "passes on", "tags": ["relay"]}],
    })
    handler = DefaultRequestHandler(agent_executor=Relay(), task_store=KeptTasks())
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(card, handler), grpc_server)
    rest = A2ARESTFastAPIApplication(agent_card=card, http_handler=handler).build()
    app = Starlette(routes=[Mount("/rest", app=rest)])
    A2AStarletteApplication(agent_card=card, http_handler=handler).add_routes_to_app(app, rpc_url="/rpc")
    end_with_parent()
    await serve(app, http, grpc_server)


asyncio.run(main())
