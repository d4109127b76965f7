import { GetSecretValueCommand, type SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { parsePlatformSecrets } from "#base/aws/secrets.ts";
import { ROOT_CHARS_MIN } from "#base/aws/service-keys.ts";
import { call, isError } from "../aws/calls.ts";
import { Misfit } from "./resource.ts";

export interface SecretRequirements {
  /** 12 digits. */
  readonly account: string;
  readonly region: string;
  readonly content: "root" | "platforms";
}

/** A secret lacks nothing that could be set. Nothing of its value is in a message. @throws Misfit for another secret */
export async function inspectSecret(
  client: SecretsManagerClient,
  arn: string,
  { account, region, content }: SecretRequirements,
): Promise<[]> {
  const [, , , secretRegion, secretAccount] = arn.split(":");
  if (secretAccount !== account || secretRegion !== region) {
    throw new Misfit(
      `it is in account ${secretAccount} and region ${secretRegion}. Name one in ${account}, ${region}.`,
    );
  }
  const text = await readSecret(client, arn);
  const isObject = parsesAsPlatformSecrets(text);
  if (content === "platforms" && !isObject) {
    throw new Misfit("it is no JSON object with meta, instagram and verify_token. Name Parley's platform secrets.");
  }
  if (content === "root" && (isObject || text.length < ROOT_CHARS_MIN)) {
    throw new Misfit(`it is no text of at least ${ROOT_CHARS_MIN} random characters. Name Parley's root secret.`);
  }
  return [];
}

async function readSecret(client: SecretsManagerClient, SecretId: string): Promise<string> {
  const request = client.send(new GetSecretValueCommand({ SecretId }));
  try {
    return (await call("secretsmanager:GetSecretValue", request)).SecretString ?? "";
  } catch (error) {
    if (isError(error, "ResourceNotFoundException")) {
      throw new Misfit("it does not exist, or has no value. Check the setting, and the account of your credentials.");
    }
    // Of a secret that is scheduled for deletion.
    if (isError(error, "InvalidRequestException")) {
      throw new Misfit(`it is marked as deleted. Run aws secretsmanager restore-secret --secret-id ${SecretId}.`);
    }
    throw error;
  }
}

function parsesAsPlatformSecrets(text: string): boolean {
  try {
    parsePlatformSecrets(text);
    const value = JSON.parse(text) as object;
    return ["meta", "instagram"].every((name) => Object.hasOwn(value, name));
  } catch {
    return false;
  }
}
