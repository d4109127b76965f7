import { listAccounts } from "./accounts.ts";
import { listConversations, readConversation } from "./conversations.ts";
import { listMessages, readMessage } from "./messages.ts";
import { sendReply } from "./replies.ts";
import { health, ping, root, securityTxt } from "./service.ts";
import { createWebhook, listDeliveries, listWebhooks, readWebhook } from "./webhooks.ts";

/** Every route of the API function. */
export const apiRoutes = [
  ping,
  health,
  root,
  securityTxt,
  listConversations,
  readConversation,
  listMessages,
  readMessage,
  sendReply,
  listAccounts,
  listWebhooks,
  createWebhook,
  readWebhook,
  listDeliveries,
] as const;
