import { expect, it } from "vitest";
import { ParleyError } from "#client";
import type { SeenHolds } from "../../../../web/console/inbox/composer/other-holds.ts";
import { heldSoon } from "../../../../web/console/waiting/held.ts";
import { readHolds } from "../../../../web/console/waiting/read-holds.ts";

const NOW = Date.parse("2026-11-29T10:00:00Z");
const MINUTE = 60_000;
const none: SeenHolds = new Map();
const hold = (conversation: string, minutes: number, isOpen = true) => ({
  conversation,
  endsAt: NOW + minutes * MINUTE,
  isOpen,
});
const send = (minutes: number | null) => ({
  key: "k",
  mode: "person" as const,
  body: {},
  at: NOW,
  holdEndsAt: minutes === null ? null : NOW + minutes * MINUTE,
});
const shown = (sources: Partial<Parameters<typeof heldSoon>[0]>) =>
  heldSoon({ own: [], frames: none, read: none, ...sources }, NOW).map(
    ({ conversation, endsAt, isOwn }) => `${isOwn ? "own" : "other"} ${conversation} ${(endsAt - NOW) / MINUTE}`,
  );

it("a held message waits in its last five minutes, and the one that ends first stands first", () => {
  const own = [["a", [send(4), send(5), send(0), send(null)]] as const];
  const frames = new Map([
    ["h1", hold("b", 2)],
    ["h2", hold("c", 6)],
    ["h3", hold("d", 1, false)],
  ]);
  expect(shown({ own, frames })).toEqual(["other b 2", "own a 4"]);
});

it("one's own held message counts once, also where a frame and the API name it too", () => {
  const own = [["a", [send(4)]] as const];
  const frames = new Map([["h1", hold("a", 3.9)]]);
  const read = new Map([["h1", hold("a", 3.9)]]);
  expect(shown({ own, frames, read })).toEqual(["own a 4"]);
  expect(shown({ frames, read })).toEqual(["other a 3.9"]);
});

it("a frame that a hold has ended counts more than what was read before", () => {
  expect(shown({ frames: new Map([["h1", hold("a", 3, false)]]), read: new Map([["h1", hold("a", 3)]]) })).toEqual([]);
});

it("the holds of the last 15 minutes are read by their ids, and those that are gone are none", async () => {
  const queries: object[] = [];
  const ids = ["hold:h1", "hold:h2", "hold:h3"];
  const parley = {
    audit: {
      list: async (query: object) => {
        queries.push(query);
        return { audit: ids.map((resource) => ({ action: "hold.create", resource })), next_cursor: null };
      },
    },
    messages: {
      getHold: async (id: string) => {
        if (id === "h2") throw new ParleyError({ code: "hold_not_found", message: "", status: 404 });
        const status = id === "h1" ? "awaiting_verification" : "sent";
        return { hold: { id, status, conversation_id: `c-${id}`, expires_at: new Date(NOW).toISOString() } };
      },
    },
  } as never;
  const holds = await readHolds(parley, NOW);
  expect(queries).toEqual([{ action: "hold.create", from: "2026-11-29T09:45:00.000Z", limit: 20 }]);
  expect([...holds]).toEqual([
    ["h1", { conversation: "c-h1", endsAt: NOW, isOpen: true }],
    ["h3", { conversation: "c-h3", endsAt: NOW, isOpen: false }],
  ]);
});
