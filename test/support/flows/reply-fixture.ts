import { newUlid } from "#base/kernel/ids.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import type { Account, PlatformName } from "#features/accounts/rules/accounts.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { loadRenderedEvents } from "#features/delivery/rendered-events.ts";
import { eraseConversation } from "#features/erasure/flows/erase.ts";
import { type Reply, sendReply } from "#features/sending/flows/reply.ts";
import { settleDueSends } from "#features/sending/flows/settle-due.ts";
import { performSend } from "#features/sending/perform.ts";
import { type PlannedSend, planSend, readMessage } from "#features/sending/plan.ts";
import type { Platform, Send, SendOutcome, SendRefused } from "#platforms/graph/platform.ts";
import type { ApiPorts } from "../../../functions/api/routes.ts";
import { openedEach, openedOnce } from "../opened.ts";
import { interceptCalls } from "../processes/port-calls.ts";
import { scanItems } from "../stores/items.ts";
import { openConversationFixture, refusedOutcome } from "./conversation-fixture.ts";
import { openTestEnv, type TestEnv } from "./test-env.ts";

type PlatformResponse = SendOutcome | ((send: Send) => SendOutcome | Promise<SendOutcome>);

export type ReplyFixture = Awaited<ReturnType<typeof openReplyFixture>>;

/** An environment for the tests of a file, and a fixture for each test, a minute after that of the test before. */
export function replyFixtures() {
  const testEnv = openedOnce(openTestEnv);
  const fixture = openedEach(() => {
    testEnv.advance(MINUTE);
    return openReplyFixture(testEnv);
  });
  return {
    testEnv,
    fixture,
    /** Opens another fixture in the place of the test's. */
    async renew(platform?: PlatformName): Promise<void> {
      Object.assign(fixture, await openReplyFixture(testEnv, platform));
    },
  };
}

/** A conversation with a new inbound message, its account, and a platform with scripted responses. */
export async function openReplyFixture(testEnv: TestEnv, platform: PlatformName = "instagram") {
  const conversation = await openConversationFixture(testEnv, platform);
  const { tenant, id, queues } = conversation;
  /** All sends that reached the platform. */
  const platformCalls: Send[] = [];
  let platformResponse: PlatformResponse = (send) => ({ kind: "accepted", messageId: `mid-of-${send.metadata}` });

  const callerFor = (scope: "live" | "test") => ({ kind: "tenant_key", keyId: "k", tenant, scope }) as const;

  function apiPorts(): ApiPorts {
    const realPorts = testEnv.apiPorts(queues);
    const send: Platform["send"] = async (_account, _token, message) => {
      if (testEnv.now() > message.leavesBy) return { kind: "late" };
      platformCalls.push(message);
      return typeof platformResponse === "function" ? platformResponse(message) : platformResponse;
    };
    const platformFor = async (account: Account, scope: "live" | "test") =>
      scope === "test" ? realPorts.platformFor(account, scope) : { send };
    return { ...realPorts, platformFor };
  }

  const send = (rest: Partial<Reply>, scope: "live" | "test", ports: ApiPorts) => {
    const reply = { conversationId: id, text: "hi", replyTo: null, ...rest };
    return sendReply(ports, { caller: callerFor(scope), reply, time: startRequestTime(testEnv.now) });
  };
  const sweep = () => settleDueSends(testEnv.apiPorts(queues), testEnv.now());

  return {
    ...conversation,
    /** The account of the conversation. */
    accountRef: conversation.account,
    platformCalls,
    ports: apiPorts,
    /** Sets the platform's response to all later sends. */
    setPlatformResponse(next: PlatformResponse): void {
      platformResponse = next;
    },
    eraseConversation: () =>
      eraseConversation(
        apiPorts(),
        {
          tenant,
          conversationId: id,
          author: { caller: callerFor("live"), ip: null },
          now: testEnv.now(),
          time: testEnv,
        },
        () => true,
      ),

    /** Sends a reply with the ports of a new process. */
    sendReply: (rest: Partial<Reply> = {}, scope: "live" | "test" = "live", ports: ApiPorts = apiPorts()) =>
      send(rest, scope, ports),

    /** Sends a reply in a process that dies once it has made this call of its ports. */
    async sendAndDie(lastCall: string, rest: Partial<Reply> = {}): Promise<void> {
      const died = Promise.withResolvers<void>();
      const ports = interceptCalls(apiPorts(), async (name, call) => {
        const answer = await call();
        if (name !== lastCall) return answer;
        died.resolve();
        return new Promise(() => {});
      });
      void send(rest, "live", ports);
      await died.promise;
    },

    /** Plans a text of the account. @param actorId who typed it; null for a reply */
    async plan(actorId: string | null = null): Promise<PlannedSend> {
      const message = readMessage({ conversationId: id, text: "hi", replyTo: null, actorId }, "live");
      if (isRefusal(message)) throw new Error(message.refused);
      const kind = actorId === null ? "reply" : "human_agent";
      const planned = await planSend(apiPorts(), { message, kind }, testEnv.now());
      if (isRefusal(planned)) throw new Error(planned.refused);
      return planned;
    },
    /** Performs a planned send. */
    perform: (planned: PlannedSend, sendId = newUlid(testEnv.now())) =>
      performSend(apiPorts(), { ...planned, id: sendId }, startRequestTime(testEnv.now)),

    /** Runs the sweep of due sends. */
    sweepSends: sweep,
    /** Runs it once a send that starts now is due. */
    async sweepPastDue(): Promise<void> {
      testEnv.advance(61 * SECOND);
      await sweep();
    },

    /** All published events except message.received, each once, oldest first, as a receiver gets them. */
    async events(): Promise<{ id: string; type: string; data: EventData }[]> {
      const published = [
        ...(await conversation.messageEvents()).map(({ eventUlid, position }) => ({
          eventUlid,
          source: { conversationId: id, position },
        })),
        ...(await conversation.standaloneEvents()).map(({ eventUlid }) => ({ eventUlid, source: null })),
      ];
      const bodies = await loadRenderedEvents(testEnv.deliverPorts(queues, unreachableClient), tenant, published);
      return [...bodies.values()]
        .sort((a, b) => (a.ulid < b.ulid ? -1 : 1))
        .map(({ body }) => JSON.parse(body))
        .filter(({ type }) => type !== "message.received");
    },

    account: () => accountStore(testEnv.table).get(tenant, conversation.account),

    /** The due items of this conversation. */
    dueItems: async () => (await scanItems(testEnv.table, "QS#")).filter(({ c }) => c === id),
  };
}

interface EventData {
  readonly message: Record<string, unknown>;
  readonly error: { code: string; message: string; detail: string };
  readonly account: { account_key: string; status: string };
  readonly reason: string;
}

const unreachableClient = {
  send: () => Promise.reject(new Error("Unexpected webhook delivery.")),
  close: async () => {},
};

/** A refusal with effects beyond its send. */
export function refusedWith(rest: Partial<SendRefused>): SendRefused {
  return { ...(refusedOutcome as SendRefused), detail: "(#190) The session has been invalidated", ...rest };
}
