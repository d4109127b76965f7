"""Lists, reads, replies and verifies with the generated client. Prints what it saw as JSON."""

import json
import os

from parley_api import AuthenticatedClient
from parley_api.api.conversations import get_conversation, list_conversations
from parley_api.api.messages import send_reply
from parley_api.models import (
    GetConversationResponse200,
    ListConversationsResponse200,
    MessageReceivedEvent,
    SendReplyResponse200,
    TextReply,
    UnauthorizedFailure,
)
from parley_receiver import InvalidSignature, verify_webhook

base_url = os.environ["PARLEY_URL"]
client = AuthenticatedClient(base_url=base_url, token=os.environ["PARLEY_KEY"])

listed = list_conversations.sync(client=client, limit=10)
assert isinstance(listed, ListConversationsResponse200)
conversation = listed.data.conversations[0]

read = get_conversation.sync(conversation.id, client=client)
assert isinstance(read, GetConversationResponse200)

body = TextReply(conversation_id=conversation.id, text=os.environ["REPLY_TEXT"])
sent = send_reply.sync(client=client, body=body)
assert isinstance(sent, SendReplyResponse200)

refused = list_conversations.sync(client=AuthenticatedClient(base_url=base_url, token="svc_live_unknown"))
assert isinstance(refused, UnauthorizedFailure)

with open("delivery.json", encoding="utf-8") as file:
    delivery = json.load(file)
raw_body = delivery["body"].encode()


def is_verified(received: bytes) -> bool:
    headers = {"Svc-Timestamp": delivery["timestamp"], "Svc-Signature": delivery["signature"]}
    try:
        verify_webhook(received, headers, delivery["secret"])
        return True
    except InvalidSignature:
        return False


event = MessageReceivedEvent.from_dict(json.loads(raw_body))
print(
    json.dumps(
        {
            "conversation": conversation.id,
            "texts": [message.text for message in read.data.messages],
            "sent": sent.data.platform_message_id,
            "refusal": str(refused.error.code),
            "verified": is_verified(raw_body),
            "changed": is_verified(raw_body + b" "),
            "event": event.data.message.text,
        }
    )
)
