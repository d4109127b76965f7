import { hmacSha256, randomToken, sha256Hex } from "#base/kernel/bytes.ts";
import type { KeyRing } from "#base/kernel/key-ring.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { type RequestTime, startRequestTime } from "#base/kernel/request-time.ts";
import { DAY, type Millis } from "#base/kernel/time.ts";
import type { Caller } from "#features/access/rules/callers.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import { auditStore } from "#features/access/store/audit.ts";
import { createChallenge } from "#features/holds/flows/challenge.ts";
import { completeHold } from "#features/holds/flows/complete.ts";
import { type CreatedHold, createHold, type HumanAgentMessage } from "#features/holds/flows/create.ts";
import { getHold, viewHold } from "#features/holds/flows/view.ts";
import type { CheckPagePorts } from "#features/holds/ports.ts";
import { holdSecret } from "#features/holds/rules/holds.ts";
import { type Challenge, derivePuzzles } from "#features/holds/rules/proof-of-work.ts";
import { checkAttemptStore } from "#features/holds/store/check-attempts.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { profileStore } from "#features/inbox/store/profiles.ts";
import type { Platform, Send, SendOutcome } from "#platforms/graph/platform.ts";
import type { ApiPorts } from "../../../functions/api/routes.ts";
import { newTenant, PERSON, sampleMessage } from "../stores/samples.ts";
import { oneKeyRing } from "../world/key-rings.ts";
import { receiveAllMessages } from "./queue-worker.ts";
import type { TestEnv } from "./test-env.ts";

export const CHALLENGE_KEYS = oneKeyRing(Buffer.alloc(32, 7));

/** Of the ports of the check page, the keys of its challenges, and no file. */
export const checkPageDoubles = {
  challengeKeys: async () => CHALLENGE_KEYS,
  random: randomToken,
  pageFiles: new Map(),
};
export const SOURCE_IP = "203.0.113.9";
/** A text that no row may contain once a hold has ended. */
export const CANARY = "canary of a held message";

let sourceIps = 0;

/** A tenant with an older inbound message, a platform with scripted responses, and helpers for holds. */
export type HoldFixture = Awaited<ReturnType<typeof openHoldFixture>>;

