import { openKeyState } from "#base/aws/key-state.ts";
import { parsePlatformSecrets, secretReader } from "#base/aws/secrets.ts";
import { type ServiceKeys, serviceKeysReader } from "#base/aws/service-keys.ts";
import { openVault } from "#base/aws/vault.ts";
import { setting } from "#base/config/settings.ts";
import { randomToken } from "#base/kernel/bytes.ts";
import { clockNow } from "#base/kernel/time.ts";
import { challengeKeyReader } from "#features/holds/flows/challenge-keys.ts";
import type { Composition } from "../compose.ts";
import type { Host } from "../host.ts";
import { challengeKeyRows } from "./stores.ts";

// The key of KMS, the secrets, and the keys that derive from the root secret.

export const vault = ({ settings, clients }: Host) => openVault(setting("keyId", settings), clients.kms);

export const readKeyState = ({ settings, clients }: Host) => openKeyState(setting("keyId", settings), clients.kms);

/** The secrets of the platforms' apps. */
export const platformSecrets = ({ settings, clients }: Host) =>
  secretReader(setting("platformSecretId", settings), parsePlatformSecrets, clients.secrets);

export const addressKeys = (composition: Composition) => keysOf(composition, "address");
export const cursorKeys = (composition: Composition) => keysOf(composition, "cursor");
export const dataDeletionKeys = (composition: Composition) => keysOf(composition, "dataDeletion");
export const holdKeys = (composition: Composition) => keysOf(composition, "holdSecret");
export const loginKeys = (composition: Composition) => keysOf(composition, "loginLink");
export const loginStateKeys = (composition: Composition) => keysOf(composition, "loginState");
export const peppers = (composition: Composition) => keysOf(composition, "pepper");
export const sessionKeys = (composition: Composition) => keysOf(composition, "session");

/** The keys of the challenges that the check page sets. */
export function challengeKeys({ use }: Composition) {
  const ports = { challengeKeys: use(challengeKeyRows), vault: use(vault), random: randomToken };
  const keysAt = challengeKeyReader(ports);
  return () => keysAt(clockNow());
}

/** @returns reads the keys of the newest version of the root secret, or of the version that `kid` names */
function keysOf<N extends keyof ServiceKeys>({ use }: Composition, name: N) {
  const read = use(rootSecret);
  return async (kid?: string): Promise<ServiceKeys[N]> => (await read(kid))[name];
}

const rootSecret = ({ settings, clients }: Host) =>
  serviceKeysReader(setting("rootSecretId", settings), clients.secrets);
