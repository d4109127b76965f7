import { expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import {
  accountKeyOf,
  openSubscribedReceiver,
  personWrites,
  readAccount,
  sentMessages,
  simulatedAccount,
} from "../support/api-calls.ts";
import type { ApiResponse } from "../support/api-response.ts";
import { waitUntilIdle } from "../support/emulator-journals.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { waitFor } from "../support/wait-for.ts";

// The platform's responses to a send, end to end: the API response, the account, the events.

interface SendEvent {
  readonly type: string;
  readonly data: {
    readonly message?: { readonly id: string | null; readonly conversation_id: string; readonly text: string };
    readonly error?: { readonly code: string; readonly detail: string };
    readonly account?: { readonly account_key: string; readonly status: string };
    readonly reason?: string;
  };
}

const stack = openedOnce(openSharedStack);
const receiver = openedOnce(() => openSubscribedReceiver(stack));

async function reply(
  conversation_id: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  return stack.request("/v1/messages/reply", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${stack.info.live_key}`, ...headers },
    body: JSON.stringify({ conversation_id, ...body }),
  });
}

const setFault = (mode: string, rest: object = { for: 1 }) => stack.sim("POST", "/faults", { mode, ...rest });
const sendEvents = (): SendEvent[] => {
  const byId = new Map(receiver.deliveries.map(({ event }) => [event.id, event as unknown as SendEvent]));
  return [...byId.values()];
};
const failedEvents = (conversation: string) =>
  sendEvents().filter(({ type, data }) => type === "message.failed" && data.message?.conversation_id === conversation);

it.each([
  ["person_unavailable", {}],
  ["outside_window", {}],
  ["unknown_person", {}],
  ["thread_owner", {}],
  ["fetch_failed", {}],
  ["tag_abuse", {}],
  ["error", { code: 9000001 }],
])(
  "a reply that the platform refuses is 502 with the reason, publishes message.failed and does not change the account: %s",
  async (mode, rest) => {
    const conversation = await personWrites(stack, "messenger", `Fay of ${mode}`);
    await setFault(mode, { for: 1, ...rest });
    const { status, body } = await reply(conversation, { text: `refused ${mode}` });
    expect([status, body.error.code]).toEqual([502, "send_failed"]);
    expect(body.error.detail).toMatch(/\S/);
    expect(body.error.detail).not.toBe("outcome_unknown");
    await waitFor("the event is delivered", () => failedEvents(conversation).length > 0);
    expect(failedEvents(conversation)).toMatchObject([
      {
        data: {
          message: { id: null, text: `refused ${mode}` },
          error: { code: "send_failed", detail: body.error.detail },
        },
      },
    ]);
    expect(await readAccount(stack, "messenger")).toMatchObject({ status: "active" });
    expect((await reply(conversation, { text: "and again" })).status).toBe(200);
  },
);

it.each([
  ["messenger", true],
  ["instagram_page", true],
  ["instagram_login", false],
] as const)("a reply over %s proves the app's secret: %s", async (connection, proves) => {
  const text = `proved over ${connection}`;
  expect((await reply(await personWrites(stack, connection, "Prue"), { text })).status).toBe(200);
  // The simulator has refused any proof that is wrong.
  const proofs = (await sentMessages(stack, text)).map(({ request }) => request.appsecret_proof);
  expect(proofs).toEqual([proves ? expect.stringMatching(/^[0-9a-f]{64}$/) : undefined]);
});

it("a reply with an unknown outcome is reported as failed a minute later, and not before", async () => {
  const conversation = await personWrites(stack, "messenger", "Una");
  await setFault("5xx");
  const { status, body } = await reply(conversation, { text: "anybody?" });
  expect([status, body.error.detail]).toEqual([502, "outcome_unknown"]);
  await stack.clock("PT30S");
  await waitUntilIdle(stack);
  expect(failedEvents(conversation)).toEqual([]);
  await stack.clock("PT2M");
  await waitFor("the event is delivered", () => failedEvents(conversation).length > 0);
  expect(failedEvents(conversation)).toMatchObject([{ data: { error: { detail: "outcome_unknown" } } }]);
});

it("ten of twenty concurrent replies are sent, and ten are refused with the end of the wait", async () => {
  const conversation = await personWrites(stack, "messenger", "Busy Bea");
  // To the start of a window of ten seconds.
  await stack.clock(`PT${10 - Math.floor(((await stack.now()) % 10_000) / 1_000)}S`);
  const responses = await Promise.all(Array.from({ length: 20 }, () => reply(conversation, { text: "all at once" })));
  const byStatus = Map.groupBy(responses, ({ status }) => status);
  expect([byStatus.get(200)?.length, byStatus.get(409)?.length]).toEqual([10, 10]);
  for (const { body, headers } of byStatus.get(409) ?? []) {
    expect(body.error).toMatchObject({ code: "rate_limited", detail: expect.stringMatching(/^until 2/) });
    expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  }
  expect(await sentMessages(stack, "all at once")).toHaveLength(10);
  await stack.clock("PT10S");
  expect((await reply(conversation, { text: "calm again" })).status).toBe(200);
});

it("an idempotency key returns the same message for the same reply and sends it once", async () => {
  const conversation = await personWrites(stack, "messenger", "Ida");
  const key = { "idempotency-key": "a-key-of-its-own" };
  const first = await reply(conversation, { text: "once" }, key);
  expect(first.status).toBe(200);
  expect((await reply(conversation, { text: "once" }, key)).body).toEqual(first.body);
  const other = await reply(conversation, { text: "twice" }, key);
  expect([other.status, other.body.error.code]).toEqual([409, "idempotency_conflict"]);
  expect(await sentMessages(stack, "once")).toHaveLength(1);
  expect(await sentMessages(stack, "twice")).toEqual([]);
});

it("images are sent as one message and stored with their URLs", async () => {
  const conversation = await personWrites(stack, "instagram_login", "Pia");
  const attachments = ["a", "b"].map((name) => ({ type: "image", url: `https://cdn.example/${name}.png` }));
  const { status, body } = await reply(conversation, { attachments });
  expect(status).toBe(200);
  const { message } = (await stack.api("GET", `/v1/messages/${body.data.platform_message_id}`)).body.data;
  expect(message).toMatchObject({ direction: "outbound", text: "", attachments });
});

it("nothing is sent from an account while the platform throttles it", async () => {
  const conversation = await personWrites(stack, "instagram_page", "Slow Sam");
  await setFault("rate_limited", { for: 1, minutes: 2 });
  expect((await reply(conversation, { text: "too fast" })).status).toBe(502);
  await stack.clock("PT20S");
  const paused = await reply(conversation, { text: "still too fast" });
  expect([paused.status, paused.body.error.code]).toEqual([409, "rate_limited"]);
  expect(Number(paused.headers.get("retry-after"))).toBeGreaterThan(60);
  expect(await sentMessages(stack, "still too fast")).toEqual([]);
  expect(await readAccount(stack, "instagram_page")).toMatchObject({ status: "active" });
  await stack.clock("PT2M");
  expect((await reply(conversation, { text: "slowly" })).status).toBe(200);
});

// Last, because they change the status of the accounts.
it.each([
  ["a restriction", { restrict: 60 }, "instagram_page", "restricted", "account.restricted", "policy"],
  ["a revoked token", { token: "revoke" }, "instagram_login", "needs_reauth", "account.needs_reauth", "token_invalid"],
  ["an expired token", { token: "expire" }, "messenger", "needs_reauth", "account.needs_reauth", "token_invalid"],
] as const)(
  "%s changes the account, publishes one event, and later replies do not reach the platform",
  async (cause, change, connection, becomes, type, reason) => {
    const conversation = await personWrites(stack, connection, `Rosa of ${cause}`);
    const simulated = simulatedAccount(stack, connection);
    if ("token" in change) await stack.sim("POST", "/tokens", { ...simulated, action: change.token });
    else await stack.sim("POST", "/restrictions", { ...simulated, minutes: change.restrict });
    const { status, body } = await reply(conversation, { text: "the last one" });
    expect([status, body.error.code]).toEqual([502, "send_failed"]);
    expect(await readAccount(stack, connection)).toMatchObject({
      status: becomes,
      status_detail: body.error.detail,
      refresh_error: null,
    });
    const ofAccount = () =>
      sendEvents().filter(
        (event) => event.type === type && event.data.account?.account_key === accountKeyOf(stack, connection),
      );
    await waitFor("the event is delivered", () => ofAccount().length > 0);
    const before = await sentMessages(stack);
    const next = await reply(conversation, { text: "one more" });
    expect([next.status, next.body.error.code, next.body.error.detail]).toEqual([502, "send_failed", becomes]);
    expect(await sentMessages(stack)).toHaveLength(before.length);
    await waitUntilIdle(stack);
    expect(ofAccount()).toMatchObject([{ data: { account: { status: becomes }, reason } }]);
    expect(failedEvents(conversation)).toHaveLength(1);
  },
);