export async function openHoldFixture(
  testEnv: TestEnv,
  { wroteAgo: messageAge = 2 * DAY, scope = "live" as Scope } = {},
) {
  const tenant = newTenant();
  const queues = await testEnv.newQueues();
  const account = { platform: "instagram", externalId: await testEnv.connect(tenant) } as const;
  const conversation = conversationId({ tenant, account, participantId: PERSON });
  const caller: Caller = { kind: "tenant_key", keyId: "k1", tenant, scope };
  const platformCalls: Send[] = [];
  let platformResponse: (send: Send) => Promise<SendOutcome> = async () => ({
    kind: "accepted",
    messageId: `${tenant}-sent-${platformCalls.length}`,
  });
  const platform: Pick<Platform, "send"> = {
    send: async (_account, _token, send) => {
      if (testEnv.now() > send.leavesBy) return { kind: "late" };
      platformCalls.push(send);
      return platformResponse(send);
    },
  };

  async function recordInbound(at: Millis, id = `${tenant}-said-${at}`): Promise<void> {
    const message = sampleMessage(tenant, { id, sentAt: at, account, conversationId: conversation });
    await messageStore(testEnv.table).record(tenant, message, at);
    await conversationStore(testEnv.table).advanceHead(tenant, message, { accountHandle: "@shop", shards: 1 });
  }
  await recordInbound(testEnv.now() - messageAge);

  /** The ports of a new process. */
  const apiPorts = (): ReturnType<TestEnv["apiPorts"]> => {
    const realPorts = testEnv.apiPorts(queues);
    const platformFor: ApiPorts["platformFor"] = async (account, sendScope) =>
      sendScope === "test" ? realPorts.platformFor(account, sendScope) : (platform as Platform);
    return { ...realPorts, platformFor };
  };
  const checkPagePorts = (rest: Partial<CheckPagePorts> = {}): CheckPagePorts => ({
    ...apiPorts(),
    checkAttempts: checkAttemptStore(testEnv.table),
    ...checkPageDoubles,
    ...rest,
  });
  const humanAgentMessage = (rest: Partial<HumanAgentMessage> = {}): HumanAgentMessage => ({
    conversationId: conversation,
    replyTo: null,
    actorId: "console:usr_1",
    text: CANARY,
    ...rest,
  });
  const secret = async (holdId: string) => holdSecret(await apiPorts().holdKeys(), holdId);

  return {
    tenant,
    queues,
    caller,
    conversation,
    calls: platformCalls,
    personWrites: recordInbound,
    setPersonProfile: (profile: { handle?: string; username?: string; name?: string }) => {
      const unknown = { handle: null, username: null, name: null, picture: null };
      testEnv.advance(1);
      return profileStore(testEnv.table).save(
        conversation,
        { state: "complete", ...unknown, ...profile },
        testEnv.now(),
      );
    },
    apiPorts,
    checkPagePorts,
    secret,
    /** Sets the platform's response to all later sends. */
    setPlatformResponse(next: typeof platformResponse): void {
      platformResponse = next;
    },
    tryCreateHold: (rest: Partial<HumanAgentMessage> = {}, ports = apiPorts()) =>
      createHold(ports, { caller, ip: SOURCE_IP }, humanAgentMessage(rest), startRequestTime(testEnv.now)),
    async newHold(rest: Partial<HumanAgentMessage> = {}): Promise<CreatedHold> {
      const created = await this.tryCreateHold(rest);
      if (isRefusal(created)) throw new Error(`${created.refused} ${created.detail}`);
      return created;
    },
    /** A right answer to a challenge with easy puzzles. */
    async solvedAnswer({ id, expiresAt }: Pick<CreatedHold, "id" | "expiresAt">) {
      const token = easyChallengeToken({ holdId: id, expires: expiresAt });
      return { holdId: id, secret: await secret(id), sourceIp: newSourceIp(), token, solutions: solveChallenge(token) };
    },
    async complete(hold: CreatedHold, ports = checkPagePorts(), time: RequestTime = startRequestTime(testEnv.now)) {
      return completeHold(ports, await this.solvedAnswer(hold), time);
    },
    /** Completes a hold with any answer, in a new process. */
    answer: (request: Parameters<typeof completeHold>[1]) =>
      completeHold(checkPagePorts(), request, startRequestTime(testEnv.now)),
    view: async (holdId: string, sourceIp = newSourceIp()) =>
      viewHold(checkPagePorts(), { holdId, secret: await secret(holdId), sourceIp }, testEnv.now()),
    challenge: async (holdId: string) =>
      createChallenge(
        checkPagePorts(),
        { holdId, secret: await secret(holdId), sourceIp: newSourceIp() },
        testEnv.now(),
      ),
    read: (holdId: string) => getHold(apiPorts(), caller, holdId, testEnv.now()),
    /** The tenant's audit entries of holds, newest first. */
    auditEntries: async () =>
      (await auditStore(testEnv.table).list(tenant, { before: null, limit: 50, now: testEnv.now() })).rows.filter(
        ({ action }) => action.startsWith("hold."),
      ),
    messages: async () => {
      const query = { includeTest: true, direction: null, before: null, limit: 50, now: testEnv.now() };
      return (await messageStore(testEnv.table).feed(tenant, query)).rows.map(({ message }) => message);
    },
    publishedEvents: async () =>
      (await receiveAllMessages(testEnv.eventSource, queues.events)).map(
        ({ body }) => JSON.parse(body) as Record<string, unknown>,
      ),
  };
}

/** A source address that no other test uses. */
export function newSourceIp(): string {
  sourceIps += 1;
  return `198.51.${Math.floor(sourceIps / 250)}.${(sourceIps % 250) + 1}`;
}

/** A token sealed like the server's, with puzzles a thousand times easier. */
export function easyChallengeToken(
  { holdId, expires }: { holdId: string; expires: Millis },
  { current: { key } }: KeyRing = CHALLENGE_KEYS,
) {
  const terms = { v: 2, h: holdId, n: randomToken(16).toString("base64url"), c: 50, s: 32, d: 1, exp: expires };
  const body = Buffer.from(JSON.stringify(terms)).toString("base64url");
  return `${body}.${hmacSha256(key, body).toString("base64url")}`;
}

/** Solutions of which only the first is wrong. */
export function solveAllButOne(token: string): number[] {
  const [puzzle] = derivePuzzles(token, parseTerms(token));
  if (!puzzle) throw new Error("The token has no puzzles.");
  let wrong = 0;
  while (sha256Hex(`${puzzle.salt}${wrong}`).startsWith(puzzle.target)) wrong += 1;
  return solveChallenge(token).with(0, wrong);
}

/** The smallest solution of each puzzle of a token. */
export function solveChallenge(token: string): number[] {
  return derivePuzzles(token, parseTerms(token)).map(({ salt, target }) => {
    for (let n = 0; ; n++) if (sha256Hex(`${salt}${n}`).startsWith(target)) return n;
  });
}

function parseTerms(token: string): Challenge {
  return JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString());
}
