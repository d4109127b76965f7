import { z } from "zod";
import { type Operation, operation } from "../json-service.ts";
import { ServiceError } from "../service-error.ts";
import { type Key, type KeyRing, keySpecs } from "./keys.ts";

const keyId = z.object({ KeyId: z.string() });
const aliasInput = z.object({
  AliasName: z.string().regex(/^alias\/[\w/-]+$/),
  TargetKeyId: z.string(),
});

/** The operations on keys and aliases. */
export function keyOperations(ring: KeyRing, accountId: string): Record<string, Operation> {
  const setEnabled = (enabled: boolean): Operation =>
    operation(keyId, (input) => {
      ring.save({ ...ring.find(input.KeyId), enabled });
    });
  const setRotation = (rotates: boolean): Operation =>
    operation(keyId, (input) => {
      ring.save({ ...ring.find(input.KeyId), rotates });
    });
  return {
    CreateKey: operation(
      z.object({
        KeySpec: z.enum(Object.keys(keySpecs) as [keyof typeof keySpecs]).optional(),
        Description: z.string().optional(),
        Policy: z.string().optional(),
      }),
      (input) => {
        const key = ring.create(input.KeySpec ?? "SYMMETRIC_DEFAULT", input.Description);
        return { KeyMetadata: metadata(ring, ring.save({ ...key, policy: input.Policy }), accountId) };
      },
    ),
    GetKeyPolicy: operation(keyId, (input) => ({
      Policy: ring.find(input.KeyId).policy ?? defaultPolicy(accountId),
      PolicyName: "default",
    })),
    EnableKeyRotation: setRotation(true),
    DisableKeyRotation: setRotation(false),
    GetKeyRotationStatus: operation(keyId, (input) => ({
      KeyRotationEnabled: ring.find(input.KeyId).rotates ?? false,
    })),
    DescribeKey: operation(keyId, (input) => ({ KeyMetadata: metadata(ring, ring.find(input.KeyId), accountId) })),
    ListKeys: operation(z.object({}), () => ({
      Keys: ring.list().map((key) => ({ KeyId: key.id, KeyArn: ring.arn(key) })),
      Truncated: false,
    })),
    CreateAlias: operation(aliasInput, (input) => {
      if (ring.hasAlias(input.AliasName)) {
        throw new ServiceError("AlreadyExistsException", `${input.AliasName} already exists. Use UpdateAlias.`);
      }
      ring.alias(input.AliasName, ring.find(input.TargetKeyId));
    }),
    UpdateAlias: operation(aliasInput, (input) => {
      ring.find(input.AliasName);
      ring.alias(input.AliasName, ring.find(input.TargetKeyId));
    }),
    EnableKey: setEnabled(true),
    DisableKey: setEnabled(false),
  };
}

/** Permits what policies of IAM do. Policies have no effect here. */
function defaultPolicy(accountId: string): string {
  const Principal = { AWS: `arn:aws:iam::${accountId}:root` };
  const Statement = [{ Effect: "Allow", Principal, Action: "kms:*", Resource: "*" }];
  return JSON.stringify({ Version: "2012-10-17", Statement });
}

function metadata(ring: KeyRing, key: Key, accountId: string): object {
  return {
    KeyId: key.id,
    Arn: ring.arn(key),
    AWSAccountId: accountId,
    CreationDate: key.createdAt / 1000,
    Description: key.description,
    Enabled: key.enabled,
    KeyState: key.enabled ? "Enabled" : "Disabled",
    KeyUsage: keySpecs[key.spec].usage,
    KeySpec: key.spec,
    KeyManager: "CUSTOMER",
    Origin: "AWS_KMS",
    MultiRegion: false,
  };
}
