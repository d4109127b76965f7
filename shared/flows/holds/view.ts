import type { HoldState } from "../../domain/holds/holds.ts";
import { isRefusal, type Refusal } from "../../kernel/refusals.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Hold } from "../../stores/holds/hold-items.ts";
import type { CheckPorts } from "../ports.ts";
import { type HoldOver, overBy } from "./current-hold.ts";
import { type CheckRequest, openHold, type TooManyTries } from "./open.ts";

/** A hold as its person may see it. */
export interface ShownHold {
  readonly hold: Hold;
  readonly state: HoldState;
  /** Whom the message goes to. */
  readonly displayName: string;
}

/** Whom nobody knows a name of. */
const NAMELESS = "this person";

/** What waits to be checked, for whoever has its secret. A look is no try. */
export async function lookAtHold(
  ports: Pick<CheckPorts, "holds" | "tries" | "conversations">,
  request: CheckRequest,
  now: Millis,
): Promise<ShownHold | Refusal<"hold_not_found"> | TooManyTries | HoldOver> {
  const opened = await openHold(ports, request, now);
  if (isRefusal(opened)) return opened;
  return overBy(opened.state) ?? { ...opened, displayName: await displayNameOf(ports, opened.hold, now) };
}

/** What the person is called whom a held message goes to. */
export async function displayNameOf(
  ports: Pick<CheckPorts, "conversations">,
  hold: Hold,
  now: Millis,
): Promise<string> {
  const head = await ports.conversations.get(hold.tenant, hold.conversationId, now);
  return head?.participantHandle ?? head?.participantUsername ?? NAMELESS;
}
