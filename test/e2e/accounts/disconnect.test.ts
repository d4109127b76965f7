import { expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { accountKeyOf, openSubscribedReceiver, personWrites } from "../support/api-calls.ts";
import { failureLines, waitUntilIdle } from "../support/emulator-journals.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { waitFor } from "../support/wait-for.ts";

// An account is disconnected: its sends, its history, its subscription at the platform and its event.

const stack = openedOnce(openSharedStack);
const receiver = openedOnce(() => openSubscribedReceiver(stack));

it("a disconnected account sends nothing, its history stays, and its webhooks end", async () => {
  const key = accountKeyOf(stack, "messenger");
  const conversation = await personWrites(stack, "messenger", "Dora");

  const deleted = await stack.api("DELETE", `/v1/accounts/${encodeURIComponent(key)}`);
  expect(deleted).toMatchObject({ status: 200, body: { data: { disconnected: true } } });
  const reply = await stack.api("POST", "/v1/messages/reply", { conversation_id: conversation, text: "too late" });
  expect([reply.status, reply.body.error.code]).toEqual([404, "account_not_found"]);
  const { body } = await stack.api("GET", `/v1/conversations/${encodeURIComponent(conversation)}`);
  expect(body.data.messages.map(({ text }: { readonly text: string }) => text)).toEqual(["hello"]);
  const { body: list } = await stack.api("GET", "/v1/accounts");
  expect(JSON.stringify(list)).not.toContain(key);

  const event = await waitFor("the event is delivered", async () =>
    receiver.deliveries.find(({ event: { type } }) => type === "account.disconnected"),
  );
  expect(event.event.data).toMatchObject({ reason: "user", account: { account_key: key } });
  // The task that would have completed it comes a minute later, and finds nothing to do.
  await stack.clock("PT2M");
  await waitUntilIdle(stack);
  const events = receiver.deliveries.filter(({ event: { type } }) => type === "account.disconnected");
  expect(events).toHaveLength(1);
  expect(failureLines(stack.log())).toEqual([]);
});
