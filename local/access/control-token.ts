import { readFileSync } from "node:fs";
import { randomToken, sameBytes } from "#base/kernel/bytes.ts";
import { writeFileAtomic } from "../support/atomic-write.ts";
import { LocalRefusal } from "../support/local-refusal.ts";

/** The credential of the control routes: `/_local` of a stack, and `/_sim` of its simulator or of one that runs alone. */
export interface ControlToken {
  readonly value: string;
  /** A sentence about where its owner finds it. A refused call gets it. */
  readonly location: string;
}

/** What a token may consist of, so that a header and a URL hold it as it is. */
export const TOKEN_FORMAT = /^[\w.~-]{16,}$/;

export function randomControlToken(): string {
  return randomToken(20).toString("hex");
}

/** Reads the control token of a data folder, or creates a random one. */
export function loadControlToken(file: string): ControlToken {
  const value = readIfExists(file)?.trim() ?? createControlToken(file);
  if (!TOKEN_FORMAT.test(value))
    throw new LocalRefusal(`${file} has no control token. Remove the file: the next start creates it again.`);
  return { value, location: "It is in control-token in the data folder." };
}

/** Why a call of a control route is refused with 401, or null. */
export function controlTokenProblem(authorization: string | undefined, token: ControlToken): string | null {
  const usage = `Send it as Authorization: Bearer <token>. ${token.location}`;
  if (authorization === undefined) return `Missing control token. ${usage}`;
  const sentToken = /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
  return sameBytes(sentToken, token.value) ? null : `Wrong control token. ${usage}`;
}

/**
 * The address of the simulator's page with the token in its fragment. A browser sends no fragment, and the page removes it
 * from the address.
 */
export function simulatorPageUrl(simulatorUrl: string, token: string): string {
  return `${simulatorUrl}/#token=${token}`;
}

function createControlToken(file: string): string {
  const value = randomControlToken();
  writeFileAtomic(file, `${value}\n`);
  return value;
}

function readIfExists(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
