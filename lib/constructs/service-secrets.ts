import { RemovalPolicy } from "aws-cdk-lib";
import { type IRole, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";

/**
 * The root secret, from which the service derives its keys, and the platform secrets, which the operator fills in: JSON
 * with `meta` and `instagram` (the app secrets, each a text or a list of the new and the old one) and `verify_token`.
 *
 * `generateSecretString` never changes: CloudFormation would generate a new value, which overwrites the stored one. A new
 * secret is a new resource.
 */
export class ServiceSecrets extends Construct {
  readonly root: Secret;
  readonly platforms: Secret;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.root = new Secret(this, "RootSecret", {
      description:
        "Parley: root secret from which the service derives its keys. Change it with npm run admin -- rotate root only.",
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.platforms = new Secret(this, "PlatformSecrets", {
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

/** Grants a role read access to one secret. */
export function allowReading(secret: Secret, role: IRole): void {
  role.addToPrincipalPolicy(
    new PolicyStatement({ actions: ["secretsmanager:GetSecretValue"], resources: [secret.secretArn] }),
  );
}
