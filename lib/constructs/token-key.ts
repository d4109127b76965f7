import { RemovalPolicy } from "aws-cdk-lib";
import { AnyPrincipal, Effect, type IRole, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";
import type { SecretPurpose } from "#base/config/names.ts";

/** Every ciphertext of Parley has this entry in its encryption context. */
const CONTEXT_KEY = "kms:EncryptionContext:app";
const CONTEXT_VALUE = "parley";
const PURPOSE_KEY = "kms:EncryptionContext:purpose";

/**
 * The KMS key for channel tokens and webhook signing secrets. Encrypting and decrypting are granted separately, each for
 * the named purposes only. The key's policy denies any context but Parley's to every principal of the account.
 */
export class TokenKey extends Construct {
  readonly key: Key;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.key = new Key(this, "Key", {
      description: "Parley: channel tokens and webhook signing secrets",
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.key.addToResourcePolicy(
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
  }

  allowEncrypt(role: IRole, ...purposes: Purposes): void {
    this.#allow(role, { sid: "EncryptSecrets", action: "kms:Encrypt", purposes });
  }

  allowDecrypt(role: IRole, ...purposes: Purposes): void {
    this.#allow(role, { sid: "DecryptSecrets", action: "kms:Decrypt", purposes });
  }

  /** Grants a role to read the state of the key. */
  allowDescribe(role: IRole): void {
    role.addToPrincipalPolicy(
      new PolicyStatement({ sid: "DescribeKey", actions: ["kms:DescribeKey"], resources: [this.key.keyArn] }),
    );
  }

  #allow(role: IRole, { sid, action, purposes }: Grant): void {
    role.addToPrincipalPolicy(
      new PolicyStatement({
        sid,
        actions: [action],
        resources: [this.key.keyArn],
        // Both entries must match, and the purpose any one of the list. A request without one of them does not match.
        conditions: { StringEquals: { [CONTEXT_KEY]: CONTEXT_VALUE, [PURPOSE_KEY]: purposes } },
      }),
    );
  }
}

type Purposes = readonly [SecretPurpose, ...SecretPurpose[]];

interface Grant {
  readonly sid: string;
  readonly action: string;
  readonly purposes: Purposes;
}
