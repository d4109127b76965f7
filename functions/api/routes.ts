import type { KeyPorts } from "#features/access/ports.ts";
import { listAuditEntries } from "#features/access/routes/audit.ts";
import { createKey, listKeys, revokeKey } from "#features/access/routes/keys.ts";
import { disconnectAccount, listAccounts } from "#features/accounts/routes/accounts.ts";
import {
  getDelivery,
  listDeliveries,
  replayDelivery,
  summarizeDeliveries,
} from "#features/delivery/routes/deliveries.ts";
import { replayDeliveries } from "#features/delivery/routes/replay-window.ts";
import { eraseConversation } from "#features/erasure/routes.ts";
import { getHold } from "#features/holds/routes/holds.ts";
import { sendHumanAgentMessage } from "#features/holds/routes/human-agent.ts";
import { getConversation, listConversations, updateConversation } from "#features/inbox/routes/conversations.ts";
import { getMessage, listMessages } from "#features/inbox/routes/messages.ts";
import { createRealtimeTicket } from "#features/realtime/routes.ts";
import { sendReply } from "#features/sending/routes.ts";
import { getStats } from "#features/stats/routes.ts";
import { createUpload, finishUpload, getUpload } from "#features/uploads/routes.ts";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listEventTypes,
  listWebhooks,
  rotateWebhookSecret,
  sendTestEvent,
  updateWebhook,
} from "#features/webhooks/routes.ts";
import type { SessionCredentialPorts } from "#http/credentials/caller-credentials.ts";
import type { PortsOf } from "#http/ports-of.ts";
import { health, ping, redirectToSecurityTxt, redirectToSite } from "./service-routes.ts";

/** Every route of the API function. */
export const apiRoutes = [
  ping,
  health,
  redirectToSite,
  redirectToSecurityTxt,
  listConversations,
  getConversation,
  updateConversation,
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

/** The ports of the API function: those of its routes, and what its credentials need. */
export type ApiPorts = PortsOf<typeof apiRoutes> & KeyPorts & SessionCredentialPorts;
