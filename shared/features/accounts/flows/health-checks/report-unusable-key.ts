import type { KeyStatePorts } from "../../ports.ts";

/** Logs a key that does not open the accounts' tokens, or is about to be deleted. Its deletion can be cancelled for days. */
export async function reportUnusableKey({ readKeyState, log }: KeyStatePorts): Promise<void> {
  const state = await readKeyState();
  if (state !== "Enabled") log({ event: "key.unusable", state });
}
