import type { Millis } from "#base/kernel/time.ts";

/**
 * What a socket's access depends on. It ends when the person signs out or is removed, or the key is revoked. A person
 * who is invited again has another grant.
 */
export type Grant =
  | {
      readonly kind: "session";
      readonly userId: string;
      /** The epoch of the session. */
      readonly epoch: number;
      /** When the membership was created. */
      readonly memberSince: Millis;
    }
  | { readonly kind: "tenant_key" | "operator_key"; readonly keyId: string };
