import { listAuditEntries } from "./access/audit.ts";
import { createKey, listKeys, revokeKey } from "./access/keys.ts";
import { listAccounts } from "./accounts/accounts.ts";
import { disconnectAccount } from "./accounts/disconnect.ts";
import { getDelivery, listDeliveries, replayDelivery, summarizeDeliveries } from "./delivery/deliveries.ts";
import { replayDeliveries } from "./delivery/replay-window.ts";
import { eraseConversation } from "./erasure/erasures.ts";
import { getHold } from "./holds/holds.ts";
import { getConversation, listConversations } from "./inbox/conversations.ts";
import { getMessage, listMessages } from "./inbox/messages.ts";
import { createRealtimeTicket } from "./realtime/tickets.ts";
import { sendHumanAgentMessage } from "./sending/human-agent.ts";
import { sendReply } from "./sending/replies.ts";
import { health, ping, redirectToSecurityTxt, redirectToSite } from "./service/service.ts";
import { getStats } from "./stats/stats.ts";
import { createUpload, finishUpload, getUpload } from "./uploads/uploads.ts";
import { listEventTypes } from "./webhooks/event-types.ts";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  sendTestEvent,
  updateWebhook,
} from "./webhooks/webhooks.ts";

/** Every route of the API function. */
export const apiRoutes = [
  ping,
  health,
  redirectToSite,
  redirectToSecurityTxt,
  listConversations,
  getConversation,
  eraseConversation,
  listMessages,
  getMessage,
  sendReply,
  getHold,
  sendHumanAgentMessage,
  createUpload,
  finishUpload,
  getUpload,
  listAccounts,
  disconnectAccount,
  listKeys,
  createKey,
  revokeKey,
  listAuditEntries,
  getStats,
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  sendTestEvent,
  listDeliveries,
  summarizeDeliveries,
  getDelivery,
  replayDeliveries,
  replayDelivery,
  listEventTypes,
  createRealtimeTicket,
] as const;
