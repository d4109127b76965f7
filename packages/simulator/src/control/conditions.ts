import type { Context } from "../calls/context.ts";
import { BadInput, type Fields, optionalBoolean, optionalEnum, optionalInteger } from "../http/fields.ts";
import { faultModes, faultTargets } from "../world/faults.ts";

const clockOffsetMax = 10 * 365 * 24 * 3_600_000;

/** `{mode, on?, for?, skip?}`; with mode `error` also `code`, `subcode?`, `status?`, with `rate_limited` `minutes?`. */
export function setFault({ world, faults }: Context, fields: Fields): unknown {
  const mode = optionalEnum(fields, "mode", faultModes);
  if (mode === undefined) throw new BadInput(`mode must be one of ${faultModes.join(", ")}`);
  const times = optionalInteger(fields, "for", 1, 1_000_000);
  const fault = {
    mode,
    code: optionalInteger(fields, "code", 1, 99_999_999),
    subcode: optionalInteger(fields, "subcode", 1, 99_999_999),
    status: optionalInteger(fields, "status", 400, 599),
    minutes: optionalInteger(fields, "minutes", 0, 1_000_000),
  };
  if (mode === "error" && fault.code === undefined)
    throw new BadInput("code is missing: mode error requires the error code");
  const skip = optionalInteger(fields, "skip", 0, 1_000_000) ?? 0;
  faults.set(fault, optionalEnum(fields, "on", faultTargets) ?? "sends", { times, skip });
  world.version += 1;
  return faults.snapshot();
}

/** `{advance_ms}` advances every clock of the host, or of the simulator alone. `{offset_ms}` sets the simulator's own. */
export async function setClock(context: Context, fields: Fields): Promise<unknown> {
  const { world, host } = context;
  const advance = optionalInteger(fields, "advance_ms", 1, clockOffsetMax);
  const offset = optionalInteger(fields, "offset_ms", -clockOffsetMax, clockOffsetMax);
  if (advance !== undefined && host !== undefined) await host.advanceClock(advance);
  else if (advance === undefined && offset === undefined)
    throw new BadInput("offset_ms is missing: set the milliseconds to add to the real time, or advance_ms");
  else await setClockOffset(context, advance === undefined ? (offset ?? 0) : world.state.clockOffsetMs + advance);
  return { now: world.now(), offset_ms: world.state.clockOffsetMs };
}

/** Sets the simulator's clock to `offset` milliseconds ahead of the real time. */
export async function setClockOffset({ world, deliveries }: Context, offset: number): Promise<void> {
  const change = offset - world.state.clockOffsetMs;
  world.state.clockOffsetMs = offset;
  deliveries.onClockChange(change);
  await world.save();
}

/** Fields: `batch?, duplicate?, shuffle?`. */
export function setDelivery({ world, deliveries }: Context, fields: Fields): unknown {
  const { batch, duplicate, shuffle } = deliveries.options;
  deliveries.options = {
    batch: optionalInteger(fields, "batch", 1, 1000) ?? batch,
    duplicate: optionalInteger(fields, "duplicate", 0, 10) ?? duplicate,
    shuffle: optionalBoolean(fields, "shuffle") ?? shuffle,
  };
  world.version += 1;
  return deliveries.options;
}

/** Retries every waiting webhook now. */
export function deliverNow({ deliveries }: Context): { pending: unknown[] } {
  deliveries.deliverNow();
  return { pending: deliveries.pending() };
}
