import type { HoldState } from "../../domain/holds/holds.ts";
import { isRefusal, type Refusal } from "../../kernel/refusals.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Hold } from "../../stores/holds/hold-items.ts";
import { endedReason, type HoldEndedRefusal } from "./current-hold.ts";
import { type CheckRequest, openHold, type TooManyAttempts } from "./open.ts";
import type { CheckPorts } from "./ports.ts";

/** A hold as its person may see it. */
export interface CheckHoldView {
  readonly hold: Hold;
  readonly state: HoldState;
  /** Whom the message goes to. */
  readonly displayName: string;
}

/** Whom nobody knows a name of. */
const FALLBACK_NAME = "this person";

/** What waits to be checked, for whoever has its secret. A look is no try. */
export async function viewHold(
  ports: Pick<CheckPorts, "holds" | "verificationAttempts" | "conversations">,
  request: CheckRequest,
  now: Millis,
): Promise<CheckHoldView | Refusal<"hold_not_found"> | TooManyAttempts | HoldEndedRefusal> {
  const view = await openHold(ports, request, now);
  if (isRefusal(view)) return view;
  return endedReason(view.state) ?? { ...view, displayName: await getDisplayName(ports, view.hold, now) };
}

/** What the person is called whom a held message goes to. */
export async function getDisplayName(
  ports: Pick<CheckPorts, "conversations">,
  hold: Hold,
  now: Millis,
): Promise<string> {
  const head = await ports.conversations.get(hold.tenant, hold.conversationId, now);
  return head?.participantHandle ?? head?.participantUsername ?? FALLBACK_NAME;
}
