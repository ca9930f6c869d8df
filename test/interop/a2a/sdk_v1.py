"""Drives the client of the Python package a2a-sdk 1.3; what is said and heard is JSON of its protobuf messages."""

import re

import grpc
import httpx
from a2a.client import A2ACardResolver, ClientCallContext, ClientConfig, ClientFactory
from a2a.client.auth import AuthInterceptor, InMemoryContextCredentialStore
from a2a.client.errors import A2AClientError
from a2a.client.service_parameters import ServiceParametersFactory, with_a2a_extensions
from a2a.types import a2a_pb2 as types
from a2a.utils.errors import A2A_ERROR_REASONS, A2AError
from a2a.utils.signing import create_signature_verifier
from google.protobuf.json_format import MessageToDict, ParseDict
from jwt.api_jwk import PyJWKSet

import lines

SESSION = "matrix"
TIMEOUT_S = 30


class Client:
    def __init__(self, asked, card, store):
        self.card = MessageToDict(card)
        self.token, self.version = asked.get("token"), asked.get("version")
        self.extensions = asked.get("extensions", [])
        bindings = [asked["binding"]]
        self.http = httpx.AsyncClient(timeout=TIMEOUT_S)
        interceptors = [AuthInterceptor(store)]

        def client(streaming):
            config = ClientConfig(
                streaming=streaming,
                httpx_client=self.http,
                grpc_channel_factory=grpc.aio.insecure_channel,
                supported_protocol_bindings=bindings,
            )
            return ClientFactory(config).create(card, interceptors)

        self.client, self.unary = client(True), client(False)

    def context(self):
        parameters = ServiceParametersFactory.create([with_a2a_extensions(self.extensions)])
        if self.version is not None:
            parameters["A2A-Version"] = self.version
        return ClientCallContext(state={"sessionId": SESSION}, service_parameters=parameters)

    async def call(self, operation, params):
        client, context = self.client, self.context()
        match operation:
            case "send":
                request = ParseDict(params, types.SendMessageRequest())
                answer = [one async for one in self.unary.send_message(request, context=context)]
                return MessageToDict(answer[0])
            case "get":
                answer = await client.get_task(ParseDict(params, types.GetTaskRequest()), context=context)
            case "list":
                answer = await client.list_tasks(ParseDict(params, types.ListTasksRequest()), context=context)
            case "cancel":
                answer = await client.cancel_task(ParseDict(params, types.CancelTaskRequest()), context=context)
            case "createHook":
                request = ParseDict(params, types.TaskPushNotificationConfig())
                answer = await client.create_task_push_notification_config(request, context=context)
            case "getHook":
                request = ParseDict(params, types.GetTaskPushNotificationConfigRequest())
                answer = await client.get_task_push_notification_config(request, context=context)
            case "listHooks":
                request = types.ListTaskPushNotificationConfigsRequest(task_id=params["taskId"])
                answer = await client.list_task_push_notification_configs(request, context=context)
            case "deleteHook":
                request = ParseDict(params, types.DeleteTaskPushNotificationConfigRequest())
                await client.delete_task_push_notification_config(request, context=context)
                return None
            case "extendedCard":
                request = types.GetExtendedAgentCardRequest()
                answer = await client.get_extended_agent_card(request, context=context)
        return MessageToDict(answer)

    async def follow(self, operation, params):
        context = self.context()
        if operation == "stream":
            request = ParseDict(params, types.SendMessageRequest())
            steps = self.client.send_message(request, context=context)
        else:
            request = ParseDict(params, types.SubscribeToTaskRequest())
            steps = self.client.subscribe(request, context=context)
        async for step in steps:
            yield MessageToDict(step)

    async def close(self):
        await self.client.close()
        await self.http.aclose()


async def connect(asked):
    """With "keys" the card must be signed by one of them; with "version" of the card that form of it is asked for."""
    verifier = None
    if "keys" in asked:
        keys = {key.key_id: key for key in PyJWKSet.from_dict(asked["keys"]).keys}
        verifier = create_signature_verifier(lambda kid, _: keys[kid], ["EdDSA"])
    headers = {"A2A-Version": asked.get("cardVersion", "1.0")}
    async with httpx.AsyncClient(timeout=TIMEOUT_S, headers=headers) as http:
        card = await A2ACardResolver(http, asked["address"]).get_agent_card(signature_verifier=verifier)
    store = InMemoryContextCredentialStore()
    if "token" in asked:
        await store.set_credentials(SESSION, "bearer", asked["token"])
    return Client(asked, card, store)


def refusal_of(failure):
    if type(failure) in A2A_ERROR_REASONS:
        return A2A_ERROR_REASONS[type(failure)]
    status = re.search(r"(?:HTTP|gRPC) Error (\w+)", str(failure))
    if isinstance(failure, (A2AError, A2AClientError)):
        return status.group(0).replace(" Error", "") if status else type(failure).__name__
    return None


lines.run(connect, refusal_of)
