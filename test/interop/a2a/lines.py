"""How every Python client of the matrix is driven: one JSON line in asks, one JSON line out answers.

Asked is {"id", "op", ...}; answered {"id", "ok"}, {"id", "refused": {"code", "words"}} for what the client tells its
user, or {"id", "failed"} for anything else. `connect` opens a client, `call` does one operation, `follow` opens a
stream, whose steps `next` gives one by one until there is none, `leave` leaves it, `close` closes a client. Lines are
worked for at the same time.
"""

import asyncio
import json
import sys
import traceback


class Driver:
    """Gives out what was opened by numbers."""

    def __init__(self, connect, refusal_of):
        self.connect_client = connect
        self.refusal_of = refusal_of
        self.opened = []

    def keep(self, thing):
        self.opened.append(thing)
        return len(self.opened) - 1

    async def connect(self, asked):
        client = await self.connect_client(asked)
        return {"client": self.keep(client), "card": client.card}

    async def call(self, asked):
        return await self.opened[asked["client"]].call(asked["operation"], asked["params"])

    async def follow(self, asked):
        stream = self.opened[asked["client"]].follow(asked["operation"], asked["params"])
        return {"stream": self.keep(stream)}

    async def next(self, asked):
        try:
            return {"step": await anext(self.opened[asked["stream"]])}
        except StopAsyncIteration:
            return {}

    async def close(self, asked):
        await self.opened[asked["client"]].close()

    async def answer(self, line, waiting):
        asked = json.loads(line)
        operation = asyncio.ensure_future(getattr(self, asked["op"])(asked))
        if asked["op"] == "next":
            waiting[asked["stream"]] = operation
        try:
            answer = {"ok": await operation}
        except asyncio.CancelledError:
            answer = {"ok": {}}
        except Exception as failure:
            refusal = self.refusal_of(failure)
            words = "".join(traceback.format_exception(failure))
            answer = {"failed": words} if refusal is None else {"refused": {"code": refusal, "words": str(failure)}}
        print(json.dumps({"id": asked["id"], **answer}), flush=True)


async def serve(connect, refusal_of):
    driver, waiting, tasks = Driver(connect, refusal_of), {}, set()
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        asked = json.loads(line)
        if asked["op"] == "leave":
            # Whoever waits for the next step leaves the stream by that.
            if operation := waiting.get(asked["stream"]):
                operation.cancel()
            print(json.dumps({"id": asked["id"], "ok": {}}), flush=True)
            continue
        task = asyncio.create_task(driver.answer(line, waiting))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


def run(connect, refusal_of):
    asyncio.run(serve(connect, refusal_of))
