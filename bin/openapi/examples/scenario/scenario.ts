import type { ExampleStack } from "../example-stack.ts";
import type { Recorder } from "../recorder.ts";

type Headers = Readonly<Record<string, string>>;

/** What the parts of the scenario share. Each goes on where the one before it ended. */
export interface Scenario extends Recorder {
  readonly stack: ExampleStack;
  /** Texts of this recording alone, such as a URL with a port, and what stands for them. */
  readonly texts: Record<string, string>;
  readonly live: Headers;
  readonly test: Headers;
  readonly operator: Headers;
}

/** The key of the seeded account of a connection. */
export function seededAccount({ stack }: Scenario, connection: string): { readonly key: string; readonly id: string } {
  const account = stack.info.accounts.find((one) => one.connection === connection);
  if (!account) throw new Error(`The stack has no account of ${connection}.`);
  return { key: account.account_key, id: account.account_key.split("#")[1] ?? "" };
}

export const UNKNOWN_ULID = "01J00000000000000000000000";
