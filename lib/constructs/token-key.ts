import { RemovalPolicy, Stack } from "aws-cdk-lib";
import { AnyPrincipal, Effect, type IRole, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { type IKey, Key } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";
import type { SecretPurpose } from "#base/config/names.ts";
import { toKeyId } from "../config/existing.ts";

/** Every ciphertext of Parley has this entry in its encryption context. */
const CONTEXT_KEY = "kms:EncryptionContext:app";
const CONTEXT_VALUE = "parley";
const PURPOSE_KEY = "kms:EncryptionContext:purpose";

/**
 * The KMS key for channel tokens and webhook signing secrets. Encrypting and decrypting are granted separately, each for
 * the named purposes only. The key's policy denies any context but Parley's to every principal of the account.
 */
export class TokenKey extends Construct {
  readonly key: Pick<IKey, "keyId" | "keyArn">;

  /** @param existing the id or the ARN of a key to import */
  constructor(scope: Construct, id: string, existing: string | null) {
    super(scope, id);
    this.key = existing === null ? this.#newKey() : importedKey(this, existing);
  }

  #newKey(): Key {
    const key = new Key(this, "Key", {
      description: "Parley: channel tokens and webhook signing secrets",
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    key.addToResourcePolicy(
      new PolicyStatement({
        sid: "OnlyInParleysContext",
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ["kms:Encrypt", "kms:Decrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*"],
        // In a key policy "*" means this key.
        resources: ["*"],
        conditions: { StringNotEquals: { [CONTEXT_KEY]: CONTEXT_VALUE } },
      }),
    );
    return key;
  }

  allowEncrypt(role: IRole, ...purposes: Purposes): void {
    role.addToPrincipalPolicy(this.statementFor({ sid: "EncryptSecrets", actions: ["kms:Encrypt"], purposes }));
  }

  allowDecrypt(role: IRole, ...purposes: Purposes): void {
    role.addToPrincipalPolicy(this.statementFor({ sid: "DecryptSecrets", actions: ["kms:Decrypt"], purposes }));
  }

  /** Grants a role to read the state of the key. */
  allowDescribe(role: IRole): void {
    role.addToPrincipalPolicy(
      new PolicyStatement({ sid: "DescribeKey", actions: ["kms:DescribeKey"], resources: [this.key.keyArn] }),
    );
  }

  /** A statement that grants actions with the encryption context of the purposes. */
  statementFor({ sid, actions, purposes }: Grant): PolicyStatement {
    return new PolicyStatement({
      ...(sid === undefined ? {} : { sid }),
      actions: [...actions],
      resources: [this.key.keyArn],
      // Both entries must match, and the purpose any one of the list. A request without one of them does not match.
      conditions: { StringEquals: { [CONTEXT_KEY]: CONTEXT_VALUE, [PURPOSE_KEY]: purposes } },
    });
  }
}

function importedKey(scope: Construct, existing: string): Pick<IKey, "keyId" | "keyArn"> {
  const keyId = toKeyId(existing);
  const arn = Stack.of(scope).formatArn({ service: "kms", resource: "key", resourceName: keyId });
  return { keyId, keyArn: existing === keyId ? arn : existing };
}

type Purposes = readonly [SecretPurpose, ...SecretPurpose[]];

interface Grant {
  readonly sid?: string;
  readonly actions: readonly string[];
  readonly purposes: Purposes;
}
