import type { PlatformSecrets, ReadSecret } from "#base/aws/secrets.ts";

/** Tries the cached secrets, and then those of now: the operator may have changed them a moment ago. */
export async function tryTwice<T>(
  { platformSecrets }: { readonly platformSecrets: ReadSecret<PlatformSecrets> },
  verify: (secrets: PlatformSecrets) => T | null,
): Promise<T | null> {
  return verify(await platformSecrets()) ?? verify(await platformSecrets(true));
}
