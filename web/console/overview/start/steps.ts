import type { Account } from "#client";
import type { Conversation } from "../../data/types.ts";

/** What the API says of a workspace, of which the first steps are computed. */
export interface StartFacts {
  readonly accounts: readonly Account[];
  /** Those that are loaded, the newest among them. */
  readonly conversations: readonly Conversation[];
  /** How many messages the last hours had, and answers among them. */
  readonly received: number;
  readonly answered: number;
  readonly members: number;
  /** Open invites and endpoints; 0 where the role does not read them. */
  readonly invites: number;
  readonly endpoints: number;
}

export type StepName = "connect" | "receive" | "answer" | "further";

export interface Step {
  readonly name: StepName;
  readonly isDone: boolean;
}

/** The four steps, each with whether it is done. */
export function startSteps(facts: StartFacts): readonly Step[] {
  const { accounts, conversations, received, answered, members, invites, endpoints } = facts;
  const withPerson = conversations.filter(({ last_inbound_at }) => last_inbound_at !== null);
  return [
    { name: "connect", isDone: accounts.length > 0 },
    { name: "receive", isDone: received > 0 || withPerson.length > 0 },
    { name: "answer", isDone: answered > 0 || withPerson.some(({ last_outbound_at }) => last_outbound_at !== null) },
    { name: "further", isDone: members > 1 || invites > 0 || endpoints > 0 },
  ];
}
