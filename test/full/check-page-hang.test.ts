import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { untilIdle } from "../e2e/support/journals.ts";
import { type RunningLocal, startLocal } from "../e2e/support/local-stack.ts";
import { until } from "../e2e/support/poll.ts";
import { launchBrowser } from "../web/support/browser.ts";
import { heading, press, visit } from "../web/support/visit.ts";

// It waits for the real ten seconds that the platform is given.

interface Hold {
  readonly id: string;
  readonly status: string;
  readonly verify_url: string;
}

let stack: RunningLocal;
let browser: Browser;
beforeAll(async () => {
  [stack, browser] = await Promise.all([startLocal(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

it("a platform that takes the message and never answers: the page says it cannot tell, the echo shows the message, the hold stays failed", async () => {
  const account = stack.local.accounts.find(({ connection }) => connection === "messenger");
  const [platform, externalId] = account?.account_key.split("#") ?? [];
  const said = { account: externalId, connection: "messenger", person: "Mara", text: "hello" };
  const { person } = await stack.sim<{ person: string }>("POST", "/person-sends", said);
  await untilIdle(stack);
  await stack.clock("PT25H");
  const asked = {
    conversation_id: `CONV#demo#${platform}#${externalId}#${person}`,
    text: "did it arrive?",
    actor_id: "console:usr_ann",
  };
  const { body } = await stack.api("POST", "/v1/messages/human-agent", asked);
  const { hold } = body.data as unknown as { hold: Hold };
  await stack.sim("POST", "/faults", { mode: "hang_after_accept", for: 1 });

  const { page } = await visit(browser, hold.verify_url);
  await press(page);
  await heading(page, "Being sent");
  await heading(page, "Perhaps not sent");
  const path = `/v1/messages/holds/${hold.id}`;
  const read = async () => ((await stack.api("GET", path)).body.data as unknown as { hold: Hold }).hold;
  const failed = { status: "failed", error: { code: "send_failed", detail: "outcome_unknown" } };
  expect(await read()).toMatchObject(failed);

  const conversation = `/v1/conversations/${encodeURIComponent(asked.conversation_id)}`;
  const message = await until("the echo is in", async () => {
    const { messages } = (await stack.api("GET", conversation)).body.data;
    return messages.find(({ text }) => text === asked.text);
  });
  expect(message).toMatchObject({ direction: "outbound", sent_via: "api_human_agent" });
  expect(await read()).toMatchObject(failed);
  const { sent } = await stack.sim<{ sent: unknown[] }>("GET", "/sent");
  expect(sent).toHaveLength(1);
}, 90_000);
