import { listAudit } from "./access/audit.ts";
import { listAccounts } from "./accounts/accounts.ts";
import { listDeliveries, replayDelivery, summarizeDeliveries } from "./delivery/deliveries.ts";
import { replayDeliveries } from "./delivery/replay-window.ts";
import { eraseConversation } from "./erasure/erasures.ts";
import { readHold } from "./holds/holds.ts";
import { listConversations, readConversation } from "./inbox/conversations.ts";
import { listMessages, readMessage } from "./inbox/messages.ts";
import { sendAsHumanAgent } from "./sending/human-agent.ts";
import { sendReply } from "./sending/replies.ts";
import { health, ping, root, securityTxt } from "./service/service.ts";
import { readStats } from "./stats/stats.ts";
import { listEventTypes } from "./webhooks/event-types.ts";
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listWebhooks,
  readWebhook,
  rotateSecret,
  testWebhook,
} from "./webhooks/webhooks.ts";

/** Every route of the API function. */
export const apiRoutes = [
  ping,
  health,
  root,
  securityTxt,
  listConversations,
  readConversation,
  eraseConversation,
  listMessages,
  readMessage,
  sendReply,
  readHold,
  sendAsHumanAgent,
  listAccounts,
  listAudit,
  readStats,
  listWebhooks,
  createWebhook,
  readWebhook,
  changeWebhook,
  deleteWebhook,
  rotateSecret,
  testWebhook,
  listDeliveries,
  summarizeDeliveries,
  replayDeliveries,
  replayDelivery,
  listEventTypes,
] as const;
