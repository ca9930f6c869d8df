"""Drives the Python reference as a peer: one JSON line in asks, one JSON line out answers.

Each line is {"id", "op", ...}; the answer {"id", "ok": {...}} or {"id", "failed": "..."}. Lines are worked for at the
same time. Payloads travel as JSON text, so that their numbers stay as they were written. With --without-cbor the
reference finds no cbor2, as in an installation without that extra. Words behind "cli" go to its own command line.
"""

import asyncio
import base64
import datetime
import json
import os
import socket
import struct
import sys
import threading
import urllib.error
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor

words = sys.argv[1:]
if words and words[0] == "--without-cbor":
    words = words[1:]
    sys.modules["cbor2"] = None

import a2a_sdl
from a2a_sdl.cli import main as reference_cli
from a2a_sdl.codec import decode_bytes, encode_bytes, has_cbor_support
from a2a_sdl.handlers import make_default_handler
from a2a_sdl.policy import SecurityPolicy, SecurityPolicyManager
from a2a_sdl.security import (
    SecurityError,
    decrypt_payload,
    encrypt_payload,
    generate_signing_keypair,
    generate_x25519_keypair,
    sign_detached_json,
    sign_envelope,
    verify_envelope_signature,
)
from a2a_sdl.session import SessionBindingStore
from a2a_sdl.transport_http import A2AHTTPServer, send_http
from a2a_sdl.transport_ipc import IPCServer, send_ipc
from a2a_sdl.transport_ws import websockets, ws_send, ws_serve
from a2a_sdl.utils import canonical_json_bytes, sha256_prefixed

TIMEOUT_S = 20


def in_seconds(seconds):
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def party(agent_id):
    return {"agent_id": agent_id, "name": "peer", "instance": "1", "role": "peer"}


def host_and_port(address):
    host, port = address.removeprefix("ipc://").rsplit(":", 1)
    return host, int(port)


def make_keys(_):
    signing, encryption = generate_signing_keypair(), generate_x25519_keypair()
    return {
        "sign": {"public": signing["public_key_b64"], "secret": signing["private_key_b64"]},
        "enc": {"public": encryption["public_key_b64"], "secret": encryption["private_key_b64"]},
    }


def build_request(asked):
    envelope = a2a_sdl.build_envelope(
        msg_type="req",
        from_identity=party(asked["from"]),
        to_identity=party(asked["to"]),
        content_type=asked["ct"],
        payload=json.loads(asked["payload"]),
    )
    if "recipient" in asked:
        recipient = {"kid": asked["recipient"]["kid"], "public_key": asked["recipient"]["public"]}
        encrypt_payload(envelope, [recipient])
    if "replay_s" in asked:
        sec = envelope.setdefault("sec", {})
        sec["replay"] = {"nonce": str(uuid.uuid4()), "exp": in_seconds(asked["replay_s"])}
    if "session" in asked:
        envelope.setdefault("sec", {})["session"] = {"binding_id": asked["session"]}
    if "signer" in asked:
        signer = asked["signer"]
        sign_envelope(envelope, signer["secret"], kid=signer["kid"], preferred_encoding=asked["form"])
    return envelope


def send_checked(asked, envelope):
    encoding, address = asked["encoding"], asked["address"]
    if asked["transport"] == "http":
        return send_http(address, envelope, encoding=encoding, timeout=TIMEOUT_S)
    if asked["transport"] == "ws":
        return asyncio.run(ws_send(address, envelope, encoding=encoding, timeout=TIMEOUT_S))
    return send_ipc(*host_and_port(address), envelope, encoding=encoding, timeout=TIMEOUT_S)


def request(asked):
    """Asks with the reference's own client, and judges the answer with the reference's own functions."""
    envelope = build_request(asked)
    sent_id = envelope["id"]
    answer = send_checked(asked, envelope)
    return {"sent_id": sent_id, **judge(answer, asked)}


