import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import type { ApiPorts } from "../../../../functions/routes/api-endpoint.ts";
import type { Account, PlatformName } from "../../../../shared/domain/accounts/accounts.ts";
import { loadRenderedEvents } from "../../../../shared/flows/delivery/rendered-events.ts";
import { eraseConversation } from "../../../../shared/flows/erasure/erase.ts";
import { type Reply, sendReply } from "../../../../shared/flows/sending/reply.ts";
import { settleDueSends } from "../../../../shared/flows/sending/settle-due.ts";
import type { Platform, Send, SendOutcome, SendRefused } from "../../../../shared/platforms/platform.ts";
import { accountStore } from "../../../../shared/stores/accounts/accounts.ts";
import { openConversationFixture, refusedOutcome } from "./conversation-fixture.ts";
import type { TestEnv } from "./test-env.ts";

type PlatformResponse = SendOutcome | ((send: Send) => SendOutcome | Promise<SendOutcome>);

export type ReplyFixture = Awaited<ReturnType<typeof openReplyFixture>>;

/** One conversation in which the person wrote just now, its account, and a platform that answers as it is told. */
export async function openReplyFixture(testEnv: TestEnv, platform: PlatformName = "instagram") {
  const conversation = await openConversationFixture(testEnv, platform);
  const { tenant, id, lane: queues } = conversation;
  /** Every message that the platform was asked to send. */
  const platformCalls: Send[] = [];
  let platformResponse: PlatformResponse = (send) => ({ kind: "accepted", messageId: `mid-of-${send.metadata}` });

  const callerFor = (scope: "live" | "test") => ({ kind: "tenant_key", keyId: "k", tenant, scope }) as const;

  function apiPorts(): ApiPorts {
    const realPorts = testEnv.apiPorts(queues);
    const send: Platform["send"] = async (_account, _token, message) => {
      platformCalls.push(message);
      return typeof platformResponse === "function" ? platformResponse(message) : platformResponse;
    };
    const platformOf = (account: Account, scope: "live" | "test") =>
      scope === "test" ? realPorts.platformFor(account, scope) : { ...realPorts.platformFor(account, scope), send };
    return { ...realPorts, platformFor: platformOf };
  }

  return {
    ...conversation,
    /** The account that the conversation is on. */
    accountRef: conversation.account,
    asked: platformCalls,
    ports: apiPorts,
    /** What the platform says to every send from now on. */
    setPlatformResponse(next: PlatformResponse): void {
      platformResponse = next;
    },
    /** Someone erases the conversation. */
    eraseConversation: () =>
      eraseConversation(
        apiPorts(),
        tenant,
        { conversationId: id, caller: callerFor("live"), ip: null },
        () => true,
        testEnv.now(),
      ),

    /** A reply by a process of its own. */
    sendReply(rest: Partial<Reply> = {}, scope: "live" | "test" = "live", senderPorts: ApiPorts = apiPorts()) {
      const reply = { conversationId: id, text: "hi", replyTo: null, ...rest };
      return sendReply(senderPorts, callerFor(scope), reply, testEnv.now);
    },

    /** The sweep of a minute. */
    sweepSends: () => settleDueSends(testEnv.apiPorts(queues), testEnv.now()),

    /** Every event of ours that was announced, each once, oldest first, as a receiver gets it. */
    async events(): Promise<{ id: string; type: string; data: EventData }[]> {
      const published = [
        ...(await conversation.messageEvents()).map(({ eventUlid, position }) => ({
          eventUlid,
          source: { conversationId: id, position: position },
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

    /** What the sweep would still look at of this conversation. */
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

const unreachableClient = { send: () => Promise.reject(new Error("Nothing is posted here.")), close: async () => {} };

/** A refusal with what it means beyond its send. */
export function refusedWith(rest: Partial<SendRefused>): SendRefused {
  return { ...(refusedOutcome as SendRefused), detail: "(#190) The session has been invalidated", ...rest };
}
