import { secretReader } from "#base/aws/secrets.ts";
import { optionalSetting } from "#base/config/settings.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { ReadOriginSecrets } from "#http/client-address.ts";
import { type Host, processHost } from "../host.ts";

/**
 * The secrets of the distribution in front of the gateway. A process reads them once, because a secret never changes: another
 * one replaces it. Null where there is no distribution.
 */
export function originSecrets({ settings, clients }: Pick<Host, "settings" | "clients"> = processHost) {
  const ids = optionalSetting("originSecretIds", settings)?.split(",");
  if (ids === undefined) return null;
  const readers = ids.map((id) => secretReader(id, (text) => text, clients.secrets));
  let secrets: readonly string[] | null = null;
  const readSecrets: ReadOriginSecrets = async () => {
    secrets ??= await allDone(readers.map((read) => read()));
    return secrets;
  };
  return readSecrets;
}
