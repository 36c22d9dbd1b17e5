"""Calls a relay with the client of openapi-python-client (the package `relay` in the same folder)."""

import importlib
import json
import os
import pkgutil

import relay
from relay import AuthenticatedClient, Client
from relay.api.account import create_stream_token, whoami
from relay.api.conversation import close_request, exchange_keys, list_messages, send_message
from relay.api.requests import find_by_ref, list_requests, poll_help, submit_help
from relay.models import ContextMessage, KeyExchange, PlaintextMessage, PlaintextSubmission, Problem, Role, Topics

for module in pkgutil.walk_packages(relay.__path__, "relay."):
    importlib.import_module(module.name)

base_url, consumer_key, provider_key = (os.environ[name] for name in ("RELAY_URL", "CONSUMER_KEY", "PROVIDER_KEY"))


def client(key):
    return AuthenticatedClient(base_url=base_url, token=key, auth_header_name="x-api-key", prefix="")


agent, expert, anonymous = client(consumer_key), client(provider_key), Client(base_url=base_url)

submitted = submit_help.sync(
    client=anonymous,
    body=PlaintextSubmission(
        api_key=consumer_key,
        messages=[ContextMessage(role="user", content="The deploy hangs.")],
        question="May I remove the lock file?",
        plaintext="The deploy hangs. May I remove the lock file?",
    ),
)
found = find_by_ref.sync(submitted.ref_code, client=expert)
request_id = found.request_id
keys = KeyExchange(
    provider_sign_pub_key=os.environ["SIGN_PUBLIC_KEY"], provider_encrypt_pub_key=os.environ["ENCRYPT_PUBLIC_KEY"]
)
exchange_keys.sync(request_id, client=expert, body=keys)
answer = PlaintextMessage(role=Role.PROVIDER, plaintext="Yes, it is stale.")
sent = send_message.sync(request_id, client=expert, body=answer)
polled = poll_help.sync(request_id, client=anonymous)
conversation = list_messages.sync(request_id, client=agent, after=0, limit=10)
listed = list_requests.sync(client=agent, status="responded")
token = create_stream_token.sync(client=agent, body=Topics(topics=[f"/svc/requests/{request_id}"]))
me = whoami.sync(client=expert)
closed = close_request.sync(request_id, client=agent)
refused = send_message.sync(request_id, client=expert, body=answer)
assert isinstance(refused, Problem)

print(
    json.dumps(
        {
            "found": found.status.value,
            "sent": sent.status.value,
            "polled": polled.response_count,
            "texts": [message.plaintext for message in conversation.messages],
            "listed": [request.ref_code == submitted.ref_code for request in listed.requests],
            "token": len(token.token.split(".")),
            "kind": me.kind.value,
            "closed": closed.status,
            "error": refused.error,
        }
    )
)
