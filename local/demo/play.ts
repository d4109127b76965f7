import { setTimeout as sleep } from "node:timers/promises";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { type Caller, type DemoAddresses, type DemoApi, openDemoApi } from "./demo-api.ts";
import { type DemoConversation, type DemoStep, demoConversations } from "./script.ts";

/** An account as the simulator knows it. */
interface DemoAccount {
  readonly externalId: string;
  readonly connection: string;
}

export interface DemoStage extends DemoAddresses {
  readonly tenant: string;
  readonly liveKey: string;
  /** The accounts of the workshop on both platforms. */
  readonly accounts: readonly DemoAccount[];
  /** Creates a link that signs in this address. Default: the owner of the tenant. */
  readonly createSignInLink: (address?: string) => Promise<string>;
  readonly now: () => Millis;
  /** False where the stack refuses webhook endpoints on this machine. */
  readonly hasLoopbackEndpoints: boolean;
  readonly signal: AbortSignal;
}

/** The member of the workshop who answers in the demo. */
export const COLLEAGUE = { address: "tomas@local.invalid", name: "Tomás Reyes" } as const;
const OWNER_NAME = "Ines Marlow";
/** An endpoint that never answers: nothing listens on the port. */
export const FAILING_URL = "http://127.0.0.1:9/hooks";

const CONCURRENT_CONVERSATIONS = 4;
const STORED_WITHIN: Millis = 30 * SECOND;
const POLL_INTERVAL: Millis = 100;

interface Play {
  readonly stage: DemoStage;
  readonly api: DemoApi;
  readonly program: Caller;
  readonly colleague: Caller;
  readonly startedAt: Millis;
}

/**
 * Plays the conversations of the workshop: people write in the simulator, whose signed webhooks the stack receives, and a
 * program and a colleague answer through the API. A conversation that was played before is skipped, so a second start
 * doubles none. Resolves once everything is stored.
 */
export async function playDemo(stage: DemoStage): Promise<void> {
  const api = openDemoApi(stage);
  const program = { key: stage.liveKey };
  if (stage.hasLoopbackEndpoints) await createFailingEndpoint(api, program);
  const colleague = await openColleague(stage, api);
  const play = { stage, api, program, colleague, startedAt: stage.now() };
  const played = await findPlayed(api);
  const waiting = demoConversations.filter((conversation) => !played.has(threadKey(stage, conversation)));
  const players = Array.from({ length: CONCURRENT_CONVERSATIONS }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await playConversation(play, next);
  });
  // Waits for all, so that none goes on after the failure of another.
  const failure = (await Promise.allSettled(players)).find(({ status }) => status === "rejected");
  if (failure?.status === "rejected") throw failure.reason;
}

async function createFailingEndpoint(api: DemoApi, program: Caller): Promise<void> {
  const { endpoints } = await api.call<{ endpoints: { url: string }[] }>(program, "GET", "/v1/webhooks");
  if (endpoints.some(({ url }) => url === FAILING_URL)) return;
  await api.call(program, "POST", "/v1/webhooks", { url: FAILING_URL });
}

/** Names the owner, invites the colleague, and signs the colleague in. */
async function openColleague(stage: DemoStage, api: DemoApi): Promise<Caller> {
  const owner = await api.signIn(await stage.createSignInLink());
  const { name } = await api.call<{ name: string | null }>(owner, "GET", "/console/me");
  if (name === null) await api.call(owner, "PATCH", "/console/me", { name: OWNER_NAME });
  const invite = { email: COLLEAGUE.address, role: "agent" };
  const { status, code } = await api.ask(owner, "POST", `/console/invites?tenant=${stage.tenant}`, invite);
  if (status !== 201 && code !== "invite_exists") throw new Error(`The invite was answered with ${status} ${code}.`);
  const colleague = await api.signIn(await stage.createSignInLink(COLLEAGUE.address));
  await api.call(colleague, "PATCH", "/console/me", { name: COLLEAGUE.name });
  return colleague;
}

interface SimulatedState {
  readonly threads: readonly { readonly account: string; readonly person: string; readonly messages: unknown[] }[];
  readonly people: readonly { readonly id: string; readonly account: string; readonly name: string }[];
}

/** The conversations that have messages in the simulator already. */
async function findPlayed(api: DemoApi): Promise<ReadonlySet<string>> {
  const { threads, people } = await api.simulate<SimulatedState>("state");
  const started = threads.filter(({ messages }) => messages.length > 0);
  return new Set(
    started.flatMap(({ account, person }) =>
      people
        .filter(({ id, account: owner }) => id === person && owner === account)
        .map(({ name }) => `${account} ${name}`),
    ),
  );
}

function accountOf({ accounts }: DemoStage, { on }: DemoConversation): { account: string; connection: string } {
  const account = accounts.find(({ connection }) => (connection === "messenger") === (on === "messenger"));
  if (!account) throw new Error(`The workshop has no account on ${on}.`);
  return { account: account.externalId, connection: account.connection };
}

/** As the simulator names an account and a person of it. */
function threadKey(stage: DemoStage, conversation: DemoConversation): string {
  const { account, connection } = accountOf(stage, conversation);
  return `${connection}:${account} ${conversation.person}`;
}

