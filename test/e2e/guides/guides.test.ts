import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { codeBlocks } from "../../docs/code-blocks.ts";
import { pages } from "../../docs/markdown.ts";
import { openedOnce } from "../../support/opened.ts";
import { listAllMessages, listDeliveries } from "../support/api-calls.ts";
import { waitUntilIdle } from "../support/emulator-journals.ts";
import { freePort } from "../support/fake-servers.ts";
import { startLocalStack } from "../support/local-stack.ts";
import { waitFor } from "../support/wait-for.ts";
import { openReceiver } from "../support/webhook-receiver.ts";
import { type GuideMachine, type RunningGuide, runGuide } from "./guide-runner.ts";
import { packPackages } from "./packed-packages.ts";

const stack = openedOnce(startLocalStack);
const ports = openedOnce(async () => {
  const free = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  return Object.fromEntries([9000, 9001, 9002, 9100].map((port, index) => [port, free[index] ?? 0]));
});
/** Packed as they are published. The stack runs already: test/full/install/dev-package.test.ts starts the one of the package. */
const packed = openedOnce(() => packPackages("@parley/client", "@parley/cli"));
afterEach(async () => {
  for (const { id } of (await stack.api("GET", "/v1/webhooks")).body.data.endpoints)
    await stack.api("DELETE", `/v1/webhooks/${id}`);
});

async function run(page: string, printedBefore?: GuideMachine["printedBefore"]): Promise<RunningGuide> {
  const archives = { ...packed.archives, "@parley/dev": null };
  const guide = await runGuide(page, {
    ...{ dataDir: stack.dataDir, ports, archives },
    ...(printedBefore ? { printedBefore } : {}),
  });
  onTestFinished(() => guide.stop());
  return guide;
}

/** Writes a message as a person, and waits until the inbox shows their name. */
async function introduce(name: string): Promise<void> {
  const account = "17841400000000001";
  const { person } = await stack.sim<{ person: string }>("POST", "/person-sends", {
    account,
    person: name,
    text: "Hi",
  });
  await waitFor(`the inbox shows ${name}`, async () => {
    const { conversations } = (await stack.api("GET", "/v1/conversations?limit=100")).body.data;
    const conversation = conversations.find(({ participant_id }) => participant_id === person);
    return conversation?.participant_profile === "complete";
  });
}

/** Direction and text of a person's conversation, newest first. */
async function conversationWith(name: string): Promise<string[][]> {
  const { conversations } = (await stack.api("GET", "/v1/conversations?limit=100")).body.data;
  const { people } = await stack.sim<{ people: { id: string; name: string }[] }>("GET", "/state");
  const person = people.find((one) => one.name === name)?.id;
  const conversation = conversations.find(({ participant_id }) => participant_id === person);
  if (!conversation) return [];
  const { messages } = (await stack.api("GET", `/v1/conversations/${encodeURIComponent(conversation.id)}`)).body.data;
  return messages.map(({ direction, text }) => [direction, text]);
}

/** The messages of the ticket with the guide's message. */
const QUERY = `
  SELECT direction, text, edited_text, deleted FROM messages WHERE conversation_id =
    (SELECT conversation_id FROM messages WHERE text = 'Where is my order?') ORDER BY sent_at`;

const guides = [
  "docs/guides/accounts.md",
  "docs/guides/auto-reply.md",
  "docs/guides/chat-tool.md",
  "docs/guides/erase-on-request.md",
  "docs/guides/held-messages.md",
  "docs/guides/help-desk.md",
  "docs/guides/idempotency.md",
  "docs/guides/keys.md",
  "docs/guides/meta-app.md",
  "docs/guides/missed-webhooks.md",
  "docs/guides/no-webhook-arrives.md",
  "docs/guides/pagination.md",
  "docs/guides/quick-start.md",
  "docs/guides/realtime.md",
  "docs/guides/sending.md",
  "docs/guides/stats.md",
  "docs/guides/testing.md",
  "docs/guides/uploads.md",
  "docs/guides/webhooks.md",
];

/** Guides with blocks that are run by other tests, which read them from the page. */
const runElsewhere: Readonly<Record<string, readonly string[]>> = {
  "docs/guides/client.md": ["test/e2e/client/client.test.ts", "test/packages/client/package.test.ts"],
  "docs/guides/generated-clients.md": ["test/full/generated-clients/support/follow-guide.ts"],
  "docs/guides/uploads.md": ["test/e2e/uploads/uploads.test.ts", "test/web/upload-form.test.ts"],
  "docs/guides/webhooks.md": ["test/packages/receiver/package.test.ts"],
};

