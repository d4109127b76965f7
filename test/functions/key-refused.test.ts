import { KMSServiceException } from "@aws-sdk/client-kms";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { accountItemKey } from "#features/accounts/store/items.ts";
import { encodeProfile } from "#features/inbox/profile-queue.ts";
import { profileWorker } from "../../functions/profile/worker.ts";
import { CANARY, openHoldFixture } from "../support/flows/hold-fixture.ts";
import { invokeWorker } from "../support/flows/queue-worker.ts";
import { openReplyFixture, type ReplyFixture, replyFixtures } from "../support/flows/reply-fixture.ts";
import { liveKeyOf, testApp } from "../support/routes/test-app.ts";

// Without the key nothing is sent, and nothing secret leaves the function. With a real client of an emulated KMS.

const { testEnv, fixture } = replyFixtures();

let keyRequests = 0;
/** Answers every request for the key with an error of KMS; `null` ends it. */
function refuseKey(name: string | null): void {
  const stack = testEnv.kms.middlewareStack;
  stack.remove("refused key");
  keyRequests = 0;
  if (name === null) return;
  const $metadata = { httpStatusCode: 400 };
  const refuse = async () => {
    keyRequests += 1;
    throw new KMSServiceException({ name, $fault: "client", $metadata, message: "injected" });
  };
  stack.add(() => refuse, { name: "refused key", step: "finalizeRequest", priority: "low" });
}
beforeEach(() => {
  testEnv.lines.length = 0;
});
afterEach(() => refuseKey(null));

async function reply(from: ReplyFixture) {
  const app = testApp(testEnv, from.ports(), liveKeyOf(from.tenant));
  const body = JSON.stringify({ conversation_id: from.id, text: CANARY });
  const response = await app.fetch(new Request("http://gateway/v1/messages/reply", { method: "POST", body }));
  return { status: response.status, text: await response.text() };
}

/** The account's token, a text, and the sealed token. */
const secrets = /a token|canary|AQ[A-Za-z0-9+/]{20}/;

describe("with a key that KMS refuses", () => {
  const refusal = "AccessDeniedException";

  it("an incoming message is stored", async () => {
    refuseKey(refusal);
    await fixture.take({ messageId: "inbound", text: "hello" });
    expect((await fixture.messageRows()).map(({ message }) => message.id)).toContain("inbound");
    expect(keyRequests).toBe(0);
  });

  it.each(["AccessDeniedException", "ThrottlingException"])(
    "no reply is sent, and neither the answer nor a log line names token or text: %s",
    async (error) => {
      refuseKey(error);
      const { status, text } = await reply(fixture);
      expect([status, JSON.parse(text).error.code]).toEqual([500, "internal_error"]);
      expect([keyRequests > 0, fixture.platformCalls]).toEqual([true, []]);
      const lines = JSON.stringify(testEnv.lines);
      expect(lines).toContain(error);
      expect(text + lines).not.toMatch(secrets);
    },
  );

  it("no held message is sent, and the hold ends as failed", async () => {
    const held = await openHoldFixture(testEnv);
    const hold = await held.newHold();
    refuseKey(refusal);
    expect(await held.complete(hold)).toMatchObject({ state: { status: "failed", error: { code: "internal_error" } } });
    expect([keyRequests > 0, held.calls]).toEqual([true, []]);
    expect(JSON.stringify(testEnv.lines)).not.toMatch(secrets);
  });

  it("no profile is fetched, and the request stays on the queue", async () => {
    refuseKey(refusal);
    const body = encodeProfile({ tenant: fixture.tenant, conversationId: fixture.id });
    await openQueue(fixture.queues.profiles, testEnv.eventSource).send({ body });
    const worker = profileWorker(testEnv.profilePorts("http://127.0.0.1:9"), testEnv.now);
    expect((await invokeWorker(testEnv.eventSource, fixture.queues.profiles, worker)).failed).toHaveLength(1);
    expect(keyRequests).toBeGreaterThan(0);
    expect(JSON.stringify(testEnv.lines)).not.toMatch(secrets);
  });
});

it("an account's row with the sealed token of another tenant's sends nothing", async () => {
  const other = await openReplyFixture(testEnv);
  const row = async ({ tenant, accountRef }: ReplyFixture) => {
    const Key = accountItemKey(tenant, accountRef);
    return (await testEnv.table.client.send(new GetCommand({ TableName: testEnv.table.name, Key }))).Item ?? {};
  };
  const [copy, original] = [await row(other), await row(fixture)];
  const tokens = Object.entries(original).filter(([, value]) => value instanceof Uint8Array);
  expect(tokens).toHaveLength(1);
  const Item = { ...copy, ...Object.fromEntries(tokens) };
  await testEnv.table.client.send(new PutCommand({ TableName: testEnv.table.name, Item }));
  expect(await reply(other)).toMatchObject({ status: 500 });
  expect(other.platformCalls).toEqual([]);
  expect(JSON.stringify(testEnv.lines)).toContain("InvalidCiphertextException");
});
