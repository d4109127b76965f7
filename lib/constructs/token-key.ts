import { RemovalPolicy } from "aws-cdk-lib";
import { AnyPrincipal, Effect, type IRole, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";

/** Every ciphertext of Parley has this entry in its encryption context. */
const CONTEXT_KEY = "kms:EncryptionContext:app";
const CONTEXT_VALUE = "parley";

/**
 * The KMS key for channel tokens and webhook signing secrets. Encrypting and decrypting are granted separately and for
 * Parley's encryption context only. The key's policy denies any other context to every principal of the account.
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

  allowEncrypt(role: IRole): void {
    this.#allow(role, "EncryptSecrets", "kms:Encrypt");
  }

  allowDecrypt(role: IRole): void {
    this.#allow(role, "DecryptSecrets", "kms:Decrypt");
  }

  #allow(role: IRole, sid: string, action: string): void {
    role.addToPrincipalPolicy(
      new PolicyStatement({
        sid,
        actions: [action],
        resources: [this.key.keyArn],
        conditions: { StringEquals: { [CONTEXT_KEY]: CONTEXT_VALUE } },
      }),
    );
  }
}
