import { RootSecretTooShort } from "#base/kernel/key-ring.ts";
import { CliError } from "#cli/cli-error.ts";

export { CliError };

/** What a command prints for an error that its user can fix; null for a fault. */
export function describeError(error: unknown): string | null {
  return error instanceof CliError || error instanceof RootSecretTooShort ? error.message : null;
}
