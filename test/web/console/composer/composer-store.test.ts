import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  draftOf,
  fullDraftOf,
  openDrafts,
  quoteOf,
  removeUnfinished,
  setDraft,
  setUnfinished,
} from "../../../../web/console/inbox/composer/drafts.ts";
import { type Send, unshownSends } from "../../../../web/console/inbox/composer/sends.ts";
import {
  CONVERSATION,
  draft,
  erased,
  event,
  ME,
  MemoryStorage,
  message,
  NOW,
  openComposer,
  picture,
} from "./support.ts";

beforeEach(() => {
  vi.stubGlobal("localStorage", new MemoryStorage());
  openDrafts("usr_me");
});
afterEach(() => {
  vi.unstubAllGlobals();
  openDrafts("");
});

const sent = (id: string) => ({ platform_message_id: id });
const held = (id = "hold_1") => ({
  hold: {
    id,
    status: "awaiting_verification",
    verify_url: `https://parley.example.com/verify?hold=${id}#t=secret`,
    expires_at: new Date(NOW + 15 * 60_000).toISOString(),
  },
});
const holdFrame = (status: string, more: object = {}) =>
  event("hold.updated", { hold: { id: "hold_1", conversation_id: CONVERSATION, status, ...more } });

it("a reply is sending until its answer names the message", async () => {
  const { store, calls, states } = openComposer();
  const done = store.begin(draft({ text: "Hello", replyTo: "m0" }));
  expect(states()).toEqual([{ kind: "sending" }]);
  await expect.poll(() => calls.length).toBe(1);
  expect(calls[0]).toMatchObject({
    operation: "POST /v1/messages/reply",
    key: store.getState().sends[0]?.key,
    body: { conversation_id: CONVERSATION, text: "Hello", reply_to: "m0" },
  });
  calls[0]?.answer(sent("m1"));
  await done;
  expect(states()).toEqual([{ kind: "sent", messageId: "m1" }]);
});

it("a text beside files is a message of its own, which follows them and quotes nothing", async () => {
  const { store, calls } = openComposer();
  const done = store.begin(draft({ text: "Like these?", files: [picture], replyTo: "m0" }));
  await expect.poll(() => calls.length).toBe(1);
  expect(calls[0]?.body).toEqual({
    conversation_id: CONVERSATION,
    attachments: [{ type: "image", attachment_id: "att_1" }],
    reply_to: "m0",
  });
  calls[0]?.answer(sent("m1"));
  await expect.poll(() => calls.length).toBe(2);
  expect(calls[1]?.body).toEqual({ conversation_id: CONVERSATION, text: "Like these?" });
  expect(calls[1]?.key).not.toBe(calls[0]?.key);
  calls[1]?.answer(sent("m2"));
  await done;
});

it("a text whose files were refused is not sent: it waits before what the person has written since", async () => {
  const { store, calls, states } = openComposer();
  const done = store.begin(draft({ text: "Like these?", files: [picture] }));
  await expect.poll(() => calls.length).toBe(1);
  setDraft(CONVERSATION, { text: "and then", startedAt: NOW });
  calls[0]?.refuse(502, "send_failed", "The picture is too wide.");
  await done;
  expect(calls).toHaveLength(1);
  expect(states()).toEqual([{ kind: "failed", code: "send_failed", detail: "The picture is too wide." }]);
  expect(draftOf(CONVERSATION)).toBe("Like these?\nand then");
});

it("nothing of an erased conversation stays, and what was to follow is not sent", async () => {
  const { store, inbox, calls, states } = openComposer();
  const done = store.begin(draft({ text: "Like these?", files: [picture] }));
  await expect.poll(() => calls.length).toBe(1);
  store.setChips(CONVERSATION, () => [{ id: "chip" } as never]);
  setDraft(CONVERSATION, { text: "and then", startedAt: NOW });
  inbox.receive(erased);
  calls[0]?.answer(sent("m1"));
  await done;
  expect(states()).toEqual([]);
  expect(calls).toHaveLength(1);
  expect(store.getState().chips.size).toBe(0);
  expect(fullDraftOf(CONVERSATION)).toBeNull();
});

