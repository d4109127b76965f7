import { type Caller, callerMayUse } from "../../domain/access/api-keys.ts";
import { isHoldId, isHoldReadable } from "../../domain/holds/holds.ts";
import { type Refusal, refuse } from "../../kernel/refusals.ts";
import type { Millis } from "../../kernel/time.ts";
import { currentHold, type HoldView } from "./current-hold.ts";
import type { CheckPorts } from "./ports.ts";

/** A hold of the caller's tenant, for half an hour after it was made. */
export async function getHold(
  ports: Pick<CheckPorts, "holds">,
  caller: Caller,
  holdId: string,
  now: Millis,
): Promise<HoldView | Refusal<"hold_not_found">> {
  const hold = isHoldId(holdId) ? await ports.holds.get(holdId) : null;
  const view = hold && (await currentHold(ports, hold, now));
  if (!view || !callerMayUse(caller, view.hold.tenant)) return refuse("hold_not_found");
  return isHoldReadable(view.hold.createdAt, now) ? view : refuse("hold_not_found");
}
