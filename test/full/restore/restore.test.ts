import { afterEach, expect, it } from "vitest";
import { runAdmin, runAdminJson } from "../../e2e/support/admin.ts";
import { accountKeyOf, createTestWebhook, personWrites, sentMessages } from "../../e2e/support/api-calls.ts";
import type { ApiResponse, ListedMessage } from "../../e2e/support/api-response.ts";
import { createCopy, readCopy, readTable, restoreTable } from "../../e2e/support/dump-table.ts";
import { waitUntilIdle } from "../../e2e/support/emulator-journals.ts";
import { type LocalStack, startLocalStack } from "../../e2e/support/local-stack.ts";
import { type Program, runProgram } from "../../e2e/support/processes.ts";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { openReceiver } from "../../e2e/support/webhook-receiver.ts";

// A table that was put back to its rows of yesterday, and `restore`, which is killed after each of its steps.

const CONNECTION = "instagram_login";
const TEXT = "Your order is on its way.";
const STEPS = ["sends off", "sessions", "journal", "fetch", "late acts"];

let opened: LocalStack | null = null;
afterEach(async () => {
  await opened?.stop();
});

async function openStack() {
  opened = await startLocalStack();
  const stack = opened;
  const reply = (conversation_id: string, key: string, text = TEXT): Promise<ApiResponse> =>
    stack.request("/v1/messages/reply", {
      method: "POST",
      headers: {
        authorization: `Bearer ${stack.info.live_key}`,
        "content-type": "application/json",
        "idempotency-key": key,
      },
      body: JSON.stringify({ conversation_id, text }),
    });
  const thread = (id: string) => stack.api("GET", `/v1/conversations/${encodeURIComponent(id)}`);
  const erase = async (id: string) => {
    const { status } = await stack.api("DELETE", `/v1/conversations/${encodeURIComponent(id)}`);
    expect(status).toBe(200);
  };
  const start = (from: number) =>
    runProgram("bin/admin", ["restore", "--from", new Date(from).toISOString()], { PARLEY_DATA: stack.dataDir });
  return { stack, reply, thread, erase, start };
}

async function newKey({ dataDir }: LocalStack): Promise<{ readonly id: string; readonly secret: string }> {
  const key = await runAdminJson(dataDir, "key", "create", "--tenant", "demo", "--scope", "live");
  return key as typeof key & { readonly id: string };
}

/** Advances the clock until the program has ended or shows a text: the histories are read 12 minutes later. */
async function runUntil(stack: LocalStack, program: Program, text: string | null): Promise<void> {
  await waitFor(
    `the program shows ${text}`,
    async () => {
      if (program.child.exitCode !== null) return true;
      if (text !== null && program.output().includes(text)) return true;
      await stack.clock("PT20S");
      return false;
    },
    { seconds: 150 },
  );
}

