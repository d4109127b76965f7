import { type Caller, callerMayUse } from "../../domain/access/api-keys.ts";
import { isHoldId, isHoldReadable } from "../../domain/holds/holds.ts";
import { type Refusal, refuse } from "../../kernel/refusals.ts";
import type { Millis } from "../../kernel/time.ts";
import type { CheckPorts } from "../ports.ts";
import { type Standing, standingOf } from "./current-hold.ts";

/** A hold of the caller's tenant, for half an hour after it was made. */
export async function readHold(
  ports: Pick<CheckPorts, "holds">,
  caller: Caller,
  holdId: string,
  now: Millis,
): Promise<Standing | Refusal<"hold_not_found">> {
  const hold = isHoldId(holdId) ? await ports.holds.get(holdId) : null;
  const standing = hold && (await standingOf(ports, hold, now));
  if (!standing || !callerMayUse(caller, standing.hold.tenant)) return refuse("hold_not_found");
  return isHoldReadable(standing.hold.createdAt, now) ? standing : refuse("hold_not_found");
}
