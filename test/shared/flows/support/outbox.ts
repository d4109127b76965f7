import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import type { Account, PlatformName } from "../../../../shared/domain/accounts/accounts.ts";
import { renderedEvents } from "../../../../shared/flows/delivery/rendered-events.ts";
import { eraseConversation } from "../../../../shared/flows/erasure/erase.ts";
import type { ApiPorts } from "../../../../shared/flows/ports.ts";
import { type Reply, sendReply } from "../../../../shared/flows/sending/reply.ts";
import { settleDueSends } from "../../../../shared/flows/sending/settle-due.ts";
import type { Platform, Send, SendOutcome, SendRefused } from "../../../../shared/platforms/platform.ts";
import { accountStore } from "../../../../shared/stores/accounts/accounts.ts";
import { openBothSides, refused } from "./both-sides.ts";
import type { House } from "./house.ts";

type Answer = SendOutcome | ((send: Send) => SendOutcome | Promise<SendOutcome>);

export type Outbox = Awaited<ReturnType<typeof openOutbox>>;

/** One conversation in which the person wrote just now, its account, and a platform that answers as it is told. */
export async function openOutbox(house: House, platform: PlatformName = "instagram") {
  const sides = await openBothSides(house, platform);
  const { tenant, id, lane } = sides;
  /** Every message that the platform was asked to send. */
  const asked: Send[] = [];
  let answer: Answer = (send) => ({ kind: "accepted", messageId: `mid-of-${send.metadata}` });

  const callerOf = (scope: "live" | "test") => ({ kind: "tenant_key", keyId: "k", tenant, scope }) as const;

  function ports(): ApiPorts {
    const real = house.apiPorts(lane);
    const send: Platform["send"] = async (_account, _token, message) => {
      asked.push(message);
      return typeof answer === "function" ? answer(message) : answer;
    };
    const platformOf = (account: Account, scope: "live" | "test") =>
      scope === "test" ? real.platformOf(account, scope) : { ...real.platformOf(account, scope), send };
    return { ...real, platformOf };
  }

  return {
    ...sides,
    /** The account that the conversation is on. */
    ref: sides.account,
    asked,
    ports,
    /** What the platform says to every send from now on. */
    answers(next: Answer): void {
      answer = next;
    },
    /** Someone erases the conversation. */
    erase: () =>
      eraseConversation(
        ports(),
        tenant,
        { conversationId: id, caller: callerOf("live"), ip: null },
        () => true,
        house.now(),
      ),

    /** A reply by a process of its own. */
    reply(rest: Partial<Reply> = {}, scope: "live" | "test" = "live", from: ApiPorts = ports()) {
      const reply = { conversationId: id, text: "hi", replyTo: null, ...rest };
      return sendReply(from, callerOf(scope), reply, house.now);
    },

    /** The sweep of a minute. */
    settle: () => settleDueSends(house.apiPorts(lane), house.now()),

    /** Every event of ours that was announced, each once, oldest first, as a receiver gets it. */
    async events(): Promise<{ id: string; type: string; data: Told }[]> {
      const told = [
        ...(await sides.announcements()).map(({ eventUlid, place }) => ({
          eventUlid,
          source: { conversationId: id, place },
        })),
        ...(await sides.ownBodies()).map(({ eventUlid }) => ({ eventUlid, source: null })),
      ];
      const bodies = await renderedEvents(house.deliverPorts(lane, nobody), tenant, told);
      return [...bodies.values()]
        .sort((a, b) => (a.ulid < b.ulid ? -1 : 1))
        .map(({ body }) => JSON.parse(body))
        .filter(({ type }) => type !== "message.received");
    },

    account: () => accountStore(house.table).get(tenant, sides.account),

    /** What the sweep would still look at of this conversation. */
    async dueItems(): Promise<Record<string, unknown>[]> {
      const { Items = [] } = await house.table.client.send(
        new ScanCommand({
          TableName: house.table.name,
          FilterExpression: "begins_with(PK, :qs) AND c = :c",
          ExpressionAttributeValues: { ":qs": "QS#", ":c": id },
        }),
      );
      return Items;
    },
  };
}

interface Told {
  readonly message: Record<string, unknown>;
  readonly error: { code: string; message: string; detail: string };
  readonly account: { account_key: string; status: string };
  readonly reason: string;
}

const nobody = { post: () => Promise.reject(new Error("Nothing is posted here.")), close: async () => {} };

/** A refusal with what it means beyond its send. */
export function refusing(rest: Partial<SendRefused>): SendRefused {
  return { ...(refused as SendRefused), detail: "(#190) The session has been invalidated", ...rest };
}