def judge(answer, asked):
    sec = answer.get("sec") or {}
    judged = {"ct": answer["ct"], "mode": sec.get("mode", "none"), "from": answer["from"]["agent_id"]}
    judged["re"] = answer.get("re")
    if "verify" in asked and "sig" in sec:
        try:
            judged["verified"] = verify_envelope_signature(
                answer, asked["verify"]["public"], preferred_encoding=asked["form"]
            )
        except SecurityError:
            judged["verified"] = False
    if "enc" in sec:
        decrypt_payload(answer, asked["reader"]["secret"], kid=asked["reader"]["kid"])
    judged["payload"] = json.dumps(answer["payload"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return judged


def post_bytes(url, body, content_type):
    headers = {"Content-Type": content_type, "Accept": content_type}
    asking = urllib.request.Request(url, data=body, headers=headers, method="POST")
    try:
        with urllib.request.urlopen(asking, timeout=TIMEOUT_S) as response:
            return response.read()
    except urllib.error.HTTPError as refused:
        return refused.read()


async def exchange_message(uri, body):
    async with websockets.connect(uri) as connection:
        await connection.send(body)
        return await asyncio.wait_for(connection.recv(), TIMEOUT_S)


def exchange_frame(address, body):
    with socket.create_connection(host_and_port(address), timeout=TIMEOUT_S) as connection:
        connection.sendall(struct.pack(">I", len(body)) + body)
        stream = connection.makefile("rb")
        (length,) = struct.unpack(">I", stream.read(4))
        return stream.read(length)


def say(asked):
    """Sends what the reference's client would refuse to send; the answer is read as its client would read it."""
    body = base64.b64decode(asked["bytes"]) if "bytes" in asked else encode_bytes(build_request(asked))
    address = asked["address"]
    if asked["transport"] == "http":
        answer = post_bytes(address, body, "application/json")
    elif asked["transport"] == "ws":
        answer = asyncio.run(exchange_message(address, body))
    else:
        answer = exchange_frame(address, body)
    envelope = decode_bytes(answer.encode() if isinstance(answer, str) else answer)
    a2a_sdl.validate_envelope(envelope, allow_schema_uri=False)
    return judge(envelope, asked)


def binding_id(asked):
    """The name that the reference gives to this session."""
    return {"binding_id": a2a_sdl.compute_session_binding_id(**json.loads(asked["document"]))}


def proposal(asked):
    """A change of a trust registry, approved as approvers of the reference do it."""
    content = {"merge": True, "registry": json.loads(asked["registry"])}
    document = {"op": "propose", "proposal_id": sha256_prefixed(canonical_json_bytes(content)), **content}
    signature = sign_detached_json(document, asked["secret"])
    approvals = [{"approver": asked["approver"], "signature": signature}]
    return {"payload": json.dumps({**document, "approvals": approvals})}


def policy_from(asked):
    if "policy" not in asked:
        return None
    given = asked["policy"]
    return SecurityPolicy(
        require_mode=given.get("mode"),
        require_replay=True,
        trusted_signing_keys=given["trusted"],
        required_kid_by_agent=given["kids"],
        decrypt_private_keys=given["decrypt"],
    )


def handler_from(asked, policy):
    return make_default_handler(
        trust_policy_manager=None if policy is None else SecurityPolicyManager(policy),
        session_binding_store=SessionBindingStore(),
    )


def serve(asked):
    policy = policy_from(asked)
    handler = handler_from(asked, policy)
    if asked["transport"] == "ws":
        return {"address": f"ws://127.0.0.1:{serve_ws(handler, policy, asked['encoding'])}"}
    if asked["transport"] == "http":
        server = A2AHTTPServer("127.0.0.1", 0, handler, security_policy=policy)
    else:
        server = IPCServer("127.0.0.1", 0, handler, encoding=asked["encoding"], security_policy=policy)
    port = server._server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return {"address": f"http://127.0.0.1:{port}/a2a" if asked["transport"] == "http" else f"ipc://127.0.0.1:{port}"}


def serve_ws(handler, policy, encoding):
    ports = []
    is_up = threading.Event()

    async def run():
        server = await ws_serve(handler, "127.0.0.1", 0, encoding=encoding, security_policy=policy)
        ports.append(next(iter(server.sockets)).getsockname()[1])
        is_up.set()
        await server.wait_closed()

    threading.Thread(target=lambda: asyncio.run(run()), daemon=True).start()
    if not is_up.wait(TIMEOUT_S):
        raise RuntimeError("the WebSocket server did not start")
    return ports[0]


OPERATIONS = {
    "about": lambda _: {"cbor": has_cbor_support()},
    "keys": make_keys,
    "request": request,
    "say": say,
    "binding_id": binding_id,
    "proposal": proposal,
    "serve": serve,
}

answering = threading.Lock()


def answer_line(line):
    asked = json.loads(line)
    try:
        answer = {"ok": OPERATIONS[asked["op"]](asked)}
    except Exception as failure:  # the test tells what it means
        answer = {"failed": f"{type(failure).__name__}: {failure}"}
    with answering:
        print(json.dumps({"id": asked["id"], **answer}), flush=True)


def end_with_input():
    """A server must not outlive the test that started it, however that ended."""
    sys.stdin.read()
    os._exit(0)


def main():
    if words and words[0] == "cli":
        threading.Thread(target=end_with_input, daemon=True).start()
        sys.exit(reference_cli(words[1:]))
    with ThreadPoolExecutor(max_workers=24) as pool:
        for line in sys.stdin:
            pool.submit(answer_line, line)
    # Servers have threads that would keep the process.
    os._exit(0)


if __name__ == "__main__":
    main()
