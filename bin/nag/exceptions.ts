// The findings of cdk-nag that stay, each with the reason. `npm run check` fails for any other, and for an exception that no
// template needs any more.

export interface Exception {
  readonly rule: string;
  /** Of a rule of IAM: the grant with a wildcard. */
  readonly grant?: string;
  /** The paths of the constructs. */
  readonly resources: readonly string[];
  readonly reason: string;
}

const rolesOf = (...functions: readonly string[]) => functions.map((name) => `ParleyService/${name}Role/DefaultPolicy`);

const OPERATOR = "ParleyService/OperatorPolicy/Policy";

/** Objects have random names, so that a role can be limited to a prefix of a bucket only. */
const RANDOM_NAMES =
  "the names of objects are random; the grant is for one prefix, and for the actions that the function uses";

export const exceptions: readonly Exception[] = [
  {
    rule: "AwsSolutions-S1",
    resources: ["RawBucket", "UploadBucket", "JournalBucket"].map((name) => `ParleyData/${name}/Bucket`),
    reason:
      "only the functions and the operator's commands use the buckets, and a log of access is another bucket that needs rules, costs, and holds names of files; data events of CloudTrail give the same where an operator wants them",
  },
  {
    rule: "AwsSolutions-SMG4",
    resources: ["ParleyData/Secrets/RootSecret"],
    reason:
      "a rotation of the root secret ends sessions and keys that the old one made once it is over, so an operator starts it: npm run admin -- rotate root",
  },
  {
    rule: "AwsSolutions-SMG4",
    resources: ["ParleyData/Secrets/PlatformSecrets"],
    reason: "the platforms make the app secrets, and have no API that changes one",
  },
  {
    rule: "AwsSolutions-SMG4",
    resources: ["ParleyService/CloudFront/OriginSecret1", "ParleyService/CloudFront/OriginSecret2"],
    reason:
      "the template has the secret in a header of the distribution, so a deployment with another originSecretNumber rotates it",
  },
  {
    rule: "AwsSolutions-IAM5",
    grant: "UploadBucket/u/*",
    resources: [...rolesOf("Api", "Erase", "Account", "Sweep"), OPERATOR],
    reason: RANDOM_NAMES,
  },
  {
    rule: "AwsSolutions-IAM5",
    grant: "UploadBucket/h/*",
    resources: [...rolesOf("Api", "Erase", "HandOver", "Account", "Sweep"), OPERATOR],
    reason: RANDOM_NAMES,
  },
  {
    rule: "AwsSolutions-IAM5",
    grant: "JournalBucket/acts/*",
    resources: [...rolesOf("Api", "Console", "Connect", "Account"), OPERATOR],
    reason: RANDOM_NAMES,
  },
  {
    rule: "AwsSolutions-IAM5",
    grant: "RawBucket/inbound/*",
    resources: rolesOf("Intake", "Ingest", "Account", "Sweep"),
    reason: RANDOM_NAMES,
  },
  { rule: "AwsSolutions-IAM5", grant: "RawBucket/raw/*", resources: rolesOf("Ingest", "Sweep"), reason: RANDOM_NAMES },
  ...["POST", "DELETE"].map((method) => ({
    rule: "AwsSolutions-IAM5",
    grant: `execute-api:RealtimeApiGateway/live/${method}/@connections/*`,
    resources: rolesOf("Socket", "Push"),
    reason:
      "the gateway gives each connection a random id; the grant is for the connections of this API and one method",
  })),
  {
    rule: "AwsSolutions-IAM5",
    grant: "ses:identity/*",
    resources: rolesOf("Mail"),
    reason:
      "SES also checks the identity of a parent domain, and in the sandbox that of the recipient; a condition limits the grant to the sender address",
  },
  {
    rule: "AwsSolutions-IAM5",
    grant: "ses:identity/*",
    resources: [OPERATOR],
    reason:
      "doctor reads the identity of the sender address, of its domain and of the parents of that, of which one is verified",
  },
  ...["ParleyData", "ParleyService"].map((stack) => ({
    rule: "AwsSolutions-IAM5",
    grant: `cloudformation:stack/${stack}/*`,
    resources: [OPERATOR],
    reason: "the ARN of a stack ends with a random id; the grant is for the stacks of this deployment",
  })),
  {
    rule: "AwsSolutions-IAM5",
    grant: "*",
    resources: [OPERATOR],
    reason:
      "lambda:GetAccountSettings, ses:GetAccount and sts:GetCallerIdentity are about the account and have no resource; cloudformation:DescribeStackResources, only with existing resources, finds the stack that has one, whose name is not known",
  },
  {
    rule: "AwsSolutions-APIG4",
    resources: [
      "DefaultRoute",
      "ANY--verify",
      "ANY--verify--{proxy+}",
      "ANY--console--{proxy+}",
      "ANY--console--auth--{proxy+}",
      "ANY--oauth--{proxy+}",
      "ANY--platform--{proxy+}",
      "ANY--app",
      "ANY--app--{proxy+}",
      "ANY--openapi.json",
      "ANY--docs",
      "ANY--docs.md",
      "ANY--docs--{proxy+}",
      "ANY--llms.txt",
      "ANY--llms-full.txt",
      "ANY--webhooks--{platform}",
    ].map((route) => `ParleyService/HttpApi/Gateway/${route}`),
    reason:
      "the function checks the API key, session, signature or link of a request by rows of the table; an authorizer would read them twice, and the documents and the console's files are public",
  },
  {
    rule: "AwsSolutions-APIG4",
    resources: ["$connect-Route", "$disconnect-Route", "$default-Route"].map(
      (route) => `ParleyService/RealtimeApi/Gateway/${route}`,
    ),
    reason:
      "the function checks the ticket of the handshake, which works once; the other routes have an authorized connection only",
  },
  {
    rule: "AwsSolutions-APIG1",
    resources: ["ParleyService/RealtimeApi/Stage"],
    reason: "the query of a handshake is a credential; the function logs each connection without it",
  },
  {
    rule: "AwsSolutions-CFR1",
    resources: ["ParleyService/CloudFront/Distribution"],
    reason: "the tenants and the people who write to them are in any country",
  },
  {
    rule: "AwsSolutions-CFR2",
    resources: ["ParleyService/CloudFront/Distribution"],
    reason:
      "a web ACL costs $5 a month and its rules refuse texts of messages; the gateway has throttles, and an operator can attach one",
  },
  {
    rule: "AwsSolutions-CFR3",
    resources: ["ParleyService/CloudFront/Distribution"],
    reason: "its log has paths and queries, of which some are credentials; the gateway logs the route of each request",
  },
  {
    rule: "AwsSolutions-CFR4",
    resources: ["ParleyService/CloudFront/Distribution"],
    reason: "CloudFront's own host has a fixed policy; with parley:domain the distribution requires TLS 1.2",
  },
];