it("a hold whose answer comes after the erasure is not stored", async () => {
  const { store, inbox, calls, states } = openComposer();
  const done = store.begin(draft({ mode: "person", text: "A secret" }));
  await expect.poll(() => calls.length).toBe(1);
  inbox.receive(erased);
  calls[0]?.answer(held());
  await done;
  expect(states()).toEqual([]);
  expect(localStorage.getItem("parley.drafts")).not.toContain("A secret");
});

it("a refused reply is sent again with a new key, and one that may have arrived with the same key and body", async () => {
  const { store, calls, states } = openComposer();
  void store.begin(draft({ text: "Hello" }));
  await expect.poll(() => calls.length).toBe(1);
  calls[0]?.refuse(409, "window_closed");
  await expect.poll(states).toEqual([{ kind: "failed", code: "window_closed", detail: "" }]);
  void store.repeat(store.getState().sends[0]?.key ?? "");
  await expect.poll(() => calls.length).toBe(2);
  expect(calls[1]?.key).not.toBe(calls[0]?.key);
  calls[1]?.lose();
  await expect.poll(states).toEqual([{ kind: "unknown" }]);
  void store.repeat(store.getState().sends[0]?.key ?? "");
  await expect.poll(() => calls.length).toBe(3);
  expect([calls[2]?.key, calls[2]?.body]).toEqual([calls[1]?.key, calls[1]?.body]);
  calls[2]?.answer(sent("m1"));
  await expect.poll(states).toEqual([{ kind: "sent", messageId: "m1" }]);
});

it("a send that is on its way is not repeated by a second press", async () => {
  const { store, calls } = openComposer();
  void store.begin(draft({ text: "Hello" }));
  await expect.poll(() => calls.length).toBe(1);
  await store.repeat(store.getState().sends[0]?.key ?? "");
  expect(calls).toHaveLength(1);
});

it("a held message keeps its key and body for a reload, beside what the person has written since", async () => {
  const { store, calls, states } = openComposer();
  const done = store.begin(draft({ mode: "person", text: "Hello" }));
  await expect.poll(() => calls.length).toBe(1);
  expect(calls[0]?.operation).toBe("POST /v1/messages/human-agent");
  setDraft(CONVERSATION, { text: "and then", startedAt: NOW });
  calls[0]?.answer(held());
  await done;
  const endsAt = NOW + 15 * 60_000;
  expect(states()).toEqual([{ kind: "held", holdId: "hold_1", secret: "secret", endsAt }]);
  const unfinished = [{ key: calls[0]?.key, mode: "person", body: calls[0]?.body, at: NOW, holdEndsAt: endsAt }];
  expect(fullDraftOf(CONVERSATION)).toEqual({ text: "and then", startedAt: NOW, unfinished });

  const reloaded = reload();
  reloaded.resume();
  reloaded.resume();
  await expect.poll(() => reloaded.calls.length).toBe(1);
  expect([reloaded.calls[0]?.key, reloaded.calls[0]?.body]).toEqual([calls[0]?.key, calls[0]?.body]);
  reloaded.calls[0]?.answer(held());
  await expect.poll(reloaded.states).toEqual(states());
  expect(reloaded.store.getState().sends).toMatchObject([{ text: "Hello", mode: "person" }]);
});

