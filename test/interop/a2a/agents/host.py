"""What the agents of Python share: what they do by the first word of a message, and how they are served.

An agent says its address once it is there, and ends with whoever started it.
"""

import os
import socket
import sys
import threading

import uvicorn


def script_of(text, is_asked):
    """What an agent tells of a task, in words of no wire."""
    if is_asked:
        return done(f"told {text}")
    match text.split()[0]:
        case "ask":
            return [("input-required", "which?")]
        case "hold":
            return [("working", None), "hold"]
        case "fail":
            return [("failed", "no paper")]
        case "chunks":
            return [
                ("working", "begun"),
                {"id": "log", "parts": [{"text": "one "}]},
                {"id": "log", "parts": [{"text": "two"}], "append": True},
                ("completed", None),
            ]
        case "data":
            parts = [
                {"data": {"key": "value", "count": 42}},
                {"raw": "dGNr", "mediaType": "text/plain", "filename": "output.txt"},
                {"url": "https://example.com/output.txt", "mediaType": "text/plain"},
            ]
            return [{"id": "data", "parts": parts}, ("completed", None)]
        case _:
            return done(f"done {text}")


def done(text):
    return [{"id": "result", "parts": [{"text": text}]}, ("completed", None)]


def free_socket():
    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    return bound


class Telling(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets)
        print(f"ready http://127.0.0.1:{sockets[0].getsockname()[1]}", flush=True)


async def serve(app, http, lifespan="off", grpc_server=None):
    end_with_parent()
    if grpc_server is not None:
        await grpc_server.start()
    await Telling(uvicorn.Config(app, log_level="warning", lifespan=lifespan)).serve(sockets=[http])


def end_with_parent():
    def wait():
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()
