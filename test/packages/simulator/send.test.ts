import { describe, expect, test } from "vitest";
import { checkWindow } from "../../../packages/simulator/src/graph/send-window.ts";
import type { Account, Thread } from "../../../packages/simulator/src/world/model.ts";
import { startTestSimulator, startWebhookReceiver, testAccounts, testPage } from "./simulator-fixture.ts";

const day = 24 * 3_600_000;

async function startWithPerson(name: keyof typeof testAccounts = "login") {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  const { person, mid } = await simulator.personSends(name);
  return { hook, simulator, person: person as string, mid: mid as string };
}

test("an accepted send returns the person and a new message id, and is listed", async () => {
  const { simulator, person } = await startWithPerson();
  const answer = await simulator.sendToPerson("login", person);
  expect(answer).toMatchObject({ status: 200, body: { recipient_id: person } });
  const { sent } = (await simulator.get("/_sim/sent")).body;
  expect(sent).toMatchObject([{ mid: answer.body.message_id, person, request: { message: { text: "Good day" } } }]);
});

describe("text limits", () => {
  test.each(["login", "viaPage"] as const)("%s accepts 1000 bytes and no more", async (name) => {
    const { simulator, person } = await startWithPerson(name);
    const text = `${"あ".repeat(333)}a`;
    expect((await simulator.sendToPerson(name, person, { message: { text } })).status).toBe(200);
    const refused = await simulator.sendToPerson(name, person, { message: { text: `${text}b` } });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 100 } } });
    expect(refused.body.error.message).toContain("less than or equal to 1000");
  });

  test("Messenger accepts 2000 characters of any size and no more", async () => {
    const { simulator, person } = await startWithPerson("messenger");
    const text = "🧡".repeat(2000);
    expect((await simulator.sendToPerson("messenger", person, { message: { text } })).status).toBe(200);
    const refused = await simulator.sendToPerson("messenger", person, { message: { text: `${text}b` } });
    expect(refused.body.error).toMatchObject({
      message: "(#100) Length of param message[text] must be less than or equal to 2000",
      type: "OAuthException",
      code: 100,
    });
  });
});

describe("the window", () => {
  const account = { connection: "messenger" } as Account;
  const at = (elapsed: number, body: Record<string, unknown>) => () =>
    checkWindow(account, { lastInboundAt: 1000 } as Thread, { body, now: 1000 + elapsed, onInstagram: false });
  const response = { messaging_type: "RESPONSE" };
  const human = { messaging_type: "MESSAGE_TAG", tag: "HUMAN_AGENT" };

  test("24 hours for a response, 7 days for a human agent, to the millisecond", () => {
    expect(at(day, response)).not.toThrow();
    expect(at(day + 1, response)).toThrow(/outside of allowed window/);
    expect(at(7 * day, human)).not.toThrow();
    expect(at(7 * day + 1, human)).toThrow(/outside of allowed window/);
  });

  test.each([
    ["login", 2534022, "IGApiException"],
    ["viaPage", 2534022, "OAuthException"],
    ["messenger", 2018278, "OAuthException"],
  ] as const)(
    "%s refuses outside of it with its own subcode, by the simulator's clock",
    async (name, subcode, type) => {
      const { simulator, person } = await startWithPerson(name);
      await simulator.sim("/clock", { offset_ms: day - 60_000 });
      expect((await simulator.sendToPerson(name, person)).status).toBe(200);
      await simulator.sim("/clock", { offset_ms: day + 1 });
      const refused = await simulator.sendToPerson(name, person);
      expect(refused).toMatchObject({ status: 400, body: { error: { code: 10, error_subcode: subcode, type } } });
      expect((await simulator.sendToPerson(name, person, human)).status).toBe(200);
      await simulator.sim("/clock", { offset_ms: 7 * day + 1 });
      expect((await simulator.sendToPerson(name, person, human)).body.error).toMatchObject({
        code: 10,
        error_subcode: subcode,
      });
    },
  );

  test("the window is closed for a person who never wrote, and a reaction opens it", async () => {
    const { simulator } = await startWithPerson();
    const { body } = await simulator.sim("/people", { account: testAccounts.login.externalId, name: "Quiet" });
    expect((await simulator.sendToPerson("login", body.id)).body.error).toMatchObject({
      code: 10,
      error_subcode: 2534022,
    });
    const first = await simulator.personSends("login", { person: "Loud" });
    await simulator.sim("/clock", { offset_ms: 2 * day });
    await simulator.personSends("login", { person: "Loud", kind: "reaction" });
    expect((await simulator.sendToPerson("login", first.person)).status).toBe(200);
  });

  test("retired tags are refused", async () => {
    const { simulator, person } = await startWithPerson("messenger");
    const answer = await simulator.sendToPerson("messenger", person, {
      messaging_type: "MESSAGE_TAG",
      tag: "ACCOUNT_UPDATE",
    });
    expect(answer.body.error).toMatchObject({ message: "Invalid parameter", code: 100, error_subcode: 1893061 });
  });

  test("Messenger requires a messaging type, Instagram does not", async () => {
    const { simulator, person } = await startWithPerson("messenger");
    const without = { messaging_type: undefined };
    expect((await simulator.sendToPerson("messenger", person, without)).body.error).toMatchObject({ code: 100 });
    const instagram = await simulator.personSends("login");
    expect((await simulator.sendToPerson("login", instagram.person, without)).status).toBe(200);
  });
});

