import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { KMSClient } from "@aws-sdk/client-kms";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { openVault } from "#base/aws/vault.ts";
import { env } from "#base/config/names.ts";
import { randomToken } from "#base/kernel/bytes.ts";
import { CHALLENGE_LIFETIME } from "#base/kernel/limits.ts";
import { openTable } from "#base/table/client.ts";
import { challengeKeyReader } from "#features/holds/flows/challenge-keys.ts";
import type { IssuedChallenge } from "#features/holds/rules/proof-of-work.ts";
import { challengeKeyStore } from "#features/holds/store/challenge-keys.ts";
import { clientSettings } from "../../support/access/access-keys.ts";
import { withEasyPuzzles } from "../../web/support/check-page-server.ts";
import type { LocalStack } from "../support/local-stack.ts";

/**
 * Seals easier puzzles with the stack's own key, in place of those of a challenge that it issued: the real ones of a live
 * message take five seconds of CPU time in a browser.
 */
export function easyPuzzles({ dataDir }: LocalStack): (challenge: IssuedChallenge) => Promise<IssuedChallenge> {
  return async (challenge) => {
    const environment = JSON.parse(readFileSync(join(dataDir, "environment.json"), "utf8")) as Record<string, string>;
    const dynamo = new DynamoDBClient({
      ...clientSettings(environment),
      endpoint: environment.AWS_ENDPOINT_URL_DYNAMODB ?? "",
    });
    const kms = new KMSClient(clientSettings(environment));
    const table = openTable(environment[env.table] ?? "", DynamoDBDocumentClient.from(dynamo));
    const vault = openVault(environment[env.keyId] ?? "", kms);
    const keysAt = challengeKeyReader({ challengeKeys: challengeKeyStore(table), vault, random: randomToken });
    // Around midnight the keys of both days open.
    const { current } = await keysAt(challenge.expires - CHALLENGE_LIFETIME);
    dynamo.destroy();
    kms.destroy();
    return withEasyPuzzles(challenge, current.key);
  };
}
