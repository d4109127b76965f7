import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { serviceKeysReader } from "#base/aws/service-keys.ts";
import { env } from "#base/config/names.ts";
import type { IssuedChallenge } from "#features/holds/rules/proof-of-work.ts";
import { clientSettings } from "../../support/access/access-keys.ts";
import { withEasyPuzzles } from "../../web/support/check-page-server.ts";
import type { LocalStack } from "../support/local-stack.ts";

/**
 * Seals easier puzzles with the stack's own key, in place of those of a challenge that it issued: the real ones of a live
 * message take five seconds of CPU time in a browser.
 */
export async function easyPuzzles({ dataDir }: LocalStack): Promise<(challenge: IssuedChallenge) => IssuedChallenge> {
  const environment = JSON.parse(readFileSync(join(dataDir, "environment.json"), "utf8")) as Record<string, string>;
  const client = new SecretsManagerClient(clientSettings(environment));
  const keys = await serviceKeysReader(environment[env.rootSecretId] ?? "", client)();
  client.destroy();
  return (challenge) => withEasyPuzzles(challenge, keys.challenge.current.key);
}