test("refusals for unknown people differ by channel", async () => {
  const { simulator } = await startWithPerson();
  expect((await simulator.sendToPerson("login", "1")).body.error).toMatchObject({
    code: 100,
    error_subcode: 2534014,
  });
  expect((await simulator.sendToPerson("messenger", "1")).body.error).toMatchObject({
    code: 100,
    error_subcode: 2018001,
  });
});

test("a send is refused for a missing token, an unknown token and a token of the other host", async () => {
  const { simulator, person } = await startWithPerson();
  const body = { recipient: { id: person }, message: { text: "Hi" } };
  for (const token of [undefined, "nonsense", testPage.token]) {
    const answer = await simulator.ask("POST", "/instagram_graph/v26.0/me/messages", body, token);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 190, type: "OAuthException" } } });
    expect(answer.body.error.fbtrace_id).toMatch(/^A/);
  }
  const inQuery = `/instagram_graph/v26.0/me/messages?access_token=${testAccounts.login.token}`;
  expect((await simulator.ask("POST", inQuery, body)).status).toBe(200);
});

test("a send is refused for the Instagram node on Facebook's host, while the Page's node works", async () => {
  const { simulator, person } = await startWithPerson("viaPage");
  const body = { recipient: { id: person }, message: { text: "Hi" } };
  const sendOnNode = (node: string) =>
    simulator.ask("POST", `/facebook_graph/v26.0/${node}/messages`, body, testPage.token);
  expect((await sendOnNode(testAccounts.viaPage.externalId)).body.error).toMatchObject({
    code: 3,
    message: expect.stringContaining("(#3) Application does not have the capability"),
  });
  expect((await sendOnNode(testPage.id)).status).toBe(200);
  expect((await sendOnNode("99")).body.error).toMatchObject({ code: 100, error_subcode: 33 });
});

test("refusals for neither or both of message and sender_action", async () => {
  const { simulator, person } = await startWithPerson();
  expect((await simulator.sendToPerson("login", person, { message: undefined })).body.error.code).toBe(100);
  expect((await simulator.sendToPerson("login", person, { sender_action: "typing_on" })).body.error.code).toBe(100);
  const typing = await simulator.sendToPerson("login", person, { message: undefined, sender_action: "typing_on" });
  expect(typing).toMatchObject({ status: 200, body: { recipient_id: person } });
  expect(typing.body.message_id).toBeUndefined();
});

test("refusals for a person who blocked the account", async () => {
  const { simulator, person } = await startWithPerson();
  await simulator.sim("/people", { account: testAccounts.login.externalId, person, blocked: true });
  expect((await simulator.sendToPerson("login", person)).body.error).toMatchObject({
    code: 551,
    error_subcode: 1545041,
  });
});

test("refusals for a reply to a message of another conversation", async () => {
  const { simulator, person, mid } = await startWithPerson();
  expect((await simulator.sendToPerson("login", person, { reply_to: { mid } })).status).toBe(200);
  expect((await simulator.sendToPerson("login", person, { reply_to: { mid: "other" } })).body.error.code).toBe(100);
});

describe("attachments", () => {
  const image = { type: "image", payload: { url: "https://files.example/a.jpg" } };
  const images = (count: number) => ({ message: { attachments: Array.from({ length: count }, () => image) } });

  test("a message has up to ten images, and only images together", async () => {
    const { simulator, person } = await startWithPerson();
    expect((await simulator.sendToPerson("login", person, images(10))).status).toBe(200);
    expect((await simulator.sendToPerson("login", person, images(11))).body.error).toMatchObject({
      error_subcode: 2534015,
    });
    const video = { type: "video", payload: { url: "https://files.example/a.mp4" } };
    expect((await simulator.sendToPerson("login", person, { message: { attachment: video } })).status).toBe(200);
    const mixed = { message: { attachments: [image, video] } };
    expect((await simulator.sendToPerson("login", person, mixed)).body.error).toMatchObject({ error_subcode: 2534015 });
    const captioned = { message: { text: "Look", attachment: image } };
    expect((await simulator.sendToPerson("login", person, captioned)).body.error).toMatchObject({
      error_subcode: 2534015,
    });
  });

  test("a GIF is refused on Instagram Login only", async () => {
    const message = { attachment: { type: "image", payload: { url: "https://files.example/a.gif?x=1" } } };
    const login = await startWithPerson("login");
    expect((await login.simulator.sendToPerson("login", login.person, { message })).status).toBe(400);
    const viaPage = await startWithPerson("viaPage");
    expect((await viaPage.simulator.sendToPerson("viaPage", viaPage.person, { message })).status).toBe(200);
  });

  test("an unknown attachment id is refused", async () => {
    const { simulator, person } = await startWithPerson();
    const message = { attachment: { type: "image", payload: { attachment_id: "1857777774821032" } } };
    expect((await simulator.sendToPerson("login", person, { message })).body.error).toMatchObject({
      error_subcode: 2018074,
    });
  });
});
