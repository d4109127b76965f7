import { randomBytes, timingSafeEqual } from "node:crypto";

/** The credential of the routes that control a program, such as its clock and the people who write. */
export interface ControlToken {
  readonly value: string;
  /** A sentence about where its owner finds it. A refused call gets it. */
  readonly location: string;
}

/** What a token may consist of, so that a header and a URL hold it as it is. */
export const TOKEN_FORMAT = /^[\w.~-]{16,}$/;

export function randomControlToken(): string {
  return randomBytes(20).toString("hex");
}

/** Why a call of a control route is refused with 401, or null. */
export function controlTokenProblem(authorization: string | undefined, token: ControlToken): string | null {
  const usage = `Send it as Authorization: Bearer <token>. ${token.location}`;
  if (authorization === undefined) return `Missing control token. ${usage}`;
  const sentToken = /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
  return isSameText(sentToken, token.value) ? null : `Wrong control token. ${usage}`;
}

/** Compares in constant time. */
function isSameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