it.each([
  ["sent", holdFrame("sent", { platform_message_id: "m1" }), [{ kind: "sent", messageId: "m1" }]],
  ["sent, with an unknown message,", holdFrame("sent"), []],
  ["expired", holdFrame("expired"), [{ kind: "failed", code: "hold_expired", detail: "" }]],
  [
    "failed",
    holdFrame("failed", { error: { code: "send_failed", detail: "Blocked." } }),
    [{ kind: "failed", code: "send_failed", detail: "Blocked." }],
  ],
  [
    "refused before the platform",
    holdFrame("failed", { error: { code: "window_closed", detail: null } }),
    [{ kind: "failed", code: "window_closed", detail: "" }],
  ],
  ["lost", holdFrame("failed", { error: { code: "send_failed", detail: "outcome_unknown" } }), [{ kind: "unknown" }]],
])(
  "a frame of a hold that is %s ends it, also twice, also after this page's own check, and keeps the later text",
  async (_, frame, expected) => {
    const { store, inbox, calls, states } = openComposer();
    const done = store.begin(draft({ mode: "person", text: "Hello" }));
    await expect.poll(() => calls.length).toBe(1);
    calls[0]?.answer(held());
    await done;
    const before = states();
    inbox.receive(holdFrame("awaiting_verification"));
    inbox.receive(event("hold.updated", { hold: { id: "hold_2", status: "expired" } }));
    expect(states()).toEqual(before);
    setDraft(CONVERSATION, { text: "and then", startedAt: NOW });
    // The check of this page passed, and its answer named no message.
    store.update(calls[0]?.key ?? "", { kind: "sending" });
    inbox.receive(frame);
    inbox.receive(frame);
    expect(states()).toEqual(expected);
    const isOver = states()[0]?.kind !== "unknown";
    const unfinished = isOver ? {} : { unfinished: [expect.objectContaining({ holdEndsAt: null })] };
    expect(fullDraftOf(CONVERSATION)).toEqual({ text: "and then", startedAt: NOW, ...unfinished });
  },
);

const theirs = (id: string, minutes: number) =>
  event("message.sent", {
    message: {
      ...message(id, { actor_id: "console:usr_other", sent_at: new Date(NOW + minutes * 60_000).toISOString() }),
      participant: {},
    },
  });

it("a colleague's answer stops what is written once, also when only files are attached", async () => {
  const { store, inbox, showThread } = openComposer();
  showThread([message("m0", { direction: "inbound", sent_at: new Date(NOW - 600_000).toISOString() })]);
  store.setChips(CONVERSATION, () => [{ id: "chip", state: { kind: "converting" } } as never]);
  expect(store.answerSinceWriting(CONVERSATION, null)).toBeNull();
  // It was sent before the person began, and shows only now.
  inbox.receive(theirs("m1", -1));
  expect(store.answerSinceWriting(CONVERSATION, null)?.id).toBe("m1");
  store.beginWriting(CONVERSATION);
  expect(store.answerSinceWriting(CONVERSATION, null)).toBeNull();
  inbox.receive(theirs("m2", 1));
  expect(store.answerSinceWriting(CONVERSATION, null)?.id).toBe("m2");
});

it("a draft of an earlier page is stopped by the answers that were sent since its start", () => {
  const { store, inbox, showThread } = openComposer();
  showThread([]);
  inbox.receive(theirs("m1", -5));
  expect(store.answerSinceWriting(CONVERSATION, NOW)).toBeNull();
  expect(store.answerSinceWriting(CONVERSATION, NOW - 600_000)?.id).toBe("m1");
});

it("a send that is pressed again is stopped once by what the person had not seen at its first press", async () => {
  const { store, inbox, calls, states, showThread } = openComposer();
  showThread([message("m0", { direction: "inbound", sent_at: new Date(NOW - 600_000).toISOString() })]);
  const done = store.begin(draft({ mode: "person", text: "Hello" }));
  await expect.poll(() => calls.length).toBe(1);
  calls[0]?.answer(held());
  await done;
  const send = () => store.getState().sends[0] as Send;
  expect(store.answerSinceSend(send())).toBeNull();
  inbox.receive(theirs("m1", -1));
  expect(store.answerSinceSend(send())?.id).toBe("m1");
  store.noteSeenBy(send().key);
  expect(store.answerSinceSend(send())).toBeNull();
  expect(states()[0]?.kind).toBe("held");
});

