"""Drives the client of the Python package penguiflow 3.11, which speaks the draft over REST."""

import asyncio
import dataclasses
import re
from collections.abc import Mapping

from penguiflow.remote import (
    RemoteCallRequest,
    RemoteTaskAuthRequired,
    RemoteTaskInputRequired,
)
from penguiflow.types import Headers, Message
from penguiflow_a2a.registry import fetch_agent_card
from penguiflow_a2a.transport import A2AHttpTransport

import lines

TIMEOUT_S = 30


def plain(value):
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value


class Client:
    def __init__(self, asked, card):
        self.card = card
        self.url = asked["address"]
        headers = {}
        if "token" in asked:
            headers["Authorization"] = f"Bearer {asked['token']}"
        if "extensions" in asked:
            headers["A2A-Extensions"] = ",".join(asked["extensions"])
        version = {"version": asked["version"]} if "version" in asked else {}
        self.transport = A2AHttpTransport(headers=headers, timeout_s=TIMEOUT_S, **version)

    def request(self, params):
        return RemoteCallRequest(
            message=Message(payload=params["payload"], headers=Headers(tenant="default")),
            skill="tasks",
            agent_url=self.url,
            metadata=params.get("metadata"),
            context_id=params.get("contextId"),
            task_id=params.get("taskId"),
        )

    async def call(self, operation, params):
        transport, url = self.transport, self.url
        match operation:
            case "send" if params["expects"] == "message":
                return {"answer": plain(await transport.send(self.request(params)))}
            case "send":
                return plain(await transport.send_task(self.request(params), blocking=params["blocking"]))
            case "get":
                return plain(await transport.get_task(agent_url=url, **params))
            case "list":
                return plain(await transport.list_tasks(agent_url=url, **params))
            case "cancel":
                return await transport.cancel(agent_url=url, task_id=params["task_id"])
            case "createHook":
                return plain(await transport.set_task_push_notification_config(agent_url=url, **params))
            case "getHook":
                return plain(await transport.get_task_push_notification_config(agent_url=url, **params))
            case "listHooks":
                task_id = params["task_id"]
                return plain(await transport.list_task_push_notification_configs(agent_url=url, task_id=task_id))
            case "deleteHook":
                return await transport.delete_task_push_notification_config(agent_url=url, **params)

    async def follow(self, operation, params):
        """It tells by raising that a task ends other than well, or waits: that is the last step."""
        try:
            if operation == "stream":
                kind = "task"
                async for event in self.transport.stream(self.request(params)):
                    # What it makes itself of all pieces was told before.
                    if event.result is None:
                        yield {"event": {"kind": kind, **plain(event)}}
                    kind = "status"
            else:
                async for event in self.transport.subscribe_task(agent_url=self.url, task_id=params["task_id"]):
                    yield {"event": plain(event)}
        except (RemoteTaskInputRequired, RemoteTaskAuthRequired) as waits:
            yield {"rests": plain(waits.snapshot)}
        except RuntimeError as failure:
            ended = re.fullmatch(r"Remote task failed: (.*)", str(failure))
            if ended is None:
                raise
            yield {"failed": ended.group(1)}

    async def close(self):
        await asyncio.sleep(0)


async def connect(asked):
    return Client(asked, await fetch_agent_card(asked["address"], timeout_s=TIMEOUT_S))


def refusal_of(failure):
    status = re.match(r"A2A request failed \((\d+)\)", str(failure))
    return f"HTTP {status.group(1)}" if status else None


lines.run(connect, refusal_of)
