import { rmSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { COLLEAGUE, FAILING_URL } from "../../../local/demo/play.ts";
import { demoConversations } from "../../../local/demo/script.ts";
import { pressLink } from "../../e2e/stack/press-link.ts";
import { type LocalStack, newDataDir, startLocalStack } from "../../e2e/support/local-stack.ts";
import { waitFor } from "../../e2e/support/wait-for.ts";
import type { Fields } from "../../packages/simulator/simulator-fixture.ts";

// `npm run local -- --demo`: the inbox of a small workshop, seen by the API.

const dataDir = newDataDir();
let running: LocalStack | null = null;
afterAll(async () => {
  await running?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(): Promise<LocalStack> {
  running = await startLocalStack({ dataDir, flags: ["--demo"] });
  return running;
}

const list = async (stack: LocalStack, path: string, name: string): Promise<Fields[]> =>
  ((await stack.api("GET", path)).body.data as Fields)[name];
const listConversations = (stack: LocalStack) => list(stack, "/v1/conversations?limit=100", "conversations");
const listMessages = (stack: LocalStack) => list(stack, "/v1/messages?limit=100", "messages");

function countBy(values: readonly string[]): Record<string, number> {
  return Object.fromEntries([...new Set(values)].map((value) => [value, values.filter((one) => one === value).length]));
}

it("the demo is an inbox with conversations in every state, and a second start doubles nothing", async () => {
  const first = await start();
  const now = await first.now();
  const conversations = await listConversations(first);
  expect(conversations).toHaveLength(demoConversations.length);
  expect(countBy(conversations.map(({ platform }) => platform))).toEqual({ instagram: 16, messenger: 8 });
  expect(countBy(conversations.map(({ unanswered }) => String(unanswered)))).toEqual({ true: 13, false: 11 });
  expect(countBy(conversations.map(({ window }) => window.state))).toEqual({ open_24h: 16, human_agent_7d: 8 });
  const closingSoon = conversations.filter(
    ({ window, unanswered }) =>
      unanswered && window.state === "open_24h" && Date.parse(window.expires_at) < now + 2 * 3_600_000,
  );
  expect(closingSoon).toHaveLength(3);
  const names = conversations.map(({ participant_name }) => participant_name);
  expect(names.sort()).toEqual(demoConversations.map(({ person }) => person).sort());

  const messages = await listMessages(first);
  const sentBy = messages.filter(({ direction }) => direction !== "inbound").map(({ sent_via }) => sent_via);
  expect(countBy(sentBy)).toEqual({ native_app: 8, api_in_window: 5 });
  expect(messages.filter(({ deleted_at }) => deleted_at !== null)).toHaveLength(1);
  expect(messages.filter(({ reactions }) => reactions.length > 0)).toHaveLength(2);
  expect(countBy(messages.flatMap(({ story }) => (story ? [story.kind] : [])))).toEqual({ reply: 1, mention: 1 });

  // The picture that the colleague uploaded and sent gets its URL by the echo, and the simulator serves it.
  const { picture } = await waitFor("the echo of the sent picture", async () => {
    const sent = (await listMessages(first)).filter(({ direction }) => direction === "outbound");
    const url = sent.flatMap(({ attachments }) => attachments)[0]?.url;
    return url ? { picture: url as string } : null;
  });
  const received = messages.filter(({ direction }) => direction === "inbound");
  const pictures = received.flatMap(({ attachments }) =>
    attachments.flatMap(({ type, url }: Fields) => (type === "image" && url ? [url as string] : [])),
  );
  expect(pictures).toHaveLength(5);
  for (const url of [picture, ...pictures]) {
    const response = await fetch(url);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/png"]);
  }

  const endpoints = await list(first, "/v1/webhooks", "endpoints");
  expect(endpoints.map(({ url }) => url)).toEqual([FAILING_URL]);
  const [failing] = endpoints;
  await waitFor("a failed delivery", async () => {
    const deliveries = await list(first, `/v1/webhooks/${failing?.id}/deliveries`, "deliveries");
    return deliveries.some(({ last_error }) => last_error !== null);
  });
  const audit = await list(first, "/v1/audit", "audit");
  expect(audit.filter(({ action }) => action === "hold.create")).toHaveLength(1);
  const cookie = (await pressLink(first.info.sign_in_url)).headers.getSetCookie().map((each) => each.split(";")[0]);
  const team = await first.request("/console/team?tenant=demo", { headers: { cookie: cookie.join("; ") } });
  const members = (team.body.data as Fields).members as Fields[];
  const named = members.find(({ name }) => name === COLLEAGUE.name);
  const authors = messages.flatMap(({ actor_id }) => (actor_id ? [actor_id] : []));
  expect(countBy(authors)).toEqual({ [`console:${named?.user_id}`]: 4 });

  await first.clock("PT3M");
  const later = await listConversations(first);
  expect(countBy(later.map(({ window }) => window.state))).toEqual({ open_24h: 16, human_agent_7d: 6, closed: 2 });
  const remaining = (await listMessages(first)).map(({ id }) => id).sort();
  await first.stop();

  const second = await start();
  expect(await listConversations(second)).toHaveLength(demoConversations.length);
  expect((await listMessages(second)).map(({ id }) => id).sort()).toEqual(remaining);
  expect(await list(second, "/v1/webhooks", "endpoints")).toHaveLength(1);
}, 120_000);