it("a send that is edited comes back with its text, its files and what it replies to", async () => {
  const { store, inbox, calls, showThread } = openComposer();
  showThread([message("m0", { direction: "inbound", sent_at: new Date(NOW - 600_000).toISOString() })]);
  const done = store.begin(draft({ files: [picture], replyTo: "m0" }));
  await expect.poll(() => calls.length).toBe(1);
  calls[0]?.refuse(502, "send_failed", "No.");
  await done;
  inbox.receive(theirs("m1", 1));
  store.putBack(store.getState().sends[0] as Send);
  expect(store.getState().sends).toEqual([]);
  expect(quoteOf(CONVERSATION)).toBe("m0");
  expect(store.takeFiles(CONVERSATION)).toEqual([picture]);
  expect(store.answerSinceWriting(CONVERSATION, null)?.id).toBe("m1");
  inbox.receive(erased);
  expect(quoteOf(CONVERSATION)).toBeNull();
});

it.each(["sending", "held"] as const)(
  "a message that is %s and whose hold ended while no connection stood ends with the next one",
  async (kind) => {
    const { store, calls, states, reconnect } = openComposer();
    const done = store.begin(draft({ mode: "person", text: "Hello" }));
    await expect.poll(() => calls.length).toBe(1);
    calls[0]?.answer(held());
    await done;
    if (kind === "sending") store.update(calls[0]?.key ?? "", { kind: "sending" });
    const before = states();
    reconnect();
    await expect.poll(() => calls.length).toBe(2);
    expect(calls[1]?.operation).toBe("GET /v1/messages/holds/hold_1");
    calls[1]?.lose();
    reconnect();
    await expect.poll(() => calls.length).toBe(3);
    expect(states()).toEqual(before);
    calls[2]?.answer({ hold: { ...held().hold, status: "sent", platform_message_id: "m1" } });
    await expect.poll(states).toEqual([{ kind: "sent", messageId: "m1" }]);
    reconnect();
    expect(calls).toHaveLength(3);
  },
);

it("a hold whose answer was lost failed: nothing is sent by holding", async () => {
  const { store, calls, states } = openComposer();
  void store.begin(draft({ mode: "person", text: "Hello" }));
  await expect.poll(() => calls.length).toBe(1);
  calls[0]?.lose();
  await expect.poll(states).toEqual([{ kind: "failed", code: "connection_failed", detail: "" }]);
});

it("a checked message that may have arrived stays so while the service cannot be reached", async () => {
  const { store, calls, states } = openComposer();
  const done = store.begin(draft({ mode: "person", text: "Hello" }));
  await expect.poll(() => calls.length).toBe(1);
  calls[0]?.answer(held());
  await done;
  store.update(calls[0]?.key ?? "", { kind: "unknown" });
  void store.repeat(calls[0]?.key ?? "");
  await expect.poll(() => calls.length).toBe(2);
  expect(calls[1]?.key).toBe(calls[0]?.key);
  calls[1]?.lose();
  await expect.poll(states).toEqual([{ kind: "unknown" }]);
});

it.each([
  ["the answer", ["answer", "frame"]],
  ["the frame", ["frame", "answer"]],
  ["the frame, late and twice,", ["answer", "frame", "frame"]],
])("a reply shows once when %s comes first", async (_, order) => {
  const { store, inbox, calls } = openComposer();
  const done = store.begin(draft({ text: "Hello" }));
  await expect.poll(() => calls.length).toBe(1);
  const shown: ReturnType<typeof message>[] = [];
  for (const step of order) {
    if (step === "answer") {
      calls[0]?.answer(sent("m1"));
      await done;
    } else {
      inbox.receive(event("message.sent", { message: { ...message("m1"), participant: {} } }));
      shown[0] = message("m1");
    }
    const outgoing = unshownSends(store.getState().sends, shown, ME);
    expect(outgoing.length + shown.length).toBe(1);
  }
  expect(shown).toHaveLength(1);
});

