import { Stack } from "aws-cdk-lib";
import { type IRole, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { ConfigurationSet, ConfigurationSetTlsPolicy, SuppressionReasons } from "aws-cdk-lib/aws-ses";
import { Construct } from "constructs";
import { env } from "#base/config/names.ts";

/**
 * The SES configuration set of every mail. SES adds an address to the account's suppression list after a permanent bounce
 * or a complaint, and sends it nothing more. Opens and clicks are not tracked.
 */
export class MailSending extends Construct {
  /** The environment of a function that sends mails. */
  readonly variables: Readonly<Record<string, string>>;
  readonly #from: string;
  readonly #resources: readonly string[];
  readonly #anyIdentity: string;

  constructor(scope: Construct, id: string, from: string) {
    super(scope, id);
    const { configurationSetName } = new ConfigurationSet(this, "ConfigurationSet", {
      suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
      // A sign-in link is a credential.
      tlsPolicy: ConfigurationSetTlsPolicy.REQUIRE,
      // Overrides the account's setting, under which SES replaces links by its own to count clicks.
      vdmOptions: { engagementMetrics: false },
    });
    this.#from = from;
    this.variables = { [env.mailFrom]: from, [env.mailConfigurationSet]: configurationSetName };
    const arn = (resource: string, resourceName: string) =>
      Stack.of(this).formatArn({ service: "ses", resource, resourceName });
    const domain = from.slice(from.indexOf("@") + 1);
    // SES may have verified the address or its domain.
    const identities = [from, domain].map((identity) => arn("identity", identity));
    this.#resources = [...identities, arn("configuration-set", configurationSetName)];
    this.#anyIdentity = arn("identity", "*");
  }

  /** Grants a role to send by the identities of the address and its domain, and from this address by any other one. */
  allowSending(role: IRole): void {
    const actions = ["ses:SendEmail"];
    role.addToPrincipalPolicy(new PolicyStatement({ sid: "Mail", actions, resources: [...this.#resources] }));
    // SES also checks the identity of a verified recipient, as every recipient is in its sandbox, and that of a parent
    // domain if it verified no other of the sender.
    role.addToPrincipalPolicy(
      new PolicyStatement({
        sid: "MailByOtherIdentities",
        actions,
        resources: [this.#anyIdentity],
        conditions: { StringEquals: { "ses:FromAddress": this.#from } },
      }),
    );
  }
}
