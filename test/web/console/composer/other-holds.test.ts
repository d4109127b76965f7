import { expect, it } from "vitest";
import { isHeldByOther, type SeenHolds, withHold } from "../../../../web/console/inbox/composer/other-holds.ts";
import { CONVERSATION, draft, event, NOW, openComposer } from "./support.ts";

const MINUTE = 60_000;
const conversation = { id: CONVERSATION };
const frame = (status: string, id = "hold_1") => ({
  id,
  status,
  conversation_id: CONVERSATION,
  expires_at: new Date(NOW + 15 * MINUTE).toISOString(),
});
const seen = (...statuses: string[]) =>
  statuses.reduce<SeenHolds>((holds, status) => withHold(holds, frame(status)), new Map());
const isHeld = (holds: SeenHolds, { own = [] as string[], now = NOW } = {}) =>
  isHeldByOther(holds, conversation, { ownIds: new Set(own), now });

it("a hold of somebody else shows in its conversation until it is sent or its time is over", () => {
  const held = seen("awaiting_verification");
  expect(isHeld(held)).toBe(true);
  expect(isHeldByOther(held, { id: `${CONVERSATION}9` }, { ownIds: new Set(), now: NOW })).toBe(false);
  expect(isHeld(held, { own: ["hold_1"] })).toBe(false);
  expect(isHeld(held, { now: NOW + 15 * MINUTE })).toBe(false);
  for (const end of ["sending", "sent", "failed", "expired"]) {
    expect(isHeld(seen("awaiting_verification", end))).toBe(false);
    // Frames come in any order.
    expect(isHeld(seen(end, "awaiting_verification"))).toBe(false);
  }
});

it("a person's own hold never shows as that of somebody else, also when its frame comes before its answer", async () => {
  const { store, inbox, calls } = openComposer();
  const done = store.begin(draft({ mode: "person", text: "Hello" }));
  await expect.poll(() => calls.length).toBe(1);
  inbox.receive(event("hold.updated", { hold: frame("awaiting_verification") }));
  expect(store.isHeldElsewhere(conversation as never)).toBe(false);
  calls[0]?.answer({
    hold: { ...frame("awaiting_verification"), verify_url: "https://parley.example.com/verify?hold=hold_1#t=secret" },
  });
  await done;
  expect(store.isHeldElsewhere(conversation as never)).toBe(false);
  inbox.receive(event("hold.updated", { hold: frame("awaiting_verification", "hold_2") }));
  expect(store.isHeldElsewhere(conversation as never)).toBe(true);
});

it("a hold whose answer was lost is the same one again, and is never shown as that of somebody else", async () => {
  const { store, inbox, calls, states } = openComposer();
  const lost = store.begin(draft({ mode: "person", text: "Hello" }));
  await expect.poll(() => calls.length).toBe(1);
  calls[0]?.lose();
  await lost;
  expect(states()).toMatchObject([{ kind: "failed", code: "connection_failed" }]);
  inbox.receive(event("hold.updated", { hold: frame("awaiting_verification") }));
  expect(store.isHeldElsewhere(conversation as never)).toBe(false);
  void store.repeat(calls[0]?.key ?? "");
  await expect.poll(() => calls.length).toBe(2);
  expect(calls[1]).toMatchObject({ key: calls[0]?.key, body: calls[0]?.body });
});