it("a refused text waits as a draft once its page is left, and one that may have arrived does not", async () => {
  const page = new EventTarget();
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  const { store, calls } = openComposer();
  const sends = [store.begin(draft({ text: "Refused" })), store.begin(draft({ text: "Perhaps sent" }))];
  await vi.waitFor(() => expect(calls).toHaveLength(2));
  calls[0]?.refuse(401, "unauthorized");
  calls[1]?.lose();
  await Promise.all(sends);
  expect(draftOf(CONVERSATION)).toBe("");
  page.dispatchEvent(new Event("pagehide"));
  expect(draftOf(CONVERSATION)).toBe("Refused");
});

it("a reply whose page ended before the answer may have arrived, and a press repeats it with the same key", async () => {
  const before = openComposer();
  void before.store.begin(draft({ text: "Like these?", files: [picture], replyTo: "m0" }));
  await expect.poll(() => before.calls.length).toBe(1);

  const { store, calls, states, resume } = reload();
  resume();
  expect(states()).toEqual([{ kind: "unknown" }, { kind: "unknown" }]);
  expect(store.getState().sends).toMatchObject([
    { text: "", files: [{ type: "image", attachmentId: "att_1" }], replyTo: "m0" },
    { text: "Like these?", files: [] },
  ]);
  expect(calls).toEqual([]);
  void store.repeat(store.getState().sends[0]?.key ?? "");
  await expect.poll(() => calls.length).toBe(1);
  expect([calls[0]?.key, calls[0]?.body]).toEqual([before.calls[0]?.key, before.calls[0]?.body]);
  calls[0]?.answer(sent("m1"));
  await expect.poll(states).toEqual([{ kind: "sent", messageId: "m1" }, { kind: "unknown" }]);
  store.remove(store.getState().sends[1]?.key ?? "");
  expect(fullDraftOf(CONVERSATION)).toBeNull();
});

it("a message whose check ended without an outcome may have arrived after a reload too", async () => {
  const before = openComposer();
  const done = before.store.begin(draft({ mode: "person", text: "Hello" }));
  await expect.poll(() => before.calls.length).toBe(1);
  before.calls[0]?.answer(held());
  await done;
  before.store.update(before.calls[0]?.key ?? "", { kind: "sending" });
  const { calls, states, resume } = reload();
  resume();
  expect([states(), calls]).toEqual([[{ kind: "unknown" }], []]);
});

it("what an earlier page sent leaves with the tab that ended it", async () => {
  void openComposer().store.begin(draft({ text: "Hello" }));
  const { states, resume } = reload();
  resume();
  expect(states()).toEqual([{ kind: "unknown" }]);
  removeUnfinished(CONVERSATION, fullDraftOf(CONVERSATION)?.unfinished?.[0]?.key ?? "");
  resume();
  expect(states()).toEqual([]);
});

it("a held message whose time ended while no page was open has expired, and nothing is held by opening its thread", async () => {
  const send = { mode: "person", body: { text: "Hello" }, at: NOW - 3_600_000, holdEndsAt: NOW - 1 } as const;
  setUnfinished(CONVERSATION, { ...send, key: "k" });
  setUnfinished(CONVERSATION, { ...send, key: "old", at: NOW - 8 * 24 * 3_600_000 });
  const { store, calls, states, resume } = reload();
  resume();
  expect([states(), calls]).toEqual([[{ kind: "failed", code: "hold_expired", detail: "" }], []]);
  expect(store.getState().sends).toMatchObject([{ key: "k", text: "Hello" }]);
});

/** The page after a reload. */
function reload() {
  openDrafts("usr_me");
  const composer = openComposer();
  const resume = () => composer.store.resume(CONVERSATION, fullDraftOf(CONVERSATION)?.unfinished ?? []);
  return { ...composer, resume };
}
