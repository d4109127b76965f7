import { expect, it } from "vitest";
import type { IssuedChallenge } from "#features/holds/rules/proof-of-work.ts";
import { solveChallenge } from "../../support/flows/hold-fixture.ts";
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
import { dumpTable } from "../support/dump-table.ts";
import { waitUntilIdle } from "../support/emulator-journals.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { waitFor } from "../support/wait-for.ts";
import { easyPuzzles } from "./easy-puzzles.ts";

// Held messages end to end without the page, and the platform's responses to the human-agent tag.

interface Hold {
  readonly id: string;
  readonly status: string;
  readonly verify_url: string;
  readonly error?: { readonly code: string; readonly message: string; readonly detail: string };
}
interface HoldEvent {
  readonly type: string;
  readonly data: {
    readonly message?: { readonly id: string | null; readonly hold_id?: string };
    readonly account?: { readonly account_key: string; readonly status: string };
    readonly reason?: string;
  };
}

const stack = openedOnce(openSharedStack);
const receiver = openedOnce(() => openSubscribedReceiver(stack));

const requestHold = (conversation_id: string, text: string): Promise<ApiResponse> =>
  stack.api("POST", "/v1/messages/human-agent", { conversation_id, text, actor_id: "ann" });

async function createHold(conversation: string, text: string): Promise<Hold> {
  const { status, body } = await requestHold(conversation, text);
  expect(status).toBe(202);
  return (body.data as unknown as { hold: Hold }).hold;
}

const postCheck = (path: string, body: object): Promise<ApiResponse> =>
  stack.request(`/verify/holds/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** The request body that completes a hold. */
async function completionBody({ id, verify_url }: Hold): Promise<object> {
  const secret = verify_url.split("#t=")[1] ?? "";
  const { body } = await postCheck(`${id}/challenge`, { secret });
  const { token } = await easyPuzzles(stack)(body.data as unknown as IssuedChallenge);
  return { secret, token, solutions: solveChallenge(token) };
}

async function completeHold(hold: Hold): Promise<Hold> {
  const { body } = await postCheck(`${hold.id}/complete`, await completionBody(hold));
  return (body.data as unknown as { hold: Hold }).hold;
}

const holdEvents = (): HoldEvent[] => [
  ...new Map(receiver.deliveries.map(({ event }) => [event.id, event as unknown as HoldEvent])).values(),
];
it("one of twenty concurrent completions sends, and the others report sending or sent", async () => {
  const conversation = await personWrites(stack, "messenger", "Mara");
  await stack.clock("PT25H");
  const hold = await createHold(conversation, "one of twenty");
  const right = await completionBody(hold);
  const answers = await Promise.all(Array.from({ length: 20 }, () => postCheck(`${hold.id}/complete`, right)));
  expect(await sentMessages(stack, "one of twenty")).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const { status, body } of answers.filter((one) => one.status !== 200)) {
    expect([status, body.error.code]).toEqual([409, "hold_expired"]);
    expect(["sending", "sent"]).toContain(body.error.detail);
  }
  await waitFor("the event is delivered", () => holdEvents().some(({ data }) => data.message?.hold_id === hold.id));
  await waitUntilIdle(stack);
  expect(holdEvents().filter(({ data }) => data.message?.hold_id === hold.id)).toMatchObject([
    { type: "message.sent" },
  ]);
}, 60_000);

it("an unchecked message is removed from the table by the sweep, before anyone reads its hold", async () => {
  const conversation = await personWrites(stack, "messenger", "Stranger Nora");
  await stack.clock("PT25H");
  const hold = await createHold(conversation, "never to be checked");
  expect(await dumpTable(stack)).toContain("never to be checked");
  await stack.clock("PT16M");
  await waitFor("a sweep has run", async () => !(await dumpTable(stack)).includes("never to be checked"));
  const { body } = await stack.api("GET", `/v1/messages/holds/${hold.id}`);
  expect((body.data as unknown as { hold: Hold }).hold.status).toBe("expired");
  expect(await sentMessages(stack, "never to be checked")).toEqual([]);
});

it("without the human-agent permission the message fails, the account keeps its status, and the next message is held", async () => {
  const conversation = await personWrites(stack, "messenger", "Tagged Tia");
  await stack.clock("PT25H");
  const first = await createHold(conversation, "tagged");
  await stack.sim("POST", "/faults", { mode: "no_human_agent", for: 1 });
  const failed = await completeHold(first);
  expect(failed).toMatchObject({ status: "failed", error: { code: "send_failed" } });
  expect(failed.error?.detail).toMatch(/\S/);
  await waitFor("the event is delivered", () => holdEvents().some(({ data }) => data.message?.hold_id === first.id));
  expect(holdEvents().filter(({ data }) => data.message?.hold_id === first.id)).toMatchObject([
    { type: "message.failed", data: { message: { id: null }, error: { detail: failed.error?.detail } } },
  ]);
  expect(await readAccount(stack, "messenger")).toMatchObject({ status: "active" });
  expect(holdEvents().filter(({ type }) => type.startsWith("account."))).toEqual([]);

  expect((await requestHold(conversation, "held again")).status).toBe(202);
}, 60_000);

it("a reply reveals that an account must be reconnected, and no message is held for it afterwards", async () => {
  const conversation = await personWrites(stack, "instagram_login", "Permitted Pam");
  const connection = "instagram_login";
  await stack.sim("POST", "/tokens", { ...simulatedAccount(stack, connection), action: "revoke" });
  const { status, body } = await stack.api("POST", "/v1/messages/reply", { conversation_id: conversation, text: "hi" });
  expect([status, body.error.code]).toEqual([502, "send_failed"]);
  expect(await readAccount(stack, "instagram_login")).toMatchObject({
    status: "needs_reauth",
    status_detail: body.error.detail,
  });
  const isNeedsReauth = ({ type, data }: HoldEvent) =>
    type === "account.needs_reauth" && data.account?.account_key === accountKeyOf(stack, "instagram_login");
  await waitFor("the event is delivered", () => holdEvents().some(isNeedsReauth));
  await waitUntilIdle(stack);
  expect(holdEvents().filter(isNeedsReauth)).toMatchObject([{ data: { account: { status: "needs_reauth" } } }]);
  await stack.clock("PT25H");
  const response = await requestHold(conversation, "still?");
  expect([response.status, response.body.error.code, response.body.error.detail]).toEqual([
    502,
    "send_failed",
    "needs_reauth",
  ]);
  expect(response.body.error.message).toBe(
    "The account's access has ended, so nothing was sent. Reconnect the account.",
  );
  expect(await sentMessages(stack, "still?")).toEqual([]);
});
