import { useSigns } from "../notify/use-signs.ts";
import { usePresence } from "../presence/use-presence.ts";

/** What works beside every page: presence, notifications and sound. It shows nothing itself. @param openId the open conversation */
export function Background({ openId }: { openId: string | null }) {
  usePresence(openId);
  useSigns();
  return null;
}
