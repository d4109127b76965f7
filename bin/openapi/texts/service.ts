import type { Texts } from "../describe/texts.ts";

/** The realtime stream, and what belongs to the service as a whole. */
export const serviceTexts: Texts = {
  createRealtimeTicket:
    "Creates a ticket that opens one WebSocket within a minute: connect to `url` with `?ticket=<ticket>`. The connection of a signed-in person must have the console's origin. A ticket is returned once and works once.",
  createSessionTicket:
    "Creates a ticket that opens one WebSocket within a minute: connect to `url` with `?ticket=<ticket>`, from the console's origin. A ticket is returned once and works once. The person's tenant is named in `tenant`, unless they have only one.",
  RealtimeTicket: "What opens one connection to the realtime stream.",
  "RealtimeTicket.ticket": "The secret of the ticket: `wst_` and random characters. It works once.",
  "RealtimeTicket.expires_at": "Until when it opens a connection, in epoch milliseconds.",
  "RealtimeTicket.expires_in_ms": "How long it opens a connection, in milliseconds: always 60000.",
  "RealtimeTicket.url": "The address of the WebSocket, without the ticket.",

  HelloFrame: "The first frame of a connection.",
  "HelloFrame.type": "Always `hello`, of the first frame alone.",
  "HelloFrame.connection_id": "The id of the connection, for a report of a problem.",
  "HelloFrame.server_time": "The time of the server, in epoch milliseconds.",
  "HelloFrame.expires_at": "When the connection is closed at the latest, in epoch milliseconds.",
  PingFrame: "What a client sends to keep its connection open.",
  "PingFrame.type": "Always `ping`, which the server answers with `pong`.",
  PongFrame: "The answer to a ping of the client.",
  "PongFrame.type": "Always `pong`, of the answer to `ping`.",
  MessageReceivedFrame: "The event `message.received`, on a connection that also asks for conversations.",
  MessageSentFrame: "The event `message.sent`, on a connection that also asks for conversations.",
  ConversationUpdatedFrame: "A conversation changed, or was erased.",
  "ConversationUpdatedFrame.data.conversation": "The conversation as it is now, or only its id when it was erased.",
  "ConversationUpdatedFrame.data.conversation.id": "The id of the conversation that was erased.",
  "ConversationUpdatedFrame.data.conversation.erased": "Always `true`: forget everything about the conversation.",
  HoldUpdatedFrame: "A held message changed its status.",
  "HoldUpdatedFrame.data.hold": "The held message as it is now.",
  UploadUpdatedFrame: "An upload changed its status.",
  PresenceFrame: "What a client sends when its person opens, answers or closes a conversation.",
  "PresenceFrame.type": "Always `presence`, of the frame of a person's activity.",
  "PresenceFrame.conversation_id": "The conversation that the person reads or writes in.",
  PresenceUpdatedFrame: "Another person of the tenant reads or writes in a conversation, or left it.",
  "PresenceUpdatedFrame.data.user_id": "The id of the other person.",
  GatewayFailureFrame: "What the gateway sends when a frame of the client was not processed.",
  "GatewayFailureFrame.message": "What the gateway says, such as `Internal server error`.",
  "GatewayFailureFrame.connectionId": "The gateway's id of the connection.",
  "GatewayFailureFrame.requestId": "The gateway's id of the frame, for a report of a problem.",

  health:
    "Answers 200 while the service is up. It needs no credential and reads nothing, so monitors may call it often.",
  "healthResponse.ok": "Always `true`, while the service is up.",
  ping: "Returns the name and the version of the service. It needs no credential and says nothing about a tenant.",
  "PingData.name": "The name of the service: `parley`.",
  "PingData.version": "The version of the deployment, which is not that of the API.",
  "PingData.time": "The time of the server, in ISO 8601 and UTC.",
  redirectToSite:
    "Redirects to the operator's website, with the query of the request. 404 `route_not_found` in a deployment without the setting `site_url`: the error then has the addresses of the documentation, the console and the health check, and a browser gets them as a page.",
  redirectToSecurityTxt:
    "Redirects to the `security.txt` of the operator's website. 404 `route_not_found` in a deployment without the setting `site_url`.",
  getOpenApiDocument:
    "Returns this document. Pages of any origin may read it. A copy may be five minutes old. A query changes nothing.",
  "getOpenApiDocumentResponse.openapi": "The version of OpenAPI in which the document is written.",

  "/webhooks/{platform}":
    "The platform that calls, as in the URL that its app has. Either accepts the webhooks of both.",
  confirmPlatformSubscription:
    "The platform calls this once when its app subscribes to webhooks. Answers with the challenge if the token is that of the deployment, else with 403.",
  "confirmPlatformSubscription?hub.mode": "What the platform wants: always `subscribe`.",
  "confirmPlatformSubscription?hub.verify_token": "The token that the operator gave to the platform app.",
  "confirmPlatformSubscription?hub.challenge": "The text that the response repeats.",
  receivePlatformWebhook:
    "The platform calls this with messages and changes. 200 means that the webhook is stored durably; it is processed afterwards. The body may have 5 MB. A wrong signature is 401 `signature_invalid`. Any other failure makes the platform call again.",
  "receivePlatformWebhookForm.object": "What the webhook is about: `instagram` or `page`.",
  "receivePlatformWebhookForm.entry": "The platform's entries, each with the messages and changes of one account.",
  requestDataDeletion:
    "The platform calls this when a person requests the deletion of their data. The data of accounts that the person connected up to `issued_at` is deleted in the background. `issued_at` may be 7 days old and 5 minutes ahead. A repeated request gets the same answer and starts nothing.",
  "requestDataDeletionResponse.url": "The page on which the person reads whether their data is deleted.",
  "requestDataDeletionResponse.confirmation_code": "The code of the request, which the page has in its address.",
  receiveDeauthorization:
    "The platform calls this when a person removes the app. The accounts that the person connected up to `issued_at` are disconnected in the background. `issued_at` may be 7 days old and 5 minutes ahead.",
};
