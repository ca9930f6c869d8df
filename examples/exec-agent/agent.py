"""An agent in Python, run by `a2a-sdl serve --exec 'python3 agent.py'`: one run a task.

The task is one line of JSON on the standard input. A line of output that is a JSON object
reports progress, output or a refusal; every other line is text that the caller gets as it comes.
Exit code 0 completes the task. Keys, signatures and networks are the daemon's business.
"""

import json
import sys


def say(**report):
    print(json.dumps(report), flush=True)


task = json.loads(sys.stdin.readline())
verb, _, text = task["goal"].partition(" ")

if verb != "reverse":
    say(error="this agent only knows: reverse TEXT")
    sys.exit(1)

say(progress="reversing", fraction=0.5)
say(artifact={"name": "reversed", "text": text[::-1]})
say(artifact={"name": "facts", "json": {"characters": len(text), "asked_by": task["owner"]}})
