import type { Conversation, Platform } from "./types.ts";

/** How a person is called: the name, or else the user name, or else the handle or the id. */
export function personName(conversation: Conversation): string {
  const { participant_name, participant_username, participant_handle, participant_id } = conversation;
  return participant_name || participant_username || participant_handle || participant_id;
}

/** The user name beside the name; empty where it is the name. */
export function personHandle(conversation: Conversation): string {
  const handle = conversation.participant_username ?? "";
  return handle === personName(conversation) ? "" : handle;
}

/** The link with which a person starts or goes on with a conversation in the platform's app. */
export function platformLink({ platform, account_handle }: Conversation): string {
  return `https://${platform === "instagram" ? "ig.me" : "m.me"}/${platform === "instagram" ? "m/" : ""}${account_handle}`;
}

/** Where the person is shown on the platform; null where that is not known. */
export function profileLink({ platform, participant_username }: Conversation): string | null {
  if (platform !== "instagram" || participant_username === null) return null;
  // Half a character cannot be part of an address.
  return `https://www.instagram.com/${encodeURIComponent(participant_username.replace(/\p{Surrogate}/gu, "\ufffd"))}`;
}

const platforms = { instagram: "Instagram", messenger: "Messenger" } as const;

/** The platform as people call it. */
export function platformName(platform: Platform): string {
  return platforms[platform];
}

export function isPlatform(value: unknown): value is Platform {
  return typeof value === "string" && Object.hasOwn(platforms, value);
}
