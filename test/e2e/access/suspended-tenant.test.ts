import { expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { runAdmin, runAdminJson } from "../support/admin.ts";
import { createTestWebhook } from "../support/api-calls.ts";
import type { ApiResponse } from "../support/api-response.ts";
import { waitUntilIdle } from "../support/emulator-journals.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { demoAccountIds, newMessageId, newPersonId, postWebhook, textEntry } from "../support/platform-webhooks.ts";
import { openReceiver } from "../support/webhook-receiver.ts";

const stack = openedOnce(openSharedStack);
const receiver = openedOnce(openReceiver);

const read = (key?: string, query = ""): Promise<ApiResponse> =>
  stack.api("GET", `/v1/messages${query}`, undefined, key);
const statusAndCode = ({ status, body }: ApiResponse) => [status, body.ok ? "ok" : body.error.code];

it("a suspended tenant's next request is 403, its webhooks are stored and delivered, and resuming it ends that", async () => {
  const { dataDir } = stack;
  const { secret: operator } = await runAdminJson(dataDir, "operator-key", "create", "--tenants", "demo");
  await createTestWebhook(stack, receiver.url);
  expect((await read()).status).toBe(200);

  expect(await runAdminJson(dataDir, "tenant", "suspend", "demo")).toEqual({ id: "demo", status: "suspended" });
  expect(statusAndCode(await read())).toEqual([403, "forbidden"]);
  expect(statusAndCode(await read(operator, "?tenant=demo"))).toEqual([403, "forbidden"]);

  const id = newMessageId();
  const text = textEntry(demoAccountIds.messenger, newPersonId(), id, "still there?", (await stack.now()) - 100);
  await postWebhook(stack, "page", [text]);
  await waitUntilIdle(stack);
  expect(receiver.deliveries.map(({ event }) => event.data.message.id)).toEqual([id]);

  const resumed = await runAdmin(dataDir, "tenant", "resume", "demo");
  expect(resumed).toEqual({ code: 0, output: "id: demo\nstatus: active\n", errors: "" });
  for (const { status, body } of [await read(), await read(operator, "?tenant=demo")]) {
    expect([status, body.data.messages.map((message: { id: string }) => message.id)]).toEqual([200, [id]]);
  }

  const unknown = await runAdmin(dataDir, "tenant", "suspend", "unknown-tenant");
  expect(unknown).toEqual({ code: 1, output: "", errors: "Tenant unknown-tenant not found.\n" });
});
