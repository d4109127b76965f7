import { DAY } from "#base/kernel/time.ts";
import { PAGE_OWNER, type SeedAccount } from "./seed.ts";

const page = {
  pageId: "100000000000077",
  displayName: "Marlow Ceramics",
  token: "EAA-local-marlow-ceramics",
  authorizedBy: [PAGE_OWNER],
  // A message belongs to the tenant that had its account at the time.
  connectedAgo: 8 * DAY,
} as const;

/** The accounts of the demo's workshop, on one Facebook Page. They were connected before its first message. */
export const workshopAccounts: readonly SeedAccount[] = [
  { ...page, connection: "instagram_page", externalId: "17841400000000077", handle: "marlow.ceramics" },
  { ...page, connection: "messenger", externalId: "100000000000077", handle: "marlowceramics" },
];
