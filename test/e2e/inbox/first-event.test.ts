import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import { openedOnce } from "../../support/opened.ts";
import { openSubscribedReceiver, simulatedAccount } from "../support/api-calls.ts";
import { failureLines } from "../support/emulator-journals.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { waitFor } from "../support/wait-for.ts";

// The first event of a person waits for their name, at most two seconds.

const stack = openedOnce(openSharedStack);
const receiver = openedOnce(() => openSubscribedReceiver(stack, ["message.received", "conversation.updated"]));

interface NamedEvent {
  readonly type: string;
  readonly data: {
    readonly message?: { readonly text: string; readonly participant: { readonly name: string | null } };
    readonly conversation?: { readonly id: string; readonly participant_name: string | null };
  };
}

const events = () => receiver.deliveries.map(({ event }) => event as unknown as NamedEvent);
const messageOf = (text: string) => events().filter(({ data }) => data.message?.text === text);
const updatesOf = (id: string) => events().filter(({ data }) => data.conversation?.id === id);

/** A person writes for the first time. @returns how long their first event took, and the id of the conversation */
async function firstEvent(connection: Connection, person: string, text: string) {
  const { account } = simulatedAccount(stack, connection);
  const startedAt = performance.now();
  const sends = { ...simulatedAccount(stack, connection), person, text };
  const { person: participant } = await stack.sim<{ person: string }>("POST", "/person-sends", sends);
  const [event] = await waitFor("the first event", () => (messageOf(text).length > 0 ? messageOf(text) : null));
  const platform = connection === "messenger" ? "messenger" : "instagram";
  return {
    took: performance.now() - startedAt,
    event,
    conversationId: `CONV#demo#${platform}#${account}#${participant}`,
  };
}

it.each(["instagram_login", "messenger"] as const)(
  "the first event of a person on %s names them and comes at once when the platform answers",
  async (connection) => {
    const text = `named on ${connection}`;
    // Its functions are started before.
    await firstEvent(connection, "Warm Wim", `warm on ${connection}`);
    const { event, took, conversationId } = await firstEvent(connection, "Ada Lind", text);
    expect(event?.data.message?.participant.name).toBe("Ada Lind");
    expect(took).toBeLessThan(1_500);
    await wait(3_000);
    expect(messageOf(text)).toHaveLength(1);
    expect(updatesOf(conversationId)).toEqual([]);
  },
);

it("the first event of a person comes after two seconds when the platform does not answer, and the conversation names them", async () => {
  await stack.sim("POST", "/faults", { mode: "hang", on: "calls", for: 1 });
  const { event, took, conversationId } = await firstEvent("messenger", "Late Lou", "late");
  expect(event?.data.message?.participant.name).toBeNull();
  expect(took).toBeGreaterThan(1_900);
  expect(took).toBeLessThan(5_000);
  const [update] = await waitFor(
    "the name",
    () => (updatesOf(conversationId).length > 0 ? updatesOf(conversationId) : null),
    { seconds: 40 },
  );
  expect(update?.data.conversation?.participant_name).toBe("Late Lou");
  expect(messageOf("late")).toHaveLength(1);
});

it("the first event of a person fails nothing", () => {
  expect(failureLines(stack.log())).toEqual([]);
});
