"""What both relays of Python share: the agent behind them, the file of their tasks, and how they are served.

Started with the socket of the agent and that file, a relay says its address. Its log has everything that the package
can say.
"""

import asyncio
import json
import logging
import os
import socket
import sys
import threading

import uvicorn

AGENT_SOCKET, STORE_FILE = sys.argv[1:3]
LINE_BYTES = 16 * 1024 * 1024

logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)


async def words_of(asked):
    """The agent's words to a message, or to a cancel, until it ends."""
    reader, writer = await asyncio.open_unix_connection(AGENT_SOCKET, limit=LINE_BYTES)
    writer.write(json.dumps(asked).encode() + b"\n")
    try:
        while line := await reader.readline():
            yield json.loads(line)
    finally:
        writer.close()


def keep(task):
    with open(STORE_FILE, "a") as file:
        file.write(json.dumps(task) + "\n")


def free_socket():
    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    return bound


class Telling(uvicorn.Server):
    """It says its address once it is there."""

    async def startup(self, sockets=None):
        await super().startup(sockets)
        print(f"ready http://127.0.0.1:{sockets[0].getsockname()[1]}", flush=True)


async def serve(app, http, grpc_server):
    await grpc_server.start()
    await Telling(uvicorn.Config(app, log_level="debug", lifespan="off")).serve(sockets=[http])


def end_with_parent():
    """Whoever started it is gone when its input ends."""

    def wait():
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()
