import { upTo } from "../../../../functions/http/deadline.ts";
import type { Caller } from "../../../../shared/domain/access/api-keys.ts";
import { holdSecret } from "../../../../shared/domain/holds/holds.ts";
import { type Challenge, puzzlesOf } from "../../../../shared/domain/holds/proof-of-work.ts";
import { conversationId } from "../../../../shared/domain/inbox/conversations.ts";
import type { Scope } from "../../../../shared/domain/inbox/messages.ts";
import { completeHold } from "../../../../shared/flows/holds/complete.ts";
import { createHold, type HumanAgentMessage, type MadeHold } from "../../../../shared/flows/holds/create.ts";
import { readHold } from "../../../../shared/flows/holds/get.ts";
import type { ApiPorts, CheckPorts } from "../../../../shared/flows/ports.ts";
import { hmacSha256, randomToken, sha256Hex } from "../../../../shared/kernel/bytes.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { DAY, type Millis } from "../../../../shared/kernel/time.ts";
import type { Platform, Send, SendOutcome } from "../../../../shared/platforms/platform.ts";
import { auditStore } from "../../../../shared/stores/access/audit.ts";
import { triesStore } from "../../../../shared/stores/holds/verification-attempts.ts";
import { conversationStore } from "../../../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../../../shared/stores/inbox/messages.ts";
import { profileStore } from "../../../../shared/stores/inbox/profiles.ts";
import { messageOf, newTenant, PERSON } from "../../stores/support/samples.ts";
import type { House } from "./house.ts";
import { receiveAll } from "./queue-work.ts";

export const CHALLENGE_KEY = Buffer.alloc(32, 7);
export const SOURCE = "203.0.113.9";
/** No row may say this once a hold is over. */
export const CANARY = "canary of a held message";

let sources = 0;

/**
 * One tenant whose customer wrote some time ago, a platform that the test plays, and the way from a held message
 * through its check.
 */
export type HoldScene = Awaited<ReturnType<typeof openHoldScene>>;

export async function openHoldScene(house: House, { wroteAgo = 2 * DAY, scope = "live" as Scope } = {}) {
  const tenant = newTenant();
  const lane = await house.newLane();
  const account = { platform: "instagram", externalId: await house.connect(tenant) } as const;
  const conversation = conversationId({ tenant, account, participantId: PERSON });
  const caller: Caller = { kind: "tenant_key", keyId: "k1", tenant, scope };
  const calls: Send[] = [];
  let answer: (send: Send) => Promise<SendOutcome> = async () => ({
    kind: "accepted",
    messageId: `${tenant}-sent-${calls.length}`,
  });
  const platform: Pick<Platform, "send"> = {
    send: (_account, _token, send) => {
      calls.push(send);
      return answer(send);
    },
  };

  async function personWrites(at: Millis, id = `${tenant}-said-${at}`): Promise<void> {
    const message = messageOf(tenant, { id, sentAt: at, account, conversationId: conversation });
    await messageStore(house.table).record(tenant, message, at);
    await conversationStore(house.table).apply(tenant, message, { accountHandle: "@shop", shards: 1 });
  }
  await personWrites(house.now() - wroteAgo);

  /** As a process of its own has them. */
  const apiPorts = (): ApiPorts => {
    const real = house.apiPorts(lane);
    const platformOf: ApiPorts["platformOf"] = (account, of) =>
      of === "test" ? real.platformOf(account, of) : (platform as Platform);
    return { ...real, platformOf };
  };
  const checkPorts = (rest: Partial<CheckPorts> = {}): CheckPorts => ({
    ...apiPorts(),
    tries: triesStore(house.table),
    challengeKey: async () => CHALLENGE_KEY,
    random: randomToken,
    upTo,
    page: new Map(),
    ...rest,
  });
  const asked = (rest: Partial<HumanAgentMessage> = {}): HumanAgentMessage => ({
    conversationId: conversation,
    replyTo: null,
    actorId: "console:usr_1",
    text: CANARY,
    ...rest,
  });
  const secret = async (holdId: string) => holdSecret(await apiPorts().holdKey(), holdId);

  return {
    tenant,
    lane,
    caller,
    conversation,
    calls,
    personWrites,
    personIsCalled: (handle: string) =>
      profileStore(house.table).keep(
        conversation,
        { state: "complete", handle, username: null, picture: null },
        house.now(),
      ),
    apiPorts,
    checkPorts,
    secret,
    /** What the platform answers from now on. */
    platformAnswers(next: typeof answer): void {
      answer = next;
    },
    ask: (rest: Partial<HumanAgentMessage> = {}) =>
      createHold(apiPorts(), { caller, ip: SOURCE }, asked(rest), house.now()),
    async hold(rest: Partial<HumanAgentMessage> = {}): Promise<MadeHold> {
      const made = await createHold(apiPorts(), { caller, ip: SOURCE }, asked(rest), house.now());
      if (isRefusal(made)) throw new Error(`${made.refused} ${made.detail}`);
      return made;
    },
    /** What a right answer to a challenge is, of puzzles that take no time. */
    async rightAnswer({ id, expiresAt }: Pick<MadeHold, "id" | "expiresAt">) {
      const token = easyToken({ holdId: id, expires: expiresAt });
      return { holdId: id, secret: await secret(id), sourceIp: newSource(), token, solutions: solve(token) };
    },
    async complete(hold: MadeHold, ports = checkPorts()) {
      return completeHold(ports, await this.rightAnswer(hold), house.now);
    },
    read: (holdId: string) => readHold(apiPorts(), caller, holdId, house.now()),
    /** What the tenant's audit trail says of holds, newest first. */
    audits: async () =>
      (await auditStore(house.table).list(tenant, { before: null, limit: 50, now: house.now() })).rows.filter(
        ({ action }) => action.startsWith("hold."),
      ),
    messages: async () => {
      const query = { includeTest: true, direction: null, before: null, limit: 50, now: house.now() };
      return (await messageStore(house.table).feed(tenant, query)).rows.map(({ message }) => message);
    },
    announced: async () =>
      (await receiveAll(house.eventSource, lane.events)).map(({ body }) => JSON.parse(body) as Record<string, unknown>),
  };
}

/** An address that no other test tries from. */
export function newSource(): string {
  sources += 1;
  return `198.51.${Math.floor(sources / 250)}.${(sources % 250) + 1}`;
}

/** A token as the server seals it, of puzzles a thousand times lighter. */
export function easyToken({ holdId, expires }: { holdId: string; expires: Millis }, key: Uint8Array = CHALLENGE_KEY) {
  const terms = { v: 1, h: holdId, n: randomToken(16).toString("base64url"), c: 50, s: 32, d: 1, exp: expires };
  const body = Buffer.from(JSON.stringify(terms)).toString("base64url");
  return `${body}.${hmacSha256(key, body).toString("base64url")}`;
}

/** Numbers of which the first solves nothing and the others do. */
export function solvedButOne(token: string): number[] {
  const [puzzle] = puzzlesOf(token, termsOf(token));
  if (!puzzle) throw new Error("There is no puzzle.");
  let wrong = 0;
  while (sha256Hex(`${puzzle.salt}${wrong}`).startsWith(puzzle.target)) wrong += 1;
  return solve(token).with(0, wrong);
}

/** The least solution of each of a token's puzzles. */
export function solve(token: string): number[] {
  return puzzlesOf(token, termsOf(token)).map(({ salt, target }) => {
    for (let n = 0; ; n++) if (sha256Hex(`${salt}${n}`).startsWith(target)) return n;
  });
}

function termsOf(token: string): Challenge {
  return JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString());
}
