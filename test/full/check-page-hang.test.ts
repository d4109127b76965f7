import { expect, it } from "vitest";
import { personWrites, sentMessages } from "../e2e/support/api-calls.ts";
import { startLocalStack } from "../e2e/support/local-stack.ts";
import { waitFor } from "../e2e/support/wait-for.ts";
import { openedOnce } from "../support/opened.ts";
import { openedBrowser, openPage, pressButton, waitForHeading } from "../web/support/page-visit.ts";

// The test waits for the platform's real time-out of ten seconds.

interface Hold {
  readonly id: string;
  readonly status: string;
  readonly verify_url: string;
}

const stack = openedOnce(startLocalStack);
const browser = openedBrowser();

it("a platform that accepts the message and never answers: the page reports an unknown outcome, the echo shows the message, the hold stays failed", async () => {
  const conversation_id = await personWrites(stack, "messenger", "Mara");
  await stack.clock("PT25H");
  const request = {
    conversation_id,
    text: "did it arrive?",
    actor_id: "console:usr_ann",
  };
  const { body } = await stack.api("POST", "/v1/messages/human-agent", request);
  const { hold } = body.data as unknown as { hold: Hold };
  await stack.sim("POST", "/faults", { mode: "hang_after_accept", for: 1 });

  const { page } = await openPage(browser, hold.verify_url);
  await pressButton(page);
  await waitForHeading(page, "Not confirmed");
  const path = `/v1/messages/holds/${hold.id}`;
  const read = async () => ((await stack.api("GET", path)).body.data as unknown as { hold: Hold }).hold;
  const failed = { status: "failed", error: { code: "send_failed", detail: "outcome_unknown" } };
  expect(await read()).toMatchObject(failed);

  const conversation = `/v1/conversations/${encodeURIComponent(request.conversation_id)}`;
  const message = await waitFor("the echo is in", async () => {
    const { messages } = (await stack.api("GET", conversation)).body.data;
    return messages.find(({ text }) => text === request.text);
  });
  expect(message).toMatchObject({ direction: "outbound", sent_via: "api_human_agent" });
  expect(await read()).toMatchObject(failed);
  expect(await sentMessages(stack)).toHaveLength(1);
}, 90_000);
