import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Update } from "#features/inbox/rules/updates.ts";
import { parseUpdates, selectUpdates } from "#platforms/platforms.ts";
import { repetitions } from "../../../support/sampling.ts";
import { nearlyValidWebhook } from "./nearly-valid-webhook.ts";
import { channels, RECEIVED_AT, toBytes } from "./webhook-payloads.ts";

const isRead = ({ kind }: Update) => kind !== "ignored";

function select(raw: Uint8Array, ...positions: number[]): Update[] {
  const [body = new Uint8Array()] = selectUpdates(raw, [positions]);
  return parseUpdates(body, RECEIVED_AT);
}

describe("some updates of a webhook", () => {
  test("some updates of a webhook are read from their own body as from the whole webhook, regardless of what the platform sends", () => {
    let selected = 0;
    fc.assert(
      fc.property(nearlyValidWebhook, fc.infiniteStream(fc.boolean()), (value, choices) => {
        const raw = toBytes(JSON.stringify(value));
        const updates = parseUpdates(raw, RECEIVED_AT);
        const positions = [...updates.keys()].filter(() => choices.next().value);
        const expected = positions.map((position) => updates[position]).filter((update) => update && isRead(update));
        selected += expected.length;
        expect(select(raw, ...positions).filter(isRead)).toEqual(expected);
      }),
      { numRuns: repetitions({ whole: 2_000, sample: 1_000 }) },
    );
    expect(selected).toBeGreaterThan(30);
  });

  const [{ object, account }] = channels;
  const event = (mid: string, rest: object = {}) => ({
    sender: { id: "6543210987654321" },
    recipient: { id: account },
    message: { mid, text: mid },
    ...rest,
  });
  const midsOf = (updates: readonly Update[]) =>
    updates.map((update) => (update.kind === "message" ? update.messageId : update.kind));

  test("some updates of a webhook keep their order, their entry's account and time, and the lists that they came in", () => {
    const entry = {
      id: account,
      time: 1_793_000_000_500,
      changes: [{ field: "messages", value: event("c") }],
      standby: [event("s")],
      messaging: [event("a"), event("b")],
    };
    const raw = toBytes({ object, entry: [entry, { ...entry, time: 1_793_000_000_900, messaging: [event("z")] }] });
    const all = parseUpdates(raw, RECEIVED_AT);
    expect(midsOf(all)).toEqual(["a", "b", "s", "c", "z", "s", "c"]);
    expect(select(raw, 1, 2, 3, 4)).toEqual(all.slice(1, 5));
    expect(selectUpdates(raw, [[0], [4, 6]]).map((body) => parseUpdates(body, RECEIVED_AT))).toEqual([
      [all[0]],
      [all[4], all[6]],
    ]);
  });

  test("some updates of a webhook keep numbers that are longer than a number is exact", () => {
    const raw = toBytes(
      `{"object":"page","entry":[{"id":17841400000000001234,"time":1,"messaging":[{"sender":{"id":98765432109876543210},"recipient":{"id":17841400000000001234},"timestamp":1793000000123,"message":{"mid":"m","text":"x"}}]}]}`,
    );
    const [update] = parseUpdates(raw, RECEIVED_AT);
    expect(update).toMatchObject({
      participantId: "98765432109876543210",
      account: { externalId: "17841400000000001234" },
    });
    expect(select(raw, 0)).toEqual([update]);
  });

  test("some updates of a webhook leave out ignored updates, positions that do not exist, and everything of a body that is no webhook", () => {
    const raw = toBytes({ object, entry: [7, { id: account, time: 1, messaging: [null, event("a")] }] });
    expect(midsOf(select(raw, 0, 1, 2, 3))).toEqual(["a"]);
    expect(select(raw)).toEqual([]);
    expect(select(toBytes("no webhook"), 0)).toEqual([]);
  });
});
