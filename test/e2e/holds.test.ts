import { afterAll, beforeAll, expect, it } from "vitest";
import type { Connection } from "../../shared/domain/accounts/accounts.ts";
import { solve } from "../shared/flows/support/hold-scene.ts";
import type { Answer } from "./support/answers.ts";
import { untilIdle } from "./support/journals.ts";
import { type RunningLocal, startLocal } from "./support/local-stack.ts";
import { until } from "./support/poll.ts";
import { createHook } from "./support/read-all.ts";
import { openReceiver, type Receiver } from "./support/receiver.ts";
import { wholeTable } from "./support/whole-table.ts";

// Held messages over the whole stack, checked without the page, and what the platform makes of the human agent's tag.

interface Hold {
  readonly id: string;
  readonly status: string;
  readonly verify_url: string;
  readonly error?: { readonly code: string; readonly message: string; readonly detail: string };
}
interface Sent {
  readonly mid: string;
  readonly request: { readonly message?: { readonly text?: string } };
}
interface Told {
  readonly type: string;
  readonly data: {
    readonly message?: { readonly id: string | null; readonly hold_id?: string };
    readonly account?: { readonly account_key: string; readonly status: string };
    readonly reason?: string;
  };
}

let stack: RunningLocal;
let receiver: Receiver;
beforeAll(async () => {
  [stack, receiver] = await Promise.all([startLocal(), openReceiver()]);
  await createHook(stack, receiver.url);
});
afterAll(async () => {
  await Promise.all([stack?.stop(), receiver?.close()]);
});

const accountOf = (connection: Connection) =>
  stack.local.accounts.find((one) => one.connection === connection)?.account_key ?? "";

async function personWrites(connection: Connection, person: string): Promise<string> {
  const key = accountOf(connection);
  const said = { account: key.split("#")[1], connection, person, text: "Is it ready?" };
  const { person: id } = await stack.sim<{ person: string }>("POST", "/person-sends", said);
  await untilIdle(stack);
  return `CONV#demo#${key}#${id}`;
}

const ask = (conversation_id: string, text: string): Promise<Answer> =>
  stack.api("POST", "/v1/messages/human-agent", { conversation_id, text, actor_id: "ann" });

async function hold(conversation: string, text: string): Promise<Hold> {
  const { status, body } = await ask(conversation, text);
  expect(status).toBe(202);
  return (body.data as unknown as { hold: Hold }).hold;
}

const check = (path: string, body: object): Promise<Answer> =>
  stack.request(`/verify/holds/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** What a completion of a hold is asked with. */
async function solved({ id, verify_url }: Hold): Promise<object> {
  const secret = verify_url.split("#t=")[1] ?? "";
  const { body } = await check(`${id}/challenge`, { secret });
  const { token } = body.data as unknown as { token: string };
  return { secret, token, solutions: solve(token) };
}

async function complete(made: Hold): Promise<Hold> {
  const { body } = await check(`${made.id}/complete`, await solved(made));
  return (body.data as unknown as { hold: Hold }).hold;
}

const sentWith = async (text: string): Promise<Sent[]> =>
  (await stack.sim<{ sent: Sent[] }>("GET", "/sent")).sent.filter(({ request }) => request.message?.text === text);
const told = (): Told[] => [
  ...new Map(receiver.received.map(({ event }) => [event.id, event as unknown as Told])).values(),
];
async function account(connection: Connection): Promise<object | undefined> {
  const { accounts } = (await stack.api("GET", "/v1/accounts")).body.data;
  return accounts.find(({ account_key }) => account_key === accountOf(connection));
}

it("of twenty completions at once one sends, and the others are told that it is going out or gone", async () => {
  const conversation = await personWrites("messenger", "Mara");
  await stack.clock("PT25H");
  const made = await hold(conversation, "one of twenty");
  const right = await solved(made);
  const answers = await Promise.all(Array.from({ length: 20 }, () => check(`${made.id}/complete`, right)));
  expect(await sentWith("one of twenty")).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const { status, body } of answers.filter((one) => one.status !== 200)) {
    expect([status, body.error.code]).toEqual([409, "hold_expired"]);
    expect(["sending", "sent"]).toContain(body.error.detail);
  }
  await until("it is announced", () => told().some(({ data }) => data.message?.hold_id === made.id));
  await untilIdle(stack);
  expect(told().filter(({ data }) => data.message?.hold_id === made.id)).toMatchObject([{ type: "message.sent" }]);
}, 60_000);

it("a message that nobody checks leaves the table with the minute's sweep, before anyone asks for its hold", async () => {
  const conversation = await personWrites("messenger", "Nobody's Nora");
  await stack.clock("PT25H");
  const made = await hold(conversation, "never to be checked");
  expect(await wholeTable(stack)).toContain("never to be checked");
  await stack.clock("PT16M");
  await until("a sweep has passed", async () => !(await wholeTable(stack)).includes("never to be checked"));
  const { body } = await stack.api("GET", `/v1/messages/holds/${made.id}`);
  expect((body.data as unknown as { hold: Hold }).hold.status).toBe("expired");
  expect(await sentWith("never to be checked")).toEqual([]);
});

it("an app without the human agent's tag: the message fails, the account stays as it is, and the next is held", async () => {
  const conversation = await personWrites("messenger", "Tagged Tia");
  await stack.clock("PT25H");
  const first = await hold(conversation, "tagged");
  await stack.sim("POST", "/faults", { mode: "no_human_agent", for: 1 });
  const failed = await complete(first);
  expect(failed).toMatchObject({ status: "failed", error: { code: "send_failed" } });
  expect(failed.error?.detail).toMatch(/\S/);
  await until("it is announced", () => told().some(({ data }) => data.message?.hold_id === first.id));
  expect(told().filter(({ data }) => data.message?.hold_id === first.id)).toMatchObject([
    { type: "message.failed", data: { message: { id: null }, error: { detail: failed.error?.detail } } },
  ]);
  expect(await account("messenger")).toMatchObject({ status: "active" });
  expect(told().filter(({ type }) => type.startsWith("account."))).toEqual([]);

  expect((await ask(conversation, "held again")).status).toBe(202);
}, 60_000);

it("an account that lost its permission needs to be connected anew: a reply tells, then nothing is held for it", async () => {
  const conversation = await personWrites("instagram_login", "Permitted Pam");
  await stack.sim("POST", "/faults", { mode: "permission", for: 1 });
  const { status, body } = await stack.api("POST", "/v1/messages/reply", { conversation_id: conversation, text: "hi" });
  expect([status, body.error.code]).toEqual([502, "send_failed"]);
  expect(await account("instagram_login")).toMatchObject({
    status: "needs_reauth",
    refresh_error: body.error.detail,
  });
  const isTold = ({ type, data }: Told) =>
    type === "account.needs_reauth" && data.account?.account_key === accountOf("instagram_login");
  await until("it is announced", () => told().some(isTold));
  await untilIdle(stack);
  expect(told().filter(isTold)).toMatchObject([{ data: { account: { status: "needs_reauth" } } }]);
  await stack.clock("PT25H");
  const held = await ask(conversation, "still?");
  expect([held.status, held.body.error.code, held.body.error.detail]).toEqual([502, "send_failed", "needs_reauth"]);
  expect(held.body.error.message).toMatch(/connected anew/);
  expect(await sentWith("still?")).toEqual([]);
});
