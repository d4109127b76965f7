import type { TextSource } from "../describe/text-lookup.ts";
import { accessTexts } from "./access.ts";
import { accountTexts } from "./accounts.ts";
import { conversationTexts } from "./conversations.ts";
import { enumTexts } from "./enums.ts";
import { catalogTexts } from "./event-catalog.ts";
import { eventTexts } from "./events.ts";
import { holdTexts } from "./holds.ts";
import { messageTexts } from "./messages.ts";
import { serviceTexts } from "./service.ts";
import { alikePlaces, sharedFields } from "./shared-fields.ts";
import { signInTexts } from "./sign-in.ts";
import { statsTexts } from "./stats.ts";
import { uploadTexts } from "./uploads.ts";
import { webhookTexts } from "./webhooks.ts";

/** Every description of the published document that no declaration has. */
export const publishedTexts: TextSource = {
  texts: [
    conversationTexts,
    messageTexts,
    holdTexts,
    uploadTexts,
    accountTexts,
    webhookTexts,
    eventTexts,
    catalogTexts,
    accessTexts,
    signInTexts,
    statsTexts,
    serviceTexts,
    enumTexts,
  ],
  alike: alikePlaces,
  fields: sharedFields,
};
