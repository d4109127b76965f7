import type { View } from "../../data/inbox-lists.ts";
import { isPlatform } from "../../data/names.ts";
import type { Platform } from "../../data/types.ts";

// What a person chose in the list. It is stored for the tab, so that a reload shows the same list at the same place.

export interface ListChoice {
  readonly view: View;
  readonly platform: Platform | null;
  readonly accountKey: string | null;
  readonly window: "open" | "closing" | "person" | "closed" | null;
  /** Pixels. */
  readonly scrollTop: number;
}

export const firstChoice: ListChoice = {
  view: "needs-reply",
  platform: null,
  accountKey: null,
  window: null,
  scrollTop: 0,
};

/** What is stored of a list. Anything that is not a choice counts as none. */
export function parseChoice(text: string | null): ListChoice {
  try {
    const { view, platform, accountKey, window, scrollTop } = JSON.parse(text ?? "{}");
    return {
      view: view === "all" ? "all" : "needs-reply",
      platform: isPlatform(platform) ? platform : null,
      accountKey: typeof accountKey === "string" ? accountKey : null,
      window: ["open", "closing", "person", "closed"].includes(window) ? window : null,
      scrollTop: typeof scrollTop === "number" && scrollTop > 0 ? scrollTop : 0,
    };
  } catch {
    return firstChoice;
  }
}
