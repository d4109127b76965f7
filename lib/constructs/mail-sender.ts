import { Stack } from "aws-cdk-lib";
import { type IRole, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";

/** Lets a role send mails from one address: as the identity of the address, or of its domain, whichever SES has verified. */
export function allowSendingMail(scope: Construct, role: IRole, from: string): void {
  const domain = from.slice(from.indexOf("@") + 1);
  const identity = (resourceName: string) =>
    Stack.of(scope).formatArn({ service: "ses", resource: "identity", resourceName });
  role.addToPrincipalPolicy(
    new PolicyStatement({ sid: "Mail", actions: ["ses:SendEmail"], resources: [identity(from), identity(domain)] }),
  );
}
