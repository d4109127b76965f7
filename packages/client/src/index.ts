export type { Clock } from "./clock.ts";
export { type ApiErrorCode, type ClientErrorCode, type FieldError, ParleyError } from "./errors.ts";
export { type CallOptions, type ClientOptions, HttpClient, type ResponseInfo } from "./http-client.ts";
export type { Body, Data, Operation, Query } from "./operations.ts";
export type { PagedList } from "./pages.ts";
export { Parley } from "./parley.ts";
export type { Progress } from "./post-file.ts";
export type { RealtimeConnection, RealtimeOptions, RealtimeState } from "./realtime/connection.ts";
export type {
  ConversationUpdated,
  Hello,
  HoldUpdated,
  PresenceUpdated,
  StreamEvent,
  UploadUpdated,
} from "./realtime/frames.ts";
export { PRESENCE_LIFETIME_MS, type PresenceState } from "./realtime/presence.ts";
export type { WebSocketConstructor, WebSocketLike } from "./realtime/stream-socket.ts";
export type { FileUpload, UploadOptions, UploadWaitOptions } from "./resources/attachments.ts";
export type { Invite, Member, OwnTenant } from "./resources/console.ts";
export type { HeldMessage, HoldLink, Solution } from "./resources/holds.ts";
export type { Conversation, Message, SendOptions } from "./resources/inbox.ts";
export type { LoginPage, SignInRequest } from "./resources/logins.ts";
export type { Delivery } from "./resources/webhooks.ts";
export type { Account, AuditEntry } from "./resources/workspace.ts";
export type { ReadyUpload, Upload } from "./upload-wait.ts";
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookRequest,
} from "./webhook-verifier.ts";
