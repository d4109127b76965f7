import type { View } from "../../data/inbox-lists.ts";
import { isPlatform } from "../../data/names.ts";
import type { Platform } from "../../data/types.ts";

// What a person chose in the list. It is stored for the tab, so that a reload shows the same list at the same place.

export interface ListChoice {
  readonly view: View;
  readonly platform: Platform | null;
  readonly accountKey: string | null;
  readonly window: "open" | "closing" | "person" | "closed" | null;
}

/** The choice, and where each list was left. */
export interface ListMemory {
  readonly choice: ListChoice;
  /** Pixels by the key of the list, the list that was left last at the end. A list without one is at its top. */
  readonly places: Readonly<Record<string, number>>;
}

const PLACES_MAX = 20;

export const nothingStored: ListMemory = {
  choice: { view: "needs-reply", platform: null, accountKey: null, window: null },
  places: {},
};

/** The same list has the same key. */
export function placeKey({ view, platform, accountKey, window }: ListChoice): string {
  return JSON.stringify([view, platform, accountKey, window]);
}

/** What is stored of the lists. Anything that is not a choice counts as none. */
export function parseMemory(text: string | null): ListMemory {
  try {
    const { view, platform, accountKey, window, places } = JSON.parse(text ?? "{}");
    return {
      choice: {
        view: view === "all" ? "all" : "needs-reply",
        platform: isPlatform(platform) ? platform : null,
        accountKey: typeof accountKey === "string" ? accountKey : null,
        window: ["open", "closing", "person", "closed"].includes(window) ? window : null,
      },
      places: Object.fromEntries(
        Object.entries(places ?? {}).filter(
          (entry): entry is [string, number] => typeof entry[1] === "number" && entry[1] > 0,
        ),
      ),
    };
  } catch {
    return nothingStored;
  }
}

/** The text of what is stored. */
export function formatMemory({ choice, places }: ListMemory): string {
  return JSON.stringify({ ...choice, places });
}

/** Notes where a list was left. @param place in pixels */
export function withPlace(memory: ListMemory, key: string, place: number): ListMemory {
  const { [key]: _, ...others } = memory.places;
  const entries = Object.entries(place > 0 ? { ...others, [key]: place } : others);
  return { ...memory, places: Object.fromEntries(entries.slice(-PLACES_MAX)) };
}
