import { type Caller, parseApiKey } from "../../domain/access/api-keys.ts";
import { REQUESTS_PER_KEY_PER_MINUTE } from "../../domain/limits.ts";
import { hmacSha256 } from "../../kernel/bytes.ts";
import { type Refusal, refuse } from "../../kernel/refusals.ts";
import type { Millis } from "../../kernel/time.ts";
import type { KeyPorts } from "./ports.ts";

const HEADER_CHARS_MAX = 200;

/** The lookup hash of a key. It needs the pepper, so write access to the table alone cannot add a key. */
export function apiKeyHash(pepper: Uint8Array, key: string): string {
  return hmacSha256(pepper, key).toString("hex");
}

/**
 * Identifies the caller by the Authorization header. A key with a wrong checksum is refused without a read. Any other
 * key is read consistently, so that a revocation takes effect at the next request.
 */
export async function authenticate(
  ports: KeyPorts,
  authorization: string | undefined,
): Promise<Caller | Refusal<"unauthorized">> {
  if (!authorization || authorization.length > HEADER_CHARS_MAX) return refuse("unauthorized");
  const [, token = ""] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
  const secret = parseApiKey(token);
  if (!secret) return refuse("unauthorized");
  const key = await ports.apiKeys.getByHash(apiKeyHash(await ports.pepper(), secret));
  if (key?.status !== "active") return refuse("unauthorized");
  const { id: keyId, scope, tenants } = key;
  if (key.kind === "operator") return { kind: "operator_key", keyId, tenants, scope };
  const [tenant] = tenants;
  return tenant ? { kind: "tenant_key", keyId, tenant, scope } : refuse("unauthorized");
}

/** A key's requests of the current minute. */
export interface RequestPace {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the next minute. */
  readonly resetSeconds: number;
  /** Null while the limit is not exceeded. */
  readonly refusal: Refusal<"too_many_requests"> | null;
}

/** Counts a request against its key's limit per minute. */
export async function enforceRateLimit(ports: KeyPorts, caller: Caller, now: Millis): Promise<RequestPace> {
  const { isExceeded, remaining, resetSeconds } = await ports.apiKeys.consumeRequest(caller.keyId, now);
  const refusal = isExceeded ? refuse("too_many_requests", undefined, resetSeconds) : null;
  return { limit: REQUESTS_PER_KEY_PER_MINUTE, remaining, resetSeconds, refusal };
}
