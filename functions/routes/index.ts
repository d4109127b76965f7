import { listAccounts } from "./accounts.ts";
import { listAudit } from "./audit.ts";
import { listConversations, readConversation } from "./conversations.ts";
import { listDeliveries, replayDelivery, summarizeDeliveries } from "./deliveries.ts";
import { eraseConversation } from "./erasures.ts";
import { listEventTypes } from "./event-types.ts";
import { readHold } from "./holds.ts";
import { sendAsHumanAgent } from "./human-agent.ts";
import { listMessages, readMessage } from "./messages.ts";
import { replayDeliveries } from "./replay-window.ts";
import { sendReply } from "./replies.ts";
import { health, ping, root, securityTxt } from "./service.ts";
import { readStats } from "./stats.ts";
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listWebhooks,
  readWebhook,
  rotateSecret,
  testWebhook,
} from "./webhooks.ts";

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
