import { type ControlToken, randomControlToken, TOKEN_FORMAT } from "../../../loopback/src/control-token.ts";
import { writeFileAtomic } from "../support/atomic-write.ts";
import { LocalRefusal } from "../support/local-refusal.ts";
import { readIfExists } from "../support/read-if-exists.ts";

/**
 * Reads the control token of a data folder, or creates a random one. It is the credential of `/_local` of a stack and of
 * `/_sim` of its simulator.
 */
export function loadControlToken(file: string): ControlToken {
  const value = readIfExists(file)?.trim() ?? createControlToken(file);
  if (!TOKEN_FORMAT.test(value))
    throw new LocalRefusal(`${file} has no control token. Remove the file: the next start creates it again.`);
  return { value, location: "It is in control-token in the data folder." };
}

function createControlToken(file: string): string {
  const value = randomControlToken();
  writeFileAtomic(file, `${value}\n`);
  return value;
}
