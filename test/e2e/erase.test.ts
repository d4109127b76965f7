import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "./support/answers.ts";
import { failuresIn, untilIdle } from "./support/journals.ts";
import { type RunningLocal, startLocal } from "./support/local-stack.ts";
import { accountIds, inbound, newMid, newPerson, textEntry } from "./support/platform.ts";
import { until } from "./support/poll.ts";
import { createHook, type Hook } from "./support/read-all.ts";
import { openReceiver, type Receiver } from "./support/receiver.ts";
import { wholeTable } from "./support/whole-table.ts";

const canaries = { text: "canary-erased-text", reply: "canary-erased-reply", name: "Canary Erased" };

let stack: RunningLocal;
let receiver: Receiver;
let hooks: Hook[];
let person: string;
let conversation: string;
let neighbour: string;
const mid = newMid();
const strangersPerson = newPerson();
const { messenger } = accountIds;
beforeAll(async () => {
  [stack, receiver] = await Promise.all([startLocal(), openReceiver()]);
  hooks = [await createHook(stack, receiver.url), await createHook(stack, "http://127.0.0.1:9/nobody")];
  const sends = { account: messenger, connection: "messenger", person: canaries.name, text: canaries.text };
  person = (await stack.sim<{ person: string }>("POST", "/person-sends", sends)).person;
  conversation = `CONV#demo#messenger#${messenger}#${person}`;
  neighbour = `CONV#demo#messenger#${messenger}#${strangersPerson}`;
  const at = await stack.now();
  const others = textEntry(messenger, strangersPerson, newMid(), "of another", at);
  expect((await inbound(stack, "page", [textEntry(messenger, person, mid, canaries.text, at), others])).status).toBe(
    200,
  );
  await untilIdle(stack);
  const replied = await stack.api("POST", "/v1/messages/reply", {
    conversation_id: conversation,
    text: canaries.reply,
  });
  expect(replied.status).toBe(200);
  await until("the echo is handed over", async () => {
    const { pending } = await stack.sim<{ pending: unknown[] }>("GET", "/state");
    return pending.length === 0;
  });
  await untilIdle(stack);
});
afterAll(async () => {
  await Promise.all([stack?.stop(), receiver?.close()]);
});

const pathOf = (id: string) => `/v1/conversations/${encodeURIComponent(id)}`;
const erase = (id = conversation, key?: string): Promise<Answer> => stack.api("DELETE", pathOf(id), undefined, key);
const removedBy = ({ body }: Answer) => body.data as unknown as { done: boolean; removed: Record<string, number> };

describe("erasing a person's conversation", () => {
  it("is refused to a test key, and unknown for another's or a malformed id", async () => {
    expect((await erase(conversation, stack.local.test_key)).status).toBe(403);
    for (const id of ["CONV#x", conversation.replace("demo", "other"), `${conversation}1`]) {
      const { status, body } = await erase(id);
      expect([status, body.error.code]).toEqual([404, "conversation_not_found"]);
    }
    expect((await stack.api("GET", pathOf(conversation))).status).toBe(200);
  });

  it("answers what it removed, and the person is in no answer of the API any more", async () => {
    const table = await wholeTable(stack);
    for (const canary of [...Object.values(canaries), person]) expect(table).toContain(canary);
    const answer = await erase();
    expect(answer.status).toBe(200);
    expect(removedBy(answer)).toEqual({
      done: true,
      removed: {
        conversation: 1,
        profile: 1,
        messages: 3,
        markers: 1,
        // Three messages at an endpoint that answers and at one where nobody listens.
        deliveries: 6,
        send_records: 1,
        uploads: 0,
        holds: 0,
      },
    });
    expect((await stack.api("GET", pathOf(conversation))).status).toBe(404);
    expect((await stack.api("GET", `/v1/messages/${mid}`)).status).toBe(404);
    for (const list of ["/v1/conversations", "/v1/messages?include_test=true"]) {
      const { text } = await stack.api("GET", list);
      expect(text).toContain("of another");
      for (const canary of [canaries.text, canaries.reply, person]) expect(text).not.toContain(canary);
    }
    const again = await erase();
    expect([again.status, removedBy(again).done]).toEqual([200, true]);
    expect(Object.values(removedBy(again).removed).every((count) => count === 0)).toBe(true);
  });

  it("leaves nothing of them in the table once its second pass is over, and everything of others", async () => {
    await stack.clock("PT1M");
    await untilIdle(stack);
    await stack.clock("PT4M");
    await until("the second pass is over", () => stack.log().includes('"pass":"later"'));
    await untilIdle(stack);
    const table = await wholeTable(stack);
    for (const canary of [canaries.text, canaries.reply, canaries.name, person]) expect(table).not.toContain(canary);
    expect(table).toContain(strangersPerson);
    expect((await stack.api("GET", pathOf(neighbour))).status).toBe(200);
    const { body } = await stack.api("GET", `/v1/webhooks/${hooks[0]?.id}/deliveries`);
    expect(body.data.deliveries).toHaveLength(1);
  });

  it("has one row in the audit trail, which names them by a hash", async () => {
    const { text, body } = await stack.api("GET", "/v1/audit");
    const { audit } = body.data as unknown as { audit: { action: string; resource: string; detail: object }[] };
    const erased = audit.filter(({ action }) => action === "conversation.erase");
    expect(erased).toHaveLength(1);
    expect(erased[0]?.resource).toMatch(/^conversation:sha256:[0-9a-f]{16}$/);
    expect(erased[0]?.detail).toMatchObject({ conversation: 1, messages: 3, deliveries: 6 });
    expect(text).not.toContain(person);
  });

  it("is not undone by the platform sending the same webhook again; what they write anew begins anew", async () => {
    const before = receiver.received.length;
    const at = await stack.now();
    // Well before the erasure, by the stack's clock, which was turned since.
    await inbound(stack, "page", [textEntry(messenger, person, mid, canaries.text, at - 10 * 60_000)]);
    await untilIdle(stack);
    expect((await stack.api("GET", pathOf(conversation))).status).toBe(404);
    expect(receiver.received).toHaveLength(before);
    await inbound(stack, "page", [textEntry(messenger, person, newMid(), "hello again", at)]);
    await untilIdle(stack);
    const { body } = await stack.api("GET", pathOf(conversation));
    expect(body.data.messages.map(({ text }) => text)).toEqual(["hello again"]);
    expect(failuresIn(stack.log())).toEqual([]);
  });
});
