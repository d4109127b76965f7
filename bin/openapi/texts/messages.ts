import { oneOf, type Texts } from "../describe/texts.ts";

/** Messages as they are read and sent. */
export const messageTexts: Texts = {
  "/v1/messages/{id}": "The platform's id of the message.",

  listMessages:
    "Returns messages of the whole tenant or of one conversation, newest first. Each is listed for 7 days after it was sent. A `conversation_id` of another tenant is 404 `conversation_not_found`.",
  "listMessages?conversation_id": "Only messages of this conversation. Percent-encode the id: `#` is `%23`.",
  "listMessages?direction": "Only messages of this direction.",
  "listMessages?include_test": oneOf("Whether messages sent with test keys are included.", {
    true: "They are included.",
    false: "They are left out. This is the default.",
  }),

  getMessage:
    "Returns one message, for 7 days after it was sent. An unknown id, one of another tenant and, without `include_test=true`, one sent with a test key are 404 `message_not_found`.",
  "getMessage?include_test": oneOf("Whether a message sent with a test key is returned.", {
    true: "It is returned.",
    false: "It is 404. This is the default.",
  }),

  sendReply:
    "Sends a text, up to 10 images, or one video, audio or file, within 24 hours of the participant's last message. Later it is 409 `window_closed`: use the human-agent route. A text has at most 1,000 bytes of UTF-8 on Instagram and 2,000 characters on Messenger, and is never split. Each send counts toward the limits: 10 in 10 seconds and 200 in 24 hours for a conversation, 100 in 10 seconds for an account; beyond them it is 409 `rate_limited`. 502 `send_failed` has the platform's reason in `detail`. With the detail `outcome_unknown` the message may have been sent: read the conversation before you send it again. A test key sends through a simulated connection. `message.sent` or `message.failed` follows.",
  "SendReplyData.platform_message_id": "The platform's id of the sent message, which `GET /v1/messages/{id}` takes.",

  sendHumanAgentMessage:
    "Holds a message that a person typed, from 24 hours to 7 days after the participant's last message. Nothing is sent until the author opens `verify_url` within 15 minutes and passes the check. The message is then sent once, under the policy at that time: as a reply if the participant wrote after the hold was created. Earlier, later, or without an inbound message it is 409 `human_agent_unavailable`, and without `actor_id` 409 `missing_actor`. A conversation has 20 such messages in 24 hours, beside the limits of a reply; a hold checks them when it is created and spends them when it is sent. `GET /v1/messages/holds/{hold_id}` and the message events report the result.",

  TextReply: "A reply with a text, to a person who wrote in the last 24 hours.",
  AttachmentsReply: "A reply with files, to a person who wrote in the last 24 hours.",
  SendReplyRequest: "The body of a reply: a conversation, and either a text or attachments.",
  "TextReply.conversation_id": "The conversation to send to, which also names the tenant.",
  "TextReply.text": "The text to send: at most 1,000 bytes of UTF-8 on Instagram, and 2,000 characters on Messenger.",
  "AttachmentsReply.attachments": "1 to 10 images, or one video, audio or file.",
  "TextReply.reply_to": "The platform's id of the message that this one answers. Absent or null for none.",
  TextFromPerson: "A text that a named person typed.",
  AttachmentsFromPerson: "One or more files that a named person sends.",
  SendHumanAgentMessageRequest:
    "The body of a message from a named person: a conversation, the person, and either a text or attachments.",
  "TextFromPerson.actor_id":
    "Who typed the message. Of a session it is its own `actor_id`; a key names any person. Null or absent is 409 `missing_actor`.",
  OutgoingAttachment: "A file to send: one at a public URL, or one that was uploaded.",
  "LinkedFile.url": "A public https URL from which the platform fetches the file.",
  "UploadedFile.attachment_id": "The `attachment.id` of a `ready` upload for the same account.",
  LinkedFile: "A file to send that is at a public URL.",
  UploadedFile: "A file to send that was uploaded before.",

  Message: "A message as it is now: with its newest text, and without content once it was unsent.",
  "Message.id": "The platform's own id of the message.",
  "Message.text":
    "The text, after edits. Empty for media alone and for an unsent message. An inbound text is cut at 20,000 units of UTF-16.",
  "Message.text_truncated":
    "Whether the platform sent a longer text. The rest is not stored: the conversation in the platform's app has it.",
  "Message.attachments": "The media of the message, in order. Empty when there is none.",
  "Message.sent_at": "When it was sent, by the platform's clock, in ISO 8601 and UTC.",
  "Message.actor_id": "The person who sent it, as given with the send. Null for any other message.",
  "Message.reply_to": "The id of the message that it answers. Null if it answers none.",
  "Message.story": "The story that the participant replied to or mentioned the account in. Null without one.",
  "Message.quick_reply": "The quick reply that the participant pressed. Null without one.",
  "Message.postback": "The button that the participant pressed. Null without one.",
  "Message.referral": "The link, ad or plugin by which the participant came. Null without one.",
  "Message.edited_at": "When it was last edited, in ISO 8601. Null if it was not.",
  "Message.deleted_at": "When it was unsent, in ISO 8601. Its content is then gone. Null if it was not.",
  "Message.reactions": "The current reactions, at most one of the participant and one of the account.",

  Attachment: "A file or another part of a message.",
  "Attachment.title": "The title of a share or a file, where the platform gives one. Else null.",
  "Attachment.coordinates": "Where a `location` is. Null for any other type.",
  Coordinates: "A place on the map, in decimal degrees.",
  "Coordinates.lat": "The latitude in degrees, -90 to 90.",
  "Coordinates.long": "The longitude in degrees, -180 to 180.",
  Reaction: "A reaction to a message.",
  "Reaction.reaction": "The platform's word for it, such as `love` or `other`. Null when the platform gives none.",
  "Reaction.emoji": "The emoji itself. Null when the platform gives none.",
  "Reaction.at": "When somebody reacted, in ISO 8601 and UTC.",
  Story: "A story that a message is about.",
  "Story.id": "The platform's id of the story. Null for a mention.",
  "Story.url": "The platform's URL of its media, which expires with the story. Null where the platform gives none.",
  "Story.kind": oneOf("How the message is about the story.", {
    reply: "The participant answered a story of the account.",
    mention: "The participant mentioned the account in a story of their own.",
  }),
  QuickReply: "A pressed quick reply.",
  "QuickReply.payload": "The payload that the business gave to the quick reply.",
  Postback: "A pressed button, or an ice breaker.",
  "Postback.title": "The text on the button. Null where the platform gives none.",
  "Postback.payload": "The payload that the business gave to the button. Null without one.",
  Referral: "How a person came to the conversation.",
  "Referral.ref": "The `ref` of the link or ad, as the business chose it. Null without one.",
  "Referral.source": "The platform's word for where it was, such as `SHORTLINK` or `ADS`. Null where it gives none.",
  "Referral.type": "The platform's word for what happened, such as `OPEN_THREAD`. Null where it gives none.",
  "Referral.ad_id": "The id of the ad. Null for anything but an ad.",
  "Referral.at": "When the person came, by the platform's clock, in ISO 8601 and UTC.",
};
