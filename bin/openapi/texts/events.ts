import { oneOf, type Texts } from "../describe/texts.ts";

/** The events, and the data that only they have. */
export const eventTexts: Texts = {
  "message.received": "Inbound message",
  "message.sent": "Sent message",
  "message.failed": "Failed message",
  "message.deleted": "Unsent message",
  "message.edited": "Edited message",
  "message.reaction": "Reaction to a message",
  "referral.received": "Referral without a message",
  "conversation.updated": "Changed conversation",
  "account.connected": "Connected account",
  "account.reconnected": "Reconnected account",
  "account.disconnected": "Disconnected account",
  "account.refresh_failing": "Account with a failing token refresh",
  "account.needs_reauth": "Account to connect again",
  "account.restricted": "Restricted account",
  "account.recovered": "Recovered account",
  "webhook.paused": "Paused webhook endpoint",
  "test.event": "Test event",

  "AnyEvent.id":
    "The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it.",
  "AnyEvent.type": "The type, by which to choose what to do. Ignore events of a type that you do not know.",
  "AnyEvent.api_version": "The version of the body. Within a version, bodies only gain fields.",
  "AnyEvent.created_at": "When Parley first learned of it, in ISO 8601 and UTC.",
  "AnyEvent.data": "What happened. Its fields depend on `type`.",

  Event: "Any event that an endpoint receives. `type` says which.",
  "MessageDeletedEvent.data.message": "The message that was unsent, without its content.",
  "MessageEditedEvent.data.message": "The message that was edited, with its new text.",
  "MessageEditedEvent.data.message.edit_count": "How often it was edited, this time included.",
  "MessageReactionEvent.data.message": "The message that the reaction is about.",
  "MessageReactionEvent.data.reaction": "The reaction that was added or removed.",
  "MessageReactionEvent.data.reaction.action": oneOf("What was done.", {
    react: "The reaction was added, or replaced an earlier one.",
    unreact: "The reaction was removed.",
  }),
  "ReferralReceivedEvent.data.referral": "The referral with the person and the account. No message is stored.",
  "MessageFailedEvent.data.error": "Why the message failed.",
  MessageEventData: "What `message.received` and `message.sent` say.",
  EventMessage: "A message as it was when the event happened, with its person. Later changes have events of their own.",
  "EventMessage.hold_id": "The held message that this was. Absent for any other message.",
  "EventMessage.test": "`true` for a message sent with a test key. Absent for any other message.",
  FailedMessage: "The message that was not sent, as it would have been.",
  "FailedMessage.id": "Always null: a message that was not sent has no id.",
  Participant: "The person who writes with the account.",
  "Participant.id": "The platform's id of the person. It differs for each account that the person writes to.",
  "Participant.handle":
    "What to call the person: the user name, or the full name on Messenger. Null until the profile is known.",
  "Participant.username": "The person's user name on Instagram. Null on Messenger and until the profile is known.",
  "Participant.name": "The person's display name. Null until the profile is known.",

  AccountEventData: "What the events of an account say.",
  "AccountEventData.reason": oneOf("Why the account changed.", {
    user: "Somebody connected or disconnected it.",
    platform_deauthorized: "The person who connected it removed the app on the platform.",
    token_invalid: "The platform no longer accepts the access token.",
    policy: "The platform restricted it, or ended the restriction.",
  }),
  EventAccount: "The account as it was when the event happened.",

  "WebhookPausedEvent.data.endpoint_id": "The id of the endpoint that was paused.",
  "WebhookPausedEvent.data.reason": "Why it was paused: `gone` after a 410, `failing` after 5 days of failed attempts.",
  "TestEvent.data.endpoint_id": "The id of the endpoint that gets the event.",
  "TestEvent.data.note": "A sentence for people which says that this is a test.",
  "TestEvent.data.requested_by": "Who requested it, in the form of an audit entry's `actor`.",
};