/** Guides whose code is no program or command that could run by itself, and why. */
const nothingToRun: Readonly<Record<string, string>> = {
  "docs/guides/connect-accounts.md": "It shows what a login returns. A person logs in at a platform in a browser.",
  "docs/guides/delivery.md": "It shows a part of a response.",
  "docs/guides/events.md": "It shows the events, which `npm run openapi` generates.",
  "docs/guides/sign-in.md": "It shows single requests. A person signs in with a mail in a browser.",
  "docs/guides/versioning.md": "It shows one request in each language.",
};

it("every guide with code is run, or is listed with the reason why it has nothing to run", () => {
  const withCode = pages.filter((page) => page.startsWith("docs/guides/") && codeBlocks(page).length > 0);
  const listed = [...new Set([...guides, ...Object.keys(runElsewhere)]), ...Object.keys(nothingToRun)];
  expect(withCode.toSorted()).toEqual(listed.sort());
  for (const [page, tests] of Object.entries(runElsewhere))
    for (const test of tests)
      expect([test, readFileSync(test, "utf8")]).toEqual([test, expect.stringContaining(`"${page}"`)]);
  for (const page of Object.keys(nothingToRun))
    expect([
      page,
      codeBlocks(page).filter(({ language, marks }) => language !== "json" && !marks.includes("tab")),
    ]).toEqual([page, []]);
});

it("every guide that is run needs no more than the packages, in a folder outside the repository", () => {
  for (const page of guides) {
    const commands = codeBlocks(page).filter(({ language, marks }) => language === "sh" && !marks.includes("tab"));
    const [first, second] = commands.map(({ code }) => code.trim());
    expect([page, first?.startsWith("npm install @parley/") || second?.startsWith("npm install @parley/")]).toEqual([
      page,
      true,
    ]);
    expect([page, commands.filter(({ code }) => /npm (run|--prefix)/.test(code))]).toEqual([page, []]);
  }
});

