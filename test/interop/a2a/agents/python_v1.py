"""An agent made with the Python package a2a-sdk 1.3: A2A 1.0 over JSON-RPC, REST and gRPC."""

import asyncio

import grpc
import httpx
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import BasePushNotificationSender, InMemoryPushNotificationConfigStore, InMemoryTaskStore
from a2a.types import a2a_pb2 as types
from a2a.types import a2a_pb2_grpc
from google.protobuf.json_format import MessageToDict, ParseDict
from starlette.applications import Starlette

from host import free_socket, script_of, serve


class Agent(AgentExecutor):
    def __init__(self):
        self.held = {}
        self.asked = set()

    async def execute(self, context, queue):
        about = {"taskId": context.task_id, "contextId": context.context_id}
        message = MessageToDict(context.message)
        text = next((part["text"] for part in message["parts"] if "text" in part), "")
        if text.startswith("answer"):
            await queue.enqueue_event(ParseDict(said("answered at once", about, 0), types.Message()))
            return
        if context.current_task is None:
            status = {"state": "TASK_STATE_SUBMITTED"}
            begun = {"id": context.task_id, "contextId": context.context_id, "status": status, "history": [message]}
            await queue.enqueue_event(ParseDict(begun, types.Task()))
        for at, word in enumerate(script_of(text, context.task_id in self.asked)):
            if word == "hold":
                held = self.held[context.task_id] = asyncio.Event()
                await held.wait()
            elif isinstance(word, dict):
                artifact = {"artifactId": word["id"], "name": word["id"], "parts": word["parts"]}
                update = {**about, "artifact": artifact, "append": word.get("append", False)}
                await queue.enqueue_event(ParseDict(update, types.TaskArtifactUpdateEvent()))
            else:
                if word[0] == "input-required":
                    self.asked.add(context.task_id)
                await queue.enqueue_event(status_of(word, about, at))

    async def cancel(self, context, queue):
        about = {"taskId": context.task_id, "contextId": context.context_id}
        await queue.enqueue_event(status_of(("canceled", None), about, 0))
        if context.task_id in self.held:
            self.held.pop(context.task_id).set()


def said(words, about, at):
    return {"messageId": f"{about['taskId']}-{at}", "role": "ROLE_AGENT", "parts": [{"text": words}]}


def status_of(word, about, at):
    state, words = word
    status = {"state": "TASK_STATE_" + state.replace("-", "_").upper()}
    if words is not None:
        status["message"] = said(words, about, at)
    return ParseDict({**about, "status": status}, types.TaskStatusUpdateEvent())


async def main():
    http, grpc_server = free_socket(), grpc.aio.server()
    grpc_port = grpc_server.add_insecure_port("127.0.0.1:0")
    origin = f"http://127.0.0.1:{http.getsockname()[1]}"
    described = {
        "name": "python 1.3",
        "description": "an agent of the official SDK",
        "version": "1",
        "supportedInterfaces": [
            {"url": f"{origin}/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
            {"url": f"{origin}/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
            {"url": f"127.0.0.1:{grpc_port}", "protocolBinding": "GRPC", "protocolVersion": "1.0"},
        ],
        "capabilities": {"streaming": True, "pushNotifications": True, "extendedAgentCard": True},
        "defaultInputModes": ["text/plain", "application/json"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "echo", "name": "Echo", "description": "says it again", "tags": ["text"]}],
    }
    card = ParseDict(described, types.AgentCard())
    extended = ParseDict({**described, "name": "python 1.3, extended"}, types.AgentCard())
    hooks = InMemoryPushNotificationConfigStore()
    handler = DefaultRequestHandler(
        agent_executor=Agent(),
        task_store=InMemoryTaskStore(),
        agent_card=card,
        extended_agent_card=extended,
        push_config_store=hooks,
        push_sender=BasePushNotificationSender(httpx_client=httpx.AsyncClient(), config_store=hooks),
    )
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(handler), grpc_server)
    routes = [
        *create_agent_card_routes(card),
        *create_jsonrpc_routes(handler, "/rpc"),
        *create_rest_routes(handler, path_prefix="/rest"),
    ]
    await serve(Starlette(routes=routes), http, grpc_server=grpc_server)


asyncio.run(main())
