import type { Texts } from "../describe/texts.ts";

/** Fields that mean the same wherever they are. A description of one place wins. */
export const sharedFields: Texts = {
  next_cursor: "The `cursor` of the next page. Null on the last page.",
  tenant_id: "The slug of the tenant.",
  account_key: "The key of the connected account: `<platform>#<external_id>`.",
  conversation_id: "The conversation to which it belongs.",
  messages: "The messages of this page, newest first. It may be empty while `next_cursor` is not null.",
  created_at: "When it was created, in ISO 8601 and UTC.",
  updated_at: "When it was last changed, in ISO 8601 and UTC.",
};

/** Places that have the fields of another one, with the same meaning. `*Event`: each schema whose name ends so. */
export const alikePlaces: Readonly<Record<string, string>> = {
  EventMessage: "Message",
  FailedMessage: "EventMessage",
  "MessageDeletedEvent.data.message": "Message",
  "MessageEditedEvent.data.message": "Message",
  "MessageReactionEvent.data.message": "Message",
  "MessageReactionEvent.data.reaction": "Reaction",
  "ReferralReceivedEvent.data.referral": "Referral",
  "MessageFailedEvent.data.error": "OutcomeError",
  EventAccount: "Account",
  DeliveryDetail: "Delivery",
  HeldMessage: "EndedHold",
  "HoldUpdatedFrame.data.hold": "Hold",
  CreateKeyData: "Key",
  CreateKeyRequest: "Key",
  OwnInvite: "Invite",
  CreateInviteRequest: "Invite",
  CreateTenantRequest: "Tenant",
  UpdateTenantRequest: "Tenant",
  CreateUploadRequest: "Upload",
  CreateWebhookRequest: "Endpoint",
  AttachmentsReply: "TextReply",
  TextFromPerson: "TextReply",
  AttachmentsFromPerson: "AttachmentsReply",
  "AttachmentsFromPerson.actor_id": "TextFromPerson.actor_id",
  GetHeldMessageRequest: "CompleteCheckRequest",
  CreateChallengeRequest: "CompleteCheckRequest",
  CreateMessengerLoginData: "CreateInstagramLoginData",
  "PresenceUpdatedFrame.data": "PresenceFrame",
  "*Event": "AnyEvent",
  "*Frame": "AnyEvent",
};