it("a restore of yesterday's table that is killed after every step forgets no erasure, no revoked key and no reply", async () => {
  const { stack, reply, thread, erase, start } = await openStack();
  const revoked = await newKey(stack);
  const erased = await personWrites(stack, CONNECTION, "Erased Eve");
  const conversation = await personWrites(stack, CONNECTION, "Kim");
  await waitUntilIdle(stack);
  const yesterday = await stack.now();
  const rows = await readTable(stack);

  await stack.clock("PT20H");
  const unknown = await personWrites(stack, CONNECTION, "Unknown Una");
  await waitUntilIdle(stack);
  const sent = await reply(conversation, "order-7");
  expect(sent.status).toBe(200);
  const messageId = sent.body.data.platform_message_id;
  await erase(erased);
  await erase(unknown);
  await runAdminJson(stack.dataDir, "key", "revoke", revoked.id, "--tenant", "demo");
  const ping = () => stack.api("GET", "/v1/conversations", undefined, revoked.secret);
  expect((await ping()).status).toBe(401);
  await waitUntilIdle(stack, 60);
  await stack.clock("PT1H");

  await restoreTable(stack, rows);
  expect([(await ping()).status, (await thread(erased)).status]).toEqual([200, 200]);

  for (const step of STEPS) {
    const program = start(yesterday);
    const kill = setInterval(() => {
      if (program.output().includes(`ok  ${step}`)) program.child.kill("SIGKILL");
    }, 2);
    await runUntil(stack, program, `ok  ${step}`);
    await program.exitCode;
    clearInterval(kill);
    // The last steps follow at once.
    if (step === "fetch" || step === "late acts") continue;
    const refused = await reply(conversation, "order-7");
    expect([step, refused.status, refused.headers.get("retry-after")]).toEqual([step, 503, "60"]);
  }
  const program = start(yesterday);
  await runUntil(stack, program, null);
  expect([await program.exitCode, program.output().split("\n").at(-2)]).toEqual([
    0,
    expect.stringMatching(/^Restored at|^This restore ended at/),
  ]);

  expect((await ping()).status).toBe(401);
  expect([(await thread(erased)).status, (await thread(unknown)).status]).toEqual([404, 404]);
  const outbound = ((await thread(conversation)).body.data.messages as ListedMessage[]).filter(
    ({ text }) => text === TEXT,
  );
  expect(outbound.map(({ id }) => id)).toEqual([messageId]);
  const again = await reply(conversation, "order-7");
  expect([again.status, again.body.data]).toEqual([200, { platform_message_id: messageId }]);
  expect((await reply(conversation, "order-7")).body.data).toEqual({ platform_message_id: messageId });
  expect(await sentMessages(stack, TEXT)).toHaveLength(1);
  // A message that was fetched answers one key.
  const other = await reply(conversation, "order-8");
  expect(other.status).toBe(200);
  expect(other.body.data.platform_message_id).not.toBe(messageId);
  expect(await sentMessages(stack, TEXT)).toHaveLength(2);
  const repeated = start(yesterday);
  expect([await repeated.exitCode, repeated.output()]).toEqual([0, expect.stringContaining("Nothing to do")]);
}, 300_000);

it("a restore makes the acts of tenants, accounts and endpoints again, and says whose secret is lost", async () => {
  const { stack, start } = await openStack();
  const receiver = await openReceiver();
  const admin = (...args: string[]) => runAdminJson(stack.dataDir, ...args);
  const keys: Record<string, string> = {};
  for (const slug of ["closed", "open", "gone"]) {
    await admin("tenant", "create", slug, "--owner", `${slug}@example.com`);
    keys[slug] = (await admin("key", "create", "--tenant", slug, "--scope", "live")).secret;
  }
  await admin("tenant", "suspend", "open");
  const hook = await createTestWebhook(stack, receiver.url);
  const account = accountKeyOf(stack, "messenger");
  await waitUntilIdle(stack);
  const yesterday = await stack.now();
  const rows = await readTable(stack);

  await stack.clock("PT20H");
  await admin("tenant", "suspend", "closed");
  await admin("tenant", "resume", "open");
  const deletion = runProgram("bin/admin", ["tenant", "delete", "gone", "--confirm", "gone"], {
    PARLEY_DATA: stack.dataDir,
  });
  await runUntil(stack, deletion, null);
  expect((await stack.api("POST", `/v1/webhooks/${hook.id}/rotate`)).status).toBe(200);
  expect((await stack.api("DELETE", `/v1/accounts/${encodeURIComponent(account)}`)).status).toBe(200);
  // The task that would complete the disconnection finds it complete.
  await stack.clock("PT2M");
  await waitUntilIdle(stack, 60);
  const statuses = async () => {
    const ofKeys = ["closed", "open", "gone"].map((slug) => stack.api("GET", "/v1/accounts", undefined, keys[slug]));
    return (await Promise.all(ofKeys)).map(({ status }) => status);
  };
  const accounts = async () => JSON.stringify((await stack.api("GET", "/v1/accounts")).body.data);
  expect(await statuses()).toEqual([403, 200, 401]);

  await restoreTable(stack, rows);
  expect([await statuses(), await accounts()]).toEqual([[200, 403, 200], expect.stringContaining(account)]);
  const program = start(yesterday);
  await runUntil(stack, program, null);
  expect(await program.exitCode).toBe(0);
  // Those of the owners, who have not signed in.
  expect(program.output()).toMatch(/ok {2}sessions .* and 4 invites/);
  expect(program.output()).toMatch(/ok {2}journal .*1 account\.disconnect.*1 tenant\.delete/);
  expect(program.errors()).toContain(`The last secret of the endpoint ${hook.id} of demo is lost.`);
  expect(await statuses()).toEqual([403, 200, 401]);
  expect(await accounts()).not.toContain(account);
  const { audit } = (await stack.api("GET", "/v1/audit?limit=100")).body.data as unknown as {
    audit: readonly { actor: string; action: string }[];
  };
  const byRestore = audit.filter(({ actor }) => actor === "restore").map(({ action }) => action);
  expect(byRestore.sort()).toEqual(["account.disconnect", "invite.revoke", "webhook.rotate"]);
  await receiver.close();
}, 300_000);