async function playConversation(play: Play, conversation: DemoConversation): Promise<void> {
  const { api, stage } = play;
  const ref = { ...accountOf(stage, conversation), person: conversation.person };
  const { username } = conversation;
  const { id } = await api.simulate<{ id: string }>("people", { ...ref, ...(username ? { username } : {}) });
  const thread = { ...ref, id: `CONV#${stage.tenant}#${conversation.on}#${ref.account}#${id}` };
  let messages = 0;
  for (const step of conversation.steps) {
    stage.signal.throwIfAborted();
    if (isAnswer(step)) await waitUntilStored(play, thread.id, messages);
    await playStep(play, thread, step);
    messages += addsMessage(step) ? 1 : 0;
  }
  await waitUntilStored(play, thread.id, messages);
}

const isAnswer = ({ by }: DemoStep) => by === "program" || by === "colleague" || by === "hold";

const addsMessage = (step: DemoStep) =>
  step.by !== "hold" && !(step.by === "person" && (step.kind === "reaction" || step.kind === "unsend"));

interface DemoThread {
  readonly account: string;
  readonly connection: string;
  readonly person: string;
  /** Of the conversation. */
  readonly id: string;
}

async function playStep(play: Play, { id, ...ref }: DemoThread, step: DemoStep): Promise<void> {
  const { api, stage, startedAt } = play;
  switch (step.by) {
    case "person":
    case "app": {
      const { by, ago, pictures = [], ...content } = step;
      const attachments = pictures.map((name) => ({ type: "image", url: pictureUrl(stage, name) }));
      const route = by === "person" ? "person-sends" : "account-sends";
      const sent = { ...ref, ...content, ...(attachments.length > 0 ? { attachments } : {}), at: startedAt - ago };
      const { problem } = await api.simulate<{ problem?: string }>(route, sent);
      if (problem) throw new Error(`A webhook of the demo was not accepted: ${problem}.`);
      return;
    }
    case "program":
      await api.call(play.program, "POST", "/v1/messages/reply", { conversation_id: id, text: step.text });
      return;
    case "colleague": {
      const content = step.picture
        ? { attachments: [{ type: "image", attachment_id: await upload(play, id, step.picture) }] }
        : { text: step.text };
      const reply = { conversation_id: id, ...content };
      await api.call(play.colleague, "POST", `/v1/messages/reply?tenant=${stage.tenant}`, reply);
      return;
    }
    case "hold": {
      const { actor_id: actor } = await api.call<{ actor_id: string }>(play.colleague, "GET", "/console/me");
      const hold = { conversation_id: id, text: step.text, actor_id: actor };
      await api.call(play.colleague, "POST", `/v1/messages/human-agent?tenant=${stage.tenant}`, hold);
    }
  }
}

function pictureUrl({ simulatorUrl }: DemoStage, name: string): string {
  return `${simulatorUrl}/media/${name}.png`;
}

interface ListedUpload {
  readonly id: string;
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly status: string;
  readonly attachment?: { readonly id: string };
}

/** Uploads a picture as a client does. @returns the platform's id of it */
async function upload({ stage, api, program }: Play, conversationId: string, name: string): Promise<string> {
  const picture = await (await fetch(pictureUrl(stage, name))).arrayBuffer();
  const file = { filename: `${name}.png`, content_type: "image/png", size: picture.byteLength };
  const request = { conversation_id: conversationId, ...file };
  const created = await api.call<{ upload: ListedUpload }>(program, "POST", "/v1/attachments/uploads", request);
  const form = new FormData();
  for (const [field, value] of Object.entries(created.upload.fields)) form.append(field, value);
  form.append("file", new Blob([picture]), file.filename);
  const posted = await fetch(created.upload.url, { method: "POST", body: form });
  if (!posted.ok) throw new Error(`The storage answered ${posted.status} to the upload of ${file.filename}.`);
  const { id } = created.upload;
  await api.call(program, "POST", "/v1/attachments", { upload_id: id });
  return poll(stage, `The upload of ${file.filename} is not ready`, async () => {
    const { upload } = await api.call<{ upload: ListedUpload }>(program, "GET", `/v1/attachments/uploads/${id}`);
    return upload.attachment?.id ?? null;
  });
}

/** Waits until the conversation has so many messages. */
function waitUntilStored({ stage, api, program }: Play, conversationId: string, count: number): Promise<true> {
  const path = `/v1/conversations/${encodeURIComponent(conversationId)}`;
  return poll(stage, `A conversation of the demo is not stored`, async () => {
    const { data } = await api.ask<{ messages: unknown[] }>(program, "GET", path);
    return data && data.messages.length >= count ? true : null;
  });
}

async function poll<Result>(stage: DemoStage, problem: string, read: () => Promise<Result | null>): Promise<Result> {
  const endsAt = performance.now() + STORED_WITHIN;
  for (;;) {
    stage.signal.throwIfAborted();
    const result = await read();
    if (result !== null) return result;
    if (performance.now() > endsAt) throw new Error(`${problem} after ${STORED_WITHIN / SECOND} seconds.`);
    await sleep(POLL_INTERVAL);
  }
}
