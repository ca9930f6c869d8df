"""Drives the client of the Python package a2a-sdk 0.3; what is said and heard is the JSON of its models."""

import re

import grpc
import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.errors import A2AClientHTTPError, A2AClientJSONRPCError
from a2a.types import (
    GetTaskPushNotificationConfigParams,
    Message,
    MessageSendConfiguration,
    PushNotificationConfig,
    TaskIdParams,
    TaskPushNotificationConfig,
    TaskQueryParams,
)
from a2a.utils.signing import create_signature_verifier
from jwt.api_jwk import PyJWKSet

import lines

TIMEOUT_S = 30


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


class Client:
    def __init__(self, asked, card, http):
        self.card = plain(card)
        self.http = http
        self.shown = [(name.lower(), value) for name, value in headers_of(asked).items()]
        self.channels = []
        self.asked, self.model = asked, card
        self.client, self.unary = self.made(True), self.made(False)

    def made(self, streaming, hooks=()):
        config = ClientConfig(
            streaming=streaming,
            httpx_client=self.http,
            grpc_channel_factory=self.channel,
            supported_transports=[self.asked["binding"]],
            extensions=self.asked.get("extensions", []),
            push_notification_configs=list(hooks),
        )
        return ClientFactory(config).create(self.model)

    def channel(self, url):
        shown = self.shown

        class Showing(grpc.aio.UnaryUnaryClientInterceptor, grpc.aio.UnaryStreamClientInterceptor):
            async def intercept_unary_unary(self, go_on, details, request):
                return await go_on(shows(details), request)

            async def intercept_unary_stream(self, go_on, details, request):
                return await go_on(shows(details), request)

        def shows(details):
            metadata = [*(details.metadata or []), *shown]
            return details._replace(metadata=grpc.aio.Metadata(*metadata))

        target = re.sub(r"^https?://", "", url)
        class UnaryOnly(grpc.aio.UnaryUnaryClientInterceptor):
            intercept_unary_unary = Showing.intercept_unary_unary

        class StreamOnly(grpc.aio.UnaryStreamClientInterceptor):
            intercept_unary_stream = Showing.intercept_unary_stream

        channel = grpc.aio.insecure_channel(target, interceptors=[UnaryOnly(), StreamOnly()])
        self.channels.append(channel)
        return channel

    async def call(self, operation, params):
        client = self.client
        match operation:
            case "send":
                answer = [one async for one in self.sending(self.unary, params)]
                return answer[0]
            case "get":
                answer = await client.get_task(TaskQueryParams.model_validate(params))
            case "cancel":
                answer = await client.cancel_task(TaskIdParams.model_validate(params))
            case "createHook":
                answer = await client.set_task_callback(TaskPushNotificationConfig.model_validate(params))
            case "getHook":
                answer = await client.get_task_callback(GetTaskPushNotificationConfigParams.model_validate(params))
            case "extendedCard":
                answer = await client.get_card()
        return plain(answer)

    async def sending(self, client, params):
        message = Message.model_validate(params["message"])
        configuration = dict(params["configuration"])
        if hook := configuration.pop("pushNotificationConfig", None):
            # It takes web hooks from its own configuration; over REST no other way works.
            client = self.made(client is self.client, [PushNotificationConfig.model_validate(hook)])
        configuration = MessageSendConfiguration.model_validate(configuration)
        async for event in client.send_message(message, configuration=configuration):
            yield last_of(event)

    async def follow(self, operation, params):
        if operation == "stream":
            async for step in self.sending(self.client, params):
                yield step
        else:
            async for event in self.client.resubscribe(TaskIdParams.model_validate(params)):
                yield last_of(event)

    async def close(self):
        for channel in self.channels:
            await channel.close()
        await self.http.aclose()


def last_of(event):
    """The client gives the task as it stands with each update; the update is what came."""
    if not isinstance(event, tuple):
        return plain(event)
    task, update = event
    return plain(task if update is None else update)


def headers_of(asked):
    headers = {}
    if "token" in asked:
        headers["Authorization"] = f"Bearer {asked['token']}"
    if "version" in asked:
        headers["A2A-Version"] = asked["version"]
    return headers


async def connect(asked):
    """With "keys" the card must be signed by one of them."""
    verifier = None
    if "keys" in asked:
        keys = {key.key_id: key for key in PyJWKSet.from_dict(asked["keys"]).keys}
        verifier = create_signature_verifier(lambda kid, _: keys[kid], ["EdDSA"])
    async with httpx.AsyncClient(timeout=TIMEOUT_S) as http:
        card = await A2ACardResolver(http, asked["address"]).get_agent_card(signature_verifier=verifier)
    return Client(asked, card, httpx.AsyncClient(timeout=TIMEOUT_S, headers=headers_of(asked)))


def refusal_of(failure):
    if isinstance(failure, A2AClientJSONRPCError):
        error = failure.error
        details = getattr(error, "data", None)
        return details[0]["reason"] if details else f"code {error.code}"
    if isinstance(failure, A2AClientHTTPError):
        return f"HTTP {failure.status_code}"
    if isinstance(failure, grpc.aio.AioRpcError):
        return f"gRPC {failure.code().name}"
    return None


lines.run(connect, refusal_of)
