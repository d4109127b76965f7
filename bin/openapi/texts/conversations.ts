import { oneOf, type Texts } from "../describe/texts.ts";

/** Conversations, and the erasure of one. */
export const conversationTexts: Texts = {
  "/v1/conversations/{id}": "The id of the conversation, as a list or an event has it.",

  listConversations:
    "Returns conversations by their newest message in either direction, newest first. A participant's message, a send through the API and a message from another app each move a conversation to the top. The filters combine. A filtered page examines at most 200 conversations: it may be short or empty and still return a `next_cursor`.",
  "listConversations?unanswered": oneOf("Which conversations are listed.", {
    true: "Those whose newest message is inbound.",
    false: "All of them. This is the default.",
  }),
  "listConversations?needs_reply": oneOf("Which conversations are listed.", {
    true: "Those whose newest message is inbound and not marked as done.",
    false: "All of them. This is the default.",
  }),
  "listConversations?platform": "Only conversations on this platform.",

  getConversation:
    "Returns the conversation and a page of its messages, newest first. `limit` and `cursor` are those of the messages. Messages are stored for 7 days after they were sent, so a conversation is 404 `conversation_not_found` 7 days after its last one. An id of another tenant is the same 404.",
  "getConversation?include_test": oneOf("Whether messages sent with test keys are included.", {
    true: "They are included.",
    false: "They are left out. This is the default.",
  }),

  updateConversation:
    "Marks the last inbound message as one that needs no reply, such as “Thanks!”, or takes that back. The participant's next message ends the mark. A conversation whose last message is not inbound stays as it is. Nothing is sent to the platform. A test key gets 403.",
  "UpdateConversationRequest.done": "`true` marks the last inbound message as done. `false` removes the mark.",

  eraseConversation:
    "Erases the conversation with its messages, the participant's profile, the delivered copies of its events, its send records, uploads and holds. An erasure cannot be undone. 202 with `done: false` means that it took longer than 15 seconds and continues in the background: repeat the call until it returns 200. For 7 days and 1 hour after the last call a repeated call returns 200 with zeros, then 404. A test key gets 403. No event is sent. A new message from the participant starts a new conversation. Raw platform webhooks are not erased; they expire 7 days after arrival.",
  "EraseConversationData.done":
    "Whether nothing of the conversation is left. `false`, with the status 202: the erasure continues in the background.",

  RemovedCounts: "What an erasure removed so far. It has counts only, never content.",
  "RemovedCounts.conversation": "1 if the conversation itself was removed by this call, else 0.",
  "RemovedCounts.profile": "1 if a stored profile of the participant was removed, else 0.",
  "RemovedCounts.messages": "How many messages were removed, in both directions.",
  "RemovedCounts.markers":
    "How many records beside the messages were removed: ids of outbound messages, published edits and reactions, and changes that arrived before their message.",
  "RemovedCounts.deliveries": "How many deliveries of events were removed, with their bodies, on all endpoints.",
  "RemovedCounts.send_records": "How many records of sends and idempotency keys were removed.",
  "RemovedCounts.uploads": "How many uploads that waited for the platform were removed.",
  "RemovedCounts.holds": "How many held messages were removed.",

  Conversation:
    "Everything that one person and one connected account wrote to each other in the last 7 days, with what may be sent now.",
  "Conversation.id":
    "The id, of the form `CONV#<tenant>#<platform>#<external_id>#<participant_id>`. In a path, `#` is `%23`.",
  "Conversation.account_handle":
    "The handle of the connected account, without `@`: the user name on Instagram, that of the page or its name on Messenger.",
  "Conversation.participant_id":
    "The platform's id of the person. It differs for each account that the person writes to.",
  "Conversation.participant_handle":
    "What to call the person: the user name, or the full name on a platform without user names. Null until the profile is known.",
  "Conversation.participant_username":
    "The person's user name on Instagram. Null on Messenger and until the profile is known.",
  "Conversation.participant_name":
    "The person's display name. Null until the profile is known, and for a person without one.",
  "Conversation.participant_picture":
    "The URL of the profile picture at the platform, which expires after a while. Null without one.",
  "Conversation.last_inbound_at":
    "When the participant last wrote, in ISO 8601. The windows are counted from it. Null if they have not written.",
  "Conversation.last_outbound_at":
    "When the account last wrote, through the API or another app, in ISO 8601. Null if it has not.",
  "Conversation.last_message_text":
    "The first 200 characters of the newest message. Empty for media alone and for an unsent message.",
  "Conversation.last_message": "What the newest message is, for a preview.",
  "Conversation.window":
    "What may be sent now. It follows from `last_inbound_at` and the time of the request, and is computed on each read.",
  "Conversation.window.expires_at":
    "When the current state ends, in ISO 8601: 24 hours or 7 days after the last inbound message. Of `closed`, when it closed. Null for `no_inbound`.",
  "Conversation.unanswered": "Whether the newest message is inbound.",
  "Conversation.can_reply":
    "Whether `POST /v1/messages/reply` is allowed now: `true` exactly while the state of the window is `open_24h`.",
  "Conversation.can_send_as_human_agent":
    "Whether `POST /v1/messages/human-agent` is allowed now: `true` exactly while the state of the window is `human_agent_7d`.",
  "Conversation.last_message.kind": oneOf(
    "What the message is: `text`, or the type of its first attachment. An unsent message is an empty `text`.",
    {
      text: "A text without an attachment.",
      image: "A picture.",
      video: "A video.",
      audio: "A voice message or another recording.",
      file: "Any other file.",
      share: "A shared post or link.",
      story_mention: "A mention in the participant's story.",
      sticker: "A sticker or a like.",
      location: "A place.",
      unsupported: "Content that only the platform's own app shows.",
    },
  ),
  "ListConversationsData.conversations":
    "The conversations of this page. It may be empty while `next_cursor` is not null.",
  "listConversations?order": oneOf(
    "The order of a list with `needs_reply=true`. Without it the newest message is first.",
    {
      closing:
        "The conversation whose window for replies closes first is first; then those to whom only a person may write.",
    },
  ),
};