it("a copy in a second table is prepared by its name, and the table of the stack stays as it is", async () => {
  const { stack } = await openStack();
  const revoked = await newKey(stack);
  await waitUntilIdle(stack);
  const from = await stack.now();
  await createCopy(stack, "copy", await readTable(stack));
  await stack.clock("PT1H");
  await runAdminJson(stack.dataDir, "key", "revoke", revoked.id, "--tenant", "demo");
  const keys = (items: readonly { SK: string }[]) => items.filter(({ SK }) => SK.includes(revoked.id));
  const ofStack = keys(await readTable(stack));
  expect(keys(await readCopy(stack, "copy"))).not.toEqual(ofStack);
  const args = ["restore", "--table", "copy", "--from", new Date(from).toISOString()];
  const { code, output, errors } = await runAdmin(stack.dataDir, ...args);
  expect([code, errors, output]).toEqual([0, expect.stringContaining("Restoring copy from"), expect.any(String)]);
  expect(output).toContain("1 key.revoke");
  expect(output).toContain("The table is prepared, and sends nothing.");
  const accounts = (items: readonly { SK: string }[]) => items.filter(({ SK }) => SK.startsWith("ACC#"));
  expect(JSON.stringify(accounts(await readCopy(stack, "copy")))).toContain(`:${from}`);
  expect(JSON.stringify(accounts(await readTable(stack)))).not.toContain(`:${from}`);
  expect(keys(await readTable(stack))).toEqual(ofStack);
}, 300_000);

it("a restore of a wrong time or table says so in one line, and changes nothing", async () => {
  const { stack } = await openStack();
  const before = await readTable(stack);
  const day = 86_400_000;
  const text = (at: number) => new Date(at).toISOString();
  const [old, future] = [text((await stack.now()) - 36 * day), text((await stack.now()) + day)];
  const refusals: readonly (readonly [readonly string[], string])[] = [
    [[], "Step time failed: the table is not a point-in-time copy. Use the copy, or name its time with --from."],
    [["--from", "yesterday"], "--from yesterday is not a time. Write it as 2026-11-29T08:00:00Z."],
    [["--from", old], `${old} is before `],
    [["--from", future], `${future} is in the future. Name the time of the copy.`],
    [["--from", text(Date.now()), "--table", "copy"], "the table copy does not exist. Check its name and the region."],
    [["now"], "Unexpected argument: now."],
  ];
  for (const [args, problem] of refusals) {
    const { code, output, errors } = await runAdmin(stack.dataDir, "restore", ...args);
    expect([args, code, output, errors.trimEnd().split("\n")]).toEqual([
      args,
      1,
      "",
      [expect.stringContaining(problem)],
    ]);
  }
  expect(await readTable(stack)).toEqual(before);
}, 120_000);
