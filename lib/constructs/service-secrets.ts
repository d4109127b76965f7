import { RemovalPolicy } from "aws-cdk-lib";
import { type IRole, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";

/**
 * The root secret, from which the service derives its keys, and the platforms' secrets, which the operator fills in:
 * JSON with `meta` and `instagram` (the apps' secrets) and `verify_token`.
 */
export class ServiceSecrets extends Construct {
  readonly root: Secret;
  readonly platforms: Secret;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.root = new Secret(this, "RootSecret", {
      description: "Parley: the secret that every key of the service is derived from. Never change it.",
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.platforms = new Secret(this, "PlatformSecrets", {
      description: "Parley: JSON with meta and instagram (app secrets) and verify_token",
      // The app secrets begin empty, and no signature passes without one; the verify token begins unguessable.
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

/** Lets a role read one secret. */
export function allowReading(secret: Secret, role: IRole): void {
  role.addToPrincipalPolicy(
    new PolicyStatement({ actions: ["secretsmanager:GetSecretValue"], resources: [secret.secretArn] }),
  );
}
