import { expect, test } from "vitest";
import { firstEvent, isEcho, startTestSimulator, startWebhookReceiver, testAccounts } from "./simulator-fixture.ts";

async function startReady() {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  const account = (name: keyof typeof testAccounts) => {
    const { externalId, connection } = testAccounts[name];
    return { account: externalId, connection };
  };
  const newest = () => {
    const webhook = hook.got.at(-1);
    if (webhook === undefined) throw new Error("no webhook was posted");
    return webhook;
  };
  return { hook, simulator, account, newest };
}

test("the business answers in the platform's own app: an echo of another app", async () => {
  const { simulator, account, newest } = await startReady();
  const { person } = await simulator.personSends("messenger");
  const sent = await simulator.sim("/account-sends", { ...account("messenger"), person, text: "By hand" });
  expect(sent.body).toMatchObject({ status_of_webhook: "delivered", person });
  expect(firstEvent(newest())).toMatchObject({
    sender: { id: testAccounts.messenger.externalId },
    recipient: { id: person },
    message: { mid: sent.body.mid, is_echo: true, text: "By hand", app_id: 26390203743090 },
  });
  await simulator.personSends("login", { person: "Ada" });
  await simulator.sim("/account-sends", { ...account("login"), person: "Ada", text: "By hand" });
  const { message } = firstEvent(newest());
  expect(message).toEqual({ mid: expect.any(String), is_echo: true, text: "By hand" });
});

test("the account edits nothing, but unsends and reacts to any message", async () => {
  const { simulator, account, newest } = await startReady();
  const { person, mid } = await simulator.personSends("login");
  const own = await simulator.sim("/account-sends", { ...account("login"), person, text: "By hand" });
  await simulator.personSends("login", { kind: "reaction", mid, by_account: true, emoji: "👍", text: undefined });
  expect(firstEvent(newest()).reaction).toMatchObject({ mid, emoji: "👍" });
  await simulator.personSends("login", { kind: "unsend", mid: own.body.mid, by_account: true, text: undefined });
  expect(firstEvent(newest()).message).toMatchObject({ mid: own.body.mid, is_deleted: true, is_echo: true });
});

test("an older message of the person is edited and unsent, and an unsent one is not edited again", async () => {
  const { simulator, account, newest } = await startReady();
  const { mid } = await simulator.personSends("login", { text: "First" });
  await simulator.personSends("login", { text: "Second" });
  await simulator.personSends("login", { kind: "edit", mid, text: "Better" });
  expect(firstEvent(newest()).message_edit).toEqual({ mid, text: "Better", num_edit: 1 });
  await simulator.personSends("login", { kind: "unsend", mid, text: undefined });
  const again = await simulator.sim("/person-sends", { ...account("login"), kind: "edit", mid, text: "Too late" });
  expect(again.status).toBe(400);
  expect(again.body.error).toContain("was unsent");
});

test("a policy event is sent for the account", async () => {
  const { simulator, account, newest } = await startReady();
  const answer = await simulator.sim("/policy", { ...account("messenger"), action: "block", reason: "Spam" });
  expect(answer.body).toMatchObject({ status_of_webhook: "delivered" });
  const event = firstEvent(newest());
  expect(event).toMatchObject({ recipient: { id: testAccounts.messenger.externalId } });
  expect(event.policy_enforcement).toEqual({ action: "block", reason: "Spam" });
});

test("in a thread that another app controls, webhooks come in standby and sends are refused", async () => {
  const { simulator, account, newest } = await startReady();
  const { person } = await simulator.personSends("messenger");
  await simulator.sim("/people", { ...account("messenger"), person, standby: true });
  await simulator.personSends("messenger", { person, text: "To the other app" });
  expect(newest().body.entry[0].messaging).toBeUndefined();
  expect(newest().body.entry[0].standby[0].message.text).toBe("To the other app");
  const refused = await simulator.sendToPerson("messenger", person);
  expect(refused.body.error).toMatchObject({ code: 2018300 });
  await simulator.sim("/people", { ...account("messenger"), person, standby: false });
  expect((await simulator.sendToPerson("messenger", person)).status).toBe(200);
});

test("a person without a role in the app cannot be written to", async () => {
  const { simulator, account } = await startReady();
  const { person } = await simulator.personSends("messenger");
  await simulator.sim("/people", { ...account("messenger"), person, role: false });
  const refused = await simulator.sendToPerson("messenger", person);
  expect(refused.body.error).toMatchObject({ code: 200, error_subcode: 2018028 });
});

test("receipts: Messenger reports which messages were delivered, and both which were read", async () => {
  const { hook, simulator, account, newest } = await startReady();
  const { person } = await simulator.personSends("messenger");
  const { body } = await simulator.sendToPerson("messenger", person);
  await hook.waitForWebhooks(1, isEcho);
  await simulator.personSends("messenger", { kind: "delivered", text: undefined });
  expect(firstEvent(newest()).delivery).toEqual({ mids: [body.message_id], watermark: expect.any(Number) });
  await simulator.personSends("messenger", { kind: "read", text: undefined });
  expect(firstEvent(newest()).read).toEqual({ watermark: expect.any(Number) });
  const instagram = await simulator.sim("/person-sends", { ...account("login"), kind: "delivered" });
  expect(instagram.body.error).toContain("exists on Messenger only");
});

test.each([
  ["video", "video", /\/media\/clip\.webm$/, "video/webm"],
  ["audio", "audio", /\/media\/voice\.wav$/, "audio/wav"],
  ["file", "file", /\/media\/price-list\.pdf$/, "application/pdf"],
])("a %s is sent with an address that serves it", async (kind, type, url, contentType) => {
  const { simulator, newest } = await startReady();
  await simulator.personSends("messenger", { kind, text: undefined });
  const [attachment] = firstEvent(newest()).message.attachments;
  expect(attachment).toEqual({ type, payload: { url: expect.stringMatching(url) } });
  const served = await fetch(attachment.payload.url);
  expect(served.headers.get("Content-Type")).toBe(contentType);
  expect((await served.arrayBuffer()).byteLength).toBeGreaterThan(400);
});

test("several photos, a reel, and a message that the platform does not pass on", async () => {
  const { simulator, newest } = await startReady();
  await simulator.personSends("login", { kind: "album", text: undefined });
  expect(firstEvent(newest()).message.attachments).toHaveLength(3);
  await simulator.personSends("login", { kind: "reel", text: undefined });
  expect(firstEvent(newest()).message.attachments[0]).toMatchObject({ type: "ig_reel" });
  await simulator.personSends("login", { kind: "unsupported", text: undefined });
  expect(firstEvent(newest()).message).toEqual({ mid: expect.any(String), is_unsupported: true });
});
