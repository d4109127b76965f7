import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startTestSimulator, startWebhookReceiver } from "./simulator-fixture.ts";

async function statePath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "simulator-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, "state.json");
}

test.each([500, 204, 302])(
  "a webhook answered with %i is posted again with the same bytes until a 200",
  async (status) => {
    const hook = await startWebhookReceiver();
    hook.settings.status = status;
    const simulator = await startTestSimulator(hook.url);
    const sent = await simulator.personSends("messenger");
    expect(sent).toMatchObject({ status_of_webhook: "waiting", problem: `the webhook's receiver: ${status}` });
    await hook.waitForWebhooks(2);
    hook.settings.status = 200;
    const before = hook.got.length;
    const all = await hook.waitForWebhooks(before + 1);
    expect(new Set(all.map(({ raw }) => raw)).size).toBe(1);
    await expect.poll(async () => (await simulator.get("/_sim/state")).body.pending).toEqual([]);
    const { threads } = (await simulator.get("/_sim/state")).body;
    expect(threads[0].messages[0]).toMatchObject({ mid: sent.mid, webhook: "delivered" });
  },
);

test("a webhook without a response within five seconds is retried", async () => {
  const hook = await startWebhookReceiver();
  hook.settings.silent = true;
  const simulator = await startTestSimulator(hook.url);
  const began = Date.now();
  const sent = await simulator.personSends("login");
  expect(Date.now() - began).toBeGreaterThanOrEqual(4_900);
  expect(sent.problem).toContain("no answer within 5000 ms");
  hook.settings.silent = false;
  await hook.waitForWebhooks(2);
});

test("pending webhooks, people, threads, tokens and subscriptions survive a restart", async () => {
  const path = await statePath();
  const hook = await startWebhookReceiver();
  hook.settings.status = 503;
  const first = await startTestSimulator(hook.url, { statePath: path });
  const sent = await first.personSends("login", { person: "Ada", text: "Are you there?" });
  expect(sent.status_of_webhook).toBe("waiting");
  await first.ask("POST", "/instagram_graph/me/subscribed_apps", { subscribed_fields: ["messages"] }, "IGAATestLogin");
  const before = (await first.get("/_sim/state")).body;
  await first.close();
  expect(await readdir(join(path, ".."))).toEqual(["state.json"]);
  expect(JSON.parse(await readFile(path, "utf8")).deliveries).toHaveLength(1);

  const tries = hook.got.length;
  hook.settings.status = 200;
  const second = await startTestSimulator(hook.url, { statePath: path });
  const all = await hook.waitForWebhooks(tries + 1);
  expect(all.at(-1)?.raw).toBe(all[0]?.raw);
  await expect.poll(async () => (await second.get("/_sim/state")).body.pending).toEqual([]);
  const after = (await second.get("/_sim/state")).body;
  expect(after.people).toEqual(before.people);
  expect(after.accounts).toEqual(before.accounts);
  expect(after.subscriptions).toEqual(before.subscriptions);
  expect(after.threads[0].messages).toEqual([{ ...before.threads[0].messages[0], webhook: "delivered" }]);
  expect((await second.sendToPerson("login", sent.person)).status).toBe(200);
  const { webhooks } = (await second.get(`/_sim/webhooks?mid=${sent.mid}`)).body;
  expect(webhooks[0].body).toBe(all[0]?.raw);
  const statuses = webhooks[0].attempts.map(({ status }: { status: number }) => status);
  expect([statuses[0], statuses.at(-1)]).toEqual([503, 200]);
});

test("a file that is not a state is rejected by name and not changed", async () => {
  const path = await statePath();
  await writeFile(path, "{ half");
  await expect(startTestSimulator("http://127.0.0.1:9", { statePath: path })).rejects.toThrow(
    /is not a state of the platform/,
  );
  expect(await readFile(path, "utf8")).toBe("{ half");
});
