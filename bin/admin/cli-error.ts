import { RootSecretTooShort } from "#base/kernel/key-ring.ts";

/** An error of the user. Its message is printed without a stack trace. */
export class CliError extends Error {}

/** What a command prints for an error that its user can fix; null for a fault. */
export function describeError(error: unknown): string | null {
  return error instanceof CliError || error instanceof RootSecretTooShort ? error.message : null;
}
