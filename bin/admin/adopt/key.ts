import {
  DescribeKeyCommand,
  EnableKeyRotationCommand,
  GetKeyPolicyCommand,
  GetKeyRotationStatusCommand,
  type KeyMetadata,
  type KMSClient,
} from "@aws-sdk/client-kms";
import { call, isError } from "../aws/calls.ts";
import { type Lack, Misfit } from "./resource.ts";

export interface KeyRequirements {
  /** 12 digits. */
  readonly account: string;
  readonly region: string;
}

const LEFT_KEY = "Name the key that a stack ParleyData left";

/**
 * What a key lacks with which functions can seal and open.
 * @throws Misfit for another key, and for one that is not enabled
 */
export async function inspectKey(
  client: KMSClient,
  KeyId: string,
  { account, region }: KeyRequirements,
): Promise<Lack[]> {
  const [, , , keyRegion, keyAccount] = KeyId.split(":");
  if ((keyAccount ?? account) !== account || (keyRegion ?? region) !== region) {
    throw new Misfit(`it is in account ${keyAccount} and region ${keyRegion}. ${LEFT_KEY} in ${account}, ${region}.`);
  }
  const key = await describeKey(client, KeyId);
  if (key.AWSAccountId !== account)
    throw new Misfit(`it is of account ${key.AWSAccountId}. ${LEFT_KEY} in ${account}.`);
  if (key.KeyManager !== "CUSTOMER" || key.KeySpec !== "SYMMETRIC_DEFAULT" || key.KeyUsage !== "ENCRYPT_DECRYPT") {
    throw new Misfit(`it is no symmetric key of yours that encrypts (${key.KeySpec}, ${key.KeyUsage}). ${LEFT_KEY}.`);
  }
  if (key.KeyState === "PendingDeletion") {
    throw new Misfit(
      `its deletion is scheduled. Run aws kms cancel-key-deletion --key-id ${KeyId}, then aws kms enable-key --key-id ${KeyId}.`,
    );
  }
  if (key.KeyState !== "Enabled") {
    throw new Misfit(`it is not enabled (${key.KeyState}). Run aws kms enable-key --key-id ${KeyId}.`);
  }
  const { Policy = "{}" } = await call("kms:GetKeyPolicy", client.send(new GetKeyPolicyCommand({ KeyId })));
  requirePolicy(Policy, account);
  const status = await call("kms:GetKeyRotationStatus", client.send(new GetKeyRotationStatusCommand({ KeyId })));
  if (status.KeyRotationEnabled) return [];
  const set = () => call("kms:EnableKeyRotation", client.send(new EnableKeyRotationCommand({ KeyId })));
  return [{ name: "rotation", set }];
}

async function describeKey(client: KMSClient, KeyId: string): Promise<Partial<KeyMetadata>> {
  try {
    return (await call("kms:DescribeKey", client.send(new DescribeKeyCommand({ KeyId })))).KeyMetadata ?? {};
  } catch (error) {
    if (!isError(error, "NotFoundException")) throw error;
    throw new Misfit("it does not exist. Check the setting, and the account and region of your credentials.");
  }
}

interface Statement {
  readonly Effect?: string;
  readonly Principal?: string | { readonly AWS?: string | readonly string[] };
  readonly Action?: string | readonly string[];
  readonly Condition?: { readonly StringNotEquals?: Readonly<Record<string, unknown>> };
}

/** A key of another use would be opened by Parley's policy, or would lose its use by it. So its policy is not changed. */
function requirePolicy(policy: string, account: string): void {
  const { Statement: statements = [] } = JSON.parse(policy) as { Statement?: readonly Statement[] };
  const deniesOthers = statements.some(
    ({ Effect, Action, Condition }) =>
      Effect === "Deny" &&
      ["kms:Encrypt", "kms:Decrypt"].every((action) => [Action].flat().includes(action)) &&
      Condition?.StringNotEquals?.["kms:EncryptionContext:app"] === "parley",
  );
  if (!deniesOthers) {
    throw new Misfit(`its policy does not deny other encryption contexts than Parley's. ${LEFT_KEY}.`);
  }
  const usesIam = statements.some(
    ({ Effect, Principal, Action }) =>
      Effect === "Allow" &&
      typeof Principal === "object" &&
      [Principal.AWS]
        .flat()
        .some((principal) => principal?.endsWith(`:iam::${account}:root`) || principal === account) &&
      [Action].flat().includes("kms:*"),
  );
  if (!usesIam) {
    throw new Misfit(`its policy lets no policy of IAM grant its use. Permit kms:* to the root of account ${account}.`);
  }
}
