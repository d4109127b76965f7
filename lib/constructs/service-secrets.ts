import { RemovalPolicy } from "aws-cdk-lib";
import { type IRole, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { type ISecret as AnySecret, Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";

/** A secret of the stack or an imported one. */
type StoredSecret = Pick<AnySecret, "secretArn">;

/** The whole ARNs of secrets to import. Null: a new one. */
export interface ExistingSecrets {
  readonly root: string | null;
  readonly platforms: string | null;
}

/**
 * The root secret, from which the service derives its keys, and the platform secrets, which the operator fills in: JSON
 * with `meta` and `instagram` (the app secrets, each a text or a list of the new and the old one) and `verify_token`.
 *
 * `generateSecretString` never changes: CloudFormation would generate a new value, which overwrites the stored one. A new
 * secret is a new resource.
 */
export class ServiceSecrets extends Construct {
  readonly root: StoredSecret;
  readonly platforms: StoredSecret;

  constructor(scope: Construct, id: string, existing: ExistingSecrets) {
    super(scope, id);
    this.root = existing.root === null ? this.#newRoot() : imported(this, "RootSecret", existing.root);
    this.platforms =
      existing.platforms === null ? this.#newPlatforms() : imported(this, "PlatformSecrets", existing.platforms);
  }

  #newRoot(): Secret {
    return new Secret(this, "RootSecret", {
      description:
        "Parley: root secret from which the service derives its keys. Change it with npm run admin -- rotate root only.",
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  #newPlatforms(): Secret {
    return new Secret(this, "PlatformSecrets", {
      description:
        "Parley: JSON with meta and instagram (app secrets, each a text or a list of the new and the old one) and verify_token",
      // An empty app secret accepts no signature. The verify token is random from the start.
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ meta: "", instagram: "" }),
        generateStringKey: "verify_token",
        passwordLength: 40,
        excludePunctuation: true,
      },
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }
}

function imported(scope: Construct, id: string, arn: string): StoredSecret {
  return Secret.fromSecretCompleteArn(scope, id, arn);
}

/** Grants a role read access to one secret. */
export function allowReading(secret: StoredSecret, role: IRole): void {
  role.addToPrincipalPolicy(
    new PolicyStatement({ actions: ["secretsmanager:GetSecretValue"], resources: [secret.secretArn] }),
  );
}
