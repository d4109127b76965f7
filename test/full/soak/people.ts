import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { demoAccountIds } from "../../e2e/support/platform-webhooks.ts";
import { waitFor } from "../../e2e/support/wait-for.ts";
import type { WrittenMessage } from "./ledger.ts";
import { type Agent, reply, sendHeld } from "./sends.ts";

/** The connections on which people write, and their names in a conversation's id. */
const connections = {
  messenger: { account: demoAccountIds.messenger, key: `messenger#${demoAccountIds.messenger}` },
  instagram_login: { account: demoAccountIds.instagramLogin, key: `instagram#${demoAccountIds.instagramLogin}` },
} as const;
export type Connection = keyof typeof connections;

/** A person with a conversation on one connection. Does one thing after another. */
export interface Person {
  readonly id: string;
  write(): Promise<void>;
  edit(): Promise<void>;
  unsend(): Promise<void>;
  erase(): Promise<void>;
}

/** A new person, who has written once. */
export async function newPerson(agent: Agent, connection: Connection): Promise<Person> {
  const { ledger, platform, random, stack } = agent;
  const { account, key } = connections[connection];
  const name = `Person ${randomUUID()}`;
  let id: string | null = null;

  const act = (fields: object) =>
    platform.control<{ mid: string; person: string }>("POST", "/person-sends", {
      account,
      connection,
      person: id ?? name,
      ...fields,
    });
  /** A message that can still be changed. */
  const ownMessage = (): WrittenMessage | undefined => {
    const own = ledger.written.filter(({ person, unsent }) => person === id && !unsent).slice(-5);
    return own[random.between(0, Math.max(0, own.length - 1))];
  };
  const write = async (): Promise<string> => {
    const text = `written ${randomUUID()}`;
    const writtenAt = Date.now();
    const { mid, person } = await act({ kind: "text", text });
    ledger.written.push({ mid, person, text, writtenAt, unsent: false });
    return person;
  };
  id = await write();
  ledger.people.set(id, { id, conversationId: `CONV#demo#${key}#${id}` });
  const person = id;

  return {
    id,
    async write() {
      await write();
    },
    async edit() {
      const message = ownMessage();
      if (message) await act({ kind: "edit", mid: message.mid, text: `edited ${randomUUID()}` });
    },
    async unsend() {
      const message = ownMessage();
      if (!message) return;
      message.unsent = true;
      await act({ kind: "unsend", mid: message.mid });
    },
    async erase() {
      const conversationId = ledger.people.get(person)?.conversationId ?? "";
      // Some milliseconds, because the platform's clock and the stack's are not quite the same.
      await wait(500);
      const requestedAt = Date.now();
      const path = `/v1/conversations/${encodeURIComponent(conversationId)}`;
      await waitFor(
        "the conversation is erased",
        async () => {
          const response = await stack.request("DELETE", path);
          // 404: nothing of it was stored yet. Then it is no erasure, and what comes later stays.
          if (response?.status === 404) return true;
          if (response?.status !== 200) return false;
          ledger.erasures.push({ person, requestedAt, doneAt: Date.now() });
          return true;
        },
        { seconds: 240, everyMs: 700 },
      );
      await wait(500);
    },
  };
}

/** A person who writes, edits and unsends, and gets replies. */
export async function converse(agent: Agent, person: Person): Promise<void> {
  while (!agent.isOver()) {
    const choice = agent.random.next();
    if (choice < 0.5) await person.write();
    else if (choice < 0.6) await person.edit();
    else if (choice < 0.65) await person.unsend();
    else await reply(agent, person.id);
    await wait(agent.random.between(300, 2_000));
  }
}

/** A person who wrote more than a day ago, and gets held messages. */
export async function receiveHeld(agent: Agent, person: Person): Promise<void> {
  while (!agent.isOver()) {
    await sendHeld(agent, person.id);
    await wait(agent.random.between(15_000, 40_000));
  }
}

/** A person whose conversation is erased again and again. */
export async function converseAndErase(agent: Agent, person: Person): Promise<void> {
  while (!agent.isOver()) {
    for (let turn = agent.random.between(2, 6); turn > 0 && !agent.isOver(); turn--) {
      await person.write();
      if (agent.random.chance(0.3)) await reply(agent, person.id);
      await wait(agent.random.between(200, 1_500));
    }
    await person.erase();
  }
}
