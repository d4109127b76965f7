import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { startRequestTime } from "#base/kernel/request-time.ts";
import { MINUTE } from "#base/kernel/time.ts";
import type { Account, PlatformName } from "#features/accounts/rules/accounts.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { loadRenderedEvents } from "#features/delivery/rendered-events.ts";
import { eraseConversation } from "#features/erasure/flows/erase.ts";
import { type Reply, sendReply } from "#features/sending/flows/reply.ts";
import { settleDueSends } from "#features/sending/flows/settle-due.ts";
import type { Platform, Send, SendOutcome, SendRefused } from "#platforms/platform.ts";
import type { ApiPorts } from "../../../functions/api/routes.ts";
import { openConversationFixture, refusedOutcome } from "./conversation-fixture.ts";
import { openTestEnv, type TestEnv } from "./test-env.ts";

type PlatformResponse = SendOutcome | ((send: Send) => SendOutcome | Promise<SendOutcome>);

export type ReplyFixture = Awaited<ReturnType<typeof openReplyFixture>>;

/**
 * Opens an environment for the tests of a file, and a fixture for each test, a minute after that of the test before.
 * @param assign stores both in the variables of the file, before each test
 */
export function useReplyFixture(
  assign: (opened: { readonly testEnv: TestEnv; readonly fixture: ReplyFixture }) => void,
): void {
  let testEnv: TestEnv;
  beforeAll(async () => {
    testEnv = await openTestEnv();
  });
  afterAll(() => testEnv.close());
  beforeEach(async () => {
    testEnv.advance(MINUTE);
    assign({ testEnv, fixture: await openReplyFixture(testEnv) });
  });
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
        { tenant, conversationId: id, caller: callerFor("live"), ip: null, now: testEnv.now(), time: testEnv },
        () => true,
      ),

    /** Sends a reply with the ports of a new process. */
    sendReply(rest: Partial<Reply> = {}, scope: "live" | "test" = "live", senderPorts: ApiPorts = apiPorts()) {
      const reply = { conversationId: id, text: "hi", replyTo: null, ...rest };
      return sendReply(senderPorts, { caller: callerFor(scope), reply, time: startRequestTime(testEnv.now) });
    },

    /** Runs the sweep of due sends. */
    sweepSends: () => settleDueSends(testEnv.apiPorts(queues), testEnv.now()),

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
    async dueItems(): Promise<Record<string, unknown>[]> {
      const { Items = [] } = await testEnv.table.client.send(
        new ScanCommand({
          TableName: testEnv.table.name,
          FilterExpression: "begins_with(PK, :qs) AND c = :c",
          ExpressionAttributeValues: { ":qs": "QS#", ":c": id },
        }),
      );
      return Items;
    },
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