describe("the guide", () => {
  it("auto-reply.md: the bot answers a first message once, and no second one", async () => {
    const guide = await run("docs/guides/auto-reply.md");
    const answer = ["outbound", "Thank you for your message. We answer within an hour."];
    await waitFor("the bot has answered", () => guide.programOutput().includes(" sent\n"));
    expect(await conversationWith("Ida Berg")).toEqual([answer, ["inbound", "Are you open today?"]]);
    const { accounts } = stack.info;
    const [, account] = (accounts[0]?.account_key ?? "").split("#");
    await stack.sim("POST", "/person-sends", { account, person: "Ida Berg", text: "Anyone?" });
    await waitFor("the bot has seen the second message", () => guide.programOutput().includes(" ignored\n"));
    expect((await conversationWith("Ida Berg")).filter(([direction]) => direction === "outbound")).toEqual([answer]);
  });

  it("quick-start.md: a program in an empty folder receives a message, answers it, and lists both", async () => {
    const guide = await run("docs/guides/quick-start.md", { "node read.mjs": /^Replied\.$/m });
    const [shown = ""] = codeBlocks("docs/guides/quick-start.md").flatMap(({ language, code }) =>
      language === "text" ? [code] : [],
    );
    await waitFor("the program has replied", () => guide.programOutput().includes("Replied.\n"));
    expect(guide.programOutput()).toContain("Received: Are you open?\n");
    expect(guide.outputs).toContain(shown);
    expect(await conversationWith("Mia Sand")).toHaveLength(2);
  });

  it("idempotency.md: a send that is repeated sends one message", async () => {
    const { outputs } = await run("docs/guides/idempotency.md");
    expect(outputs.join("")).toContain("One message was sent.\n");
    expect(outputs.at(-1)?.toLowerCase()).toContain("idempotent-replayed: true");
    const texts = (await conversationWith("Noor Dahl")).map(([, text]) => text);
    expect(texts).toEqual(["Your order is ready.", "Is my order ready?"]);
  });

  it("pagination.md: the client and the loop with curl read a list to its end", async () => {
    await introduce("Page Turner");
    const { outputs, folder } = await run("docs/guides/pagination.md");
    expect(Number(/^(\d+) conversations wait/m.exec(outputs.join(""))?.[1])).toBeGreaterThan(0);
    expect(JSON.parse(readFileSync(join(folder, "page.json"), "utf8")).data.next_cursor).toBeNull();
  });

  it("sending.md: the program answers the person whose window closes first, once", async () => {
    const guide = await run("docs/guides/sending.md");
    expect(guide.outputs.join("")).toMatch(/^Sent \S+\.$/m);
    const sent = (await listAllMessages(stack)).filter(({ text }) => text === "It is ready.");
    expect(sent.map(({ direction }) => direction)).toEqual(["outbound"]);
  });

  it("webhooks.md: the receiver accepts signed deliveries alone, and each event once", async () => {
    const guide = await run("docs/guides/webhooks.md");
    await waitFor("the event arrived", () => guide.programOutput().includes("message.received"));
    const unsigned = await fetch(`http://127.0.0.1:${ports[9000]}/hooks`, { method: "POST", body: "{}" });
    expect(unsigned.status).toBe(401);
    expect(guide.programOutput().match(/message\.received/g)).toHaveLength(1);
  });

  it("realtime.md: the program prints the conversations, and the events of a message", async () => {
    const guide = await run("docs/guides/realtime.md");
    await waitFor("the stream stands", () => /^\d+ conversations$/m.test(guide.programOutput()));
    await stack.sim("POST", "/person-sends", { account: "17841400000000001", person: "Rea Lund", text: "Hello?" });
    await waitFor("the events arrived", () =>
      ["message.received\n", "conversation.updated\n"].every((line) => guide.programOutput().includes(line)),
    );
  });

  it("uploads.md: the program sends its file to the newest conversation", async () => {
    const { outputs } = await run("docs/guides/uploads.md");
    expect(outputs.at(-1)).toMatch(/^Sent the file \S+\.$/m);
    const [newest] = await listAllMessages(stack);
    expect(newest).toMatchObject({ direction: "outbound", attachments: [{ type: "file" }] });
  });

  it("keys.md: the program creates two keys, uses one, and revokes the other", async () => {
    const { outputs } = await run("docs/guides/keys.md");
    expect(outputs.at(-1)).toContain("The former key is unauthorized.\n");
    expect(outputs.at(-1)).toMatch(/^svc_test_\S+ revoked help desk$/m);
    expect(outputs.at(-1)).toMatch(/^svc_test_\S+ active help desk, 2$/m);
  });

  it("stats.md: the program prints the counts of a message and its answer", async () => {
    const { outputs } = await run("docs/guides/stats.md");
    expect(outputs.at(-1)).toMatch(/^\d+ messages in 24 hours, \d+ undelivered events$/m);
    expect(outputs.at(-1)).toMatch(/^Since \S+Z: \d+ received, \d+ sent$/m);
  });

  it("chat-tool.md: the chat tool prints the line that the guide shows", async () => {
    await introduce("Kim Holm");
    const guide = await run("docs/guides/chat-tool.md");
    const [shown = ""] = codeBlocks("docs/guides/chat-tool.md").flatMap(({ language, code }) =>
      language === "text" ? [code] : [],
    );
    await waitFor("the message is posted", () => guide.programOutput().includes(shown));
  });

  it("help-desk.md: the copy has each message once, with its edit and without an unsent text", async () => {
    const guide = await run("docs/guides/help-desk.md");
    const database = new DatabaseSync(join(guide.folder, "help-desk.db"), { readOnly: true });
    onTestFinished(() => database.close());
    const rows = () =>
      database
        .prepare(QUERY)
        .all()
        .map((row) => ({ ...row }));
    const person = { account: "17841400000000001", person: "Noa Lind" };
    const first = { direction: "inbound", text: "Where is my order?", edited_text: null as string | null, deleted: 0 };
    const answer = { ...first, direction: "outbound", text: "It left our store this morning." };
    await expect.poll(rows, { timeout: 20_000 }).toEqual([first, answer]);
    await stack.sim("POST", "/person-sends", { ...person, kind: "edit", text: "Where is it?" });
    await stack.sim("POST", "/person-sends", { ...person, text: "Forget it." });
    const edited = { ...first, edited_text: "Where is it?" };
    const second = { ...first, text: "Forget it." };
    await expect.poll(rows, { timeout: 20_000 }).toEqual([edited, answer, second]);
    await stack.sim("POST", "/person-sends", { ...person, kind: "unsend" });
    await expect.poll(rows, { timeout: 20_000 }).toEqual([edited, answer, { ...second, text: null, deleted: 1 }]);
  });

  it("missed-webhooks.md: everything that a receiver missed arrives after the replay", async () => {
    // A late message of another guide would be missed, too.
    await waitUntilIdle(stack);
    const receiver = await openReceiver();
    onTestFinished(() => receiver.close());
    receiver.respondWith(() => ({ status: 410 }));
    const created = await stack.api("POST", "/v1/webhooks", { url: receiver.url, events: ["message.received"] });
    const { id } = created.body.data.endpoint;
    const send = (text: string) =>
      stack.sim("POST", "/person-sends", { account: "17841400000000001", person: "Missed Person", text });
    await send("The first one");
    await waitFor("the endpoint is paused", async () => (await listDeliveries(stack, id))[0]?.status === "failed");
    await send("The second one");
    await waitFor("the second waits", async () => (await listDeliveries(stack, id))[0]?.status === "blocked");
    receiver.respondWith(() => ({ status: 200 }));
    const before = receiver.deliveries.length;
    const listed = async () =>
      (await listDeliveries(stack, id)).map((delivery) => `${delivery.event_type} ${delivery.status}`);
    expect(await listed()).toEqual(["message.received blocked", "message.received failed"]);

    const { outputs } = await run("docs/guides/missed-webhooks.md");
    const replayed = outputs.filter((output) => output.startsWith('{"matched"')).map((output) => JSON.parse(output));
    expect(replayed[0], (await listed()).join("\n")).toEqual({ matched: 2, enqueued: 2, skipped: 0 });
    await waitFor("both arrived", () => {
      const texts = receiver.deliveries.slice(before).map(({ event }) => event.data.message?.text);
      return texts.includes("The first one") && texts.includes("The second one");
    });
  });

  it("erase-on-request.md: the conversation is gone, and the hash of the guide is in the audit log", async () => {
    await introduce("Lou Park");
    const guide = await run("docs/guides/erase-on-request.md");
    const file = (name: string) => readFileSync(join(guide.folder, name), "utf8");
    const [shown] = codeBlocks("docs/guides/erase-on-request.md").filter(({ language }) => language === "json");
    const [erased] = file("erased.json").match(/\{.*\}/g) ?? [];
    const counts = (text = "") => Object.keys(JSON.parse(text).removed).sort();
    expect(counts(erased)).toEqual(counts(shown?.code));
    expect(JSON.parse(erased ?? "")).toMatchObject({ done: true, removed: { conversation: 1, messages: 2 } });
    expect(await conversationWith("Lou Park")).toEqual([]);
    expect(guide.outputs.at(-1)).toMatch(/^[0-9a-f]{16} conversation\.erase$/m);
  });

  it("no-webhook-arrives.md: the five checks pass on a healthy stack", async () => {
    const receiver = await openReceiver();
    onTestFinished(() => receiver.close());
    await stack.api("POST", "/v1/webhooks", { url: receiver.url });
    const { outputs } = await run("docs/guides/no-webhook-arrives.md");
    const text = outputs.join("\n");
    expect(text).toMatch(/^\S+Z instagram#\S+ Is anybody there\?$/m);
    expect(text).toMatch(/^instagram#\S+ active $/m);
    expect(outputs).toContain("12345");
    expect(outputs).toContain("401\n");
    expect(text).toContain(`${receiver.url} (active, since `);
    expect(text).toMatch(/^ {2}test\.event delivered 200 $/m);
    await waitFor("the test event arrived", () => receiver.deliveries.some(({ event }) => event.type === "test.event"));
  });

  it("meta-app.md: the callback URLs answer the challenge, and the dashboard's sample is accepted", async () => {
    const messages = (await listAllMessages(stack)).length;
    const { outputs, folder } = await run("docs/guides/meta-app.md");
    expect(Object.keys(JSON.parse(readFileSync(join(folder, "platforms.json"), "utf8")))).toEqual([
      "meta",
      "instagram",
      "verify_token",
    ]);
    expect(outputs.at(-2)).toBe("11582014441158201444");
    expect(outputs.at(-1)).toContain('"receiver":200');
    expect(await listAllMessages(stack)).toHaveLength(messages);
  });

  // The last ones advance the clock, which does not go back.
  it("held-messages.md: the program holds a message, and a person gets the address of the check", async () => {
    const guide = await run("docs/guides/held-messages.md");
    await waitFor("the address is printed", () =>
      /^Open http:\S+\/verify\?hold=hold_\S+#t=\S+$/m.test(guide.programOutput()),
    );
  });

  it("accounts.md: the program prints the accounts, and a check comes a day later", async () => {
    const { outputs } = await run("docs/guides/accounts.md");
    expect(outputs.join("")).toMatch(/^instagram#17841400000000001 instagram_login active$/m);
    expect(outputs.at(-1)).toMatch(/^now: \S+Z$/m);
  });

  it("testing.md: a message that is held after a day has a check page", async () => {
    const { outputs } = await run("docs/guides/testing.md");
    expect(outputs.at(-1)).toMatch(/http:\/\/127\.0\.0\.1:\d+\/verify/);
  });
});
