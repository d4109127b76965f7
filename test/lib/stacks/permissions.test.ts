import { describe, expect, test } from "vitest";
import { type FunctionName, functions, table as names } from "#base/config/names.ts";
import {
  allowedActions,
  policyStatements,
  resourcesOfType,
  type Statement,
  synthesizeTemplates,
} from "../synth-templates.ts";

const { data, service } = synthesizeTemplates();

const statementsFor = (name: FunctionName, action: string): Statement[] =>
  policyStatements(service, name).filter(({ Action }) => [Action].flat().includes(action));
const allowedResources = (name: FunctionName, action: string) =>
  statementsFor(name, action).flatMap(({ Resource }) => Resource);
const functionsAllowed = (action: string) => functions.filter((name) => allowedActions(service, name).includes(action));

test("every function has the actions it needs and no others", () => {
  const queueReader = [
    "ChangeMessageVisibility",
    "DeleteMessage",
    "GetQueueAttributes",
    "GetQueueUrl",
    "ReceiveMessage",
  ];
  const logs = ["logs:CreateLogStream", "logs:PutLogEvents"];
  const table = (...names: string[]) => names.map((name) => `dynamodb:${name}`);
  const reader = queueReader.map((name) => `sqs:${name}`);
  const send = "sqs:SendMessage";
  const everyRead = ["BatchGetItem", "GetItem", "Query"];
  const everyWrite = ["PutItem", "UpdateItem"];
  const everyDelete = ["DeleteItem", "BatchWriteItem"];
  const bucket = ["s3:DeleteObject", "s3:GetObject", "s3:ListBucket", "s3:PutObject"];
  const expected: Record<FunctionName, string[]> = {
    Api: [
      ...table(...everyRead, ...everyWrite, ...everyDelete, "ConditionCheckItem"),
      ...logs,
      send,
      "kms:Decrypt",
      "kms:Encrypt",
      ...bucket,
      "secretsmanager:GetSecretValue",
    ],
    Verify: [
      ...table("GetItem", ...everyWrite, "DeleteItem", "ConditionCheckItem"),
      ...logs,
      send,
      "kms:Decrypt",
      "kms:Encrypt",
      "secretsmanager:GetSecretValue",
    ],
    Console: [
      ...table(...everyRead, ...everyWrite, "DeleteItem", "ConditionCheckItem"),
      ...logs,
      send,
      "s3:PutObject",
      "secretsmanager:GetSecretValue",
    ],
    Connect: [
      ...table(...everyRead, ...everyWrite, "DeleteItem", "ConditionCheckItem"),
      ...logs,
      send,
      "kms:Decrypt",
      "kms:Encrypt",
      "s3:PutObject",
      "secretsmanager:GetSecretValue",
    ],
    Web: logs,
    Intake: [...logs, send, "s3:PutObject", "secretsmanager:GetSecretValue"],
    Ingest: [...table(...everyRead, "DeleteItem", ...everyWrite), ...logs, ...reader, send, ...bucket],
    Deliver: [...table(...everyRead, ...everyWrite), ...logs, ...reader, send, "kms:Decrypt"],
    Profile: [
      ...table("GetItem", "Query", "PutItem", "UpdateItem", "ConditionCheckItem"),
      ...logs,
      ...reader,
      send,
      "kms:Decrypt",
      "secretsmanager:GetSecretValue",
    ],
    Erase: [...table(...everyRead, ...everyWrite, ...everyDelete), ...logs, ...reader, send, "s3:DeleteObject"],
    Mail: [...table("GetItem", "Query", "UpdateItem"), ...logs, ...reader, send, "secretsmanager:GetSecretValue"],
    HandOver: [
      ...table("GetItem", ...everyWrite),
      ...logs,
      ...reader,
      send,
      "kms:Decrypt",
      "s3:DeleteObject",
      "s3:GetObject",
      "secretsmanager:GetSecretValue",
    ],
    Account: [
      ...table(...everyRead, ...everyWrite, ...everyDelete, "ConditionCheckItem"),
      ...logs,
      ...reader,
      send,
      "kms:Decrypt",
      "kms:Encrypt",
      "s3:DeleteObject",
      "s3:PutObject",
      "secretsmanager:GetSecretValue",
    ],
    Socket: [
      ...table("GetItem", "Query", ...everyWrite, "DeleteItem", "ConditionCheckItem"),
      ...logs,
      send,
      "execute-api:ManageConnections",
    ],
    Push: [
      ...table(...everyRead, "UpdateItem", "DeleteItem", "ConditionCheckItem"),
      ...logs,
      ...reader,
      send,
      "execute-api:ManageConnections",
    ],
    Sweep: [
      ...table(...everyRead, "Scan", "DeleteItem", ...everyWrite, "ConditionCheckItem"),
      ...logs,
      "s3:DeleteObject",
      "s3:ListBucket",
      "kms:DescribeKey",
      "sqs:GetQueueAttributes",
      "sqs:ReceiveMessage",
      "sqs:DeleteMessage",
      send,
    ],
  };
  for (const name of functions) expect([name, allowedActions(service, name)]).toEqual([name, expected[name].sort()]);
});

test.each(functions)("%s has no permission on every resource and no wildcard action", (name) => {
  const statements = policyStatements(service, name);
  expect(statements.length).toBeGreaterThan(0);
  for (const { Effect, Action, Resource } of statements) {
    expect(Effect).toBe("Allow");
    expect([Action].flat().filter((action) => action.includes("*"))).toEqual([]);
    expect([Resource].flat()).not.toContain("*");
  }
});

test("Intake, a public function, has no access to the table or the key", () => {
  expect(allowedActions(service, "Intake", "dynamodb:")).toEqual([]);
  expect(allowedActions(service, "Intake", "kms:")).toEqual([]);
});

test("Verify, a public function, cannot list or send deliveries, and encrypts only the keys of its challenges", () => {
  for (const action of ["Query", "BatchGetItem", "BatchWriteItem"]) {
    expect(allowedActions(service, "Verify")).not.toContain(`dynamodb:${action}`);
  }
  expect(allowedActions(service, "Verify", "kms:")).toEqual(["kms:Decrypt", "kms:Encrypt"]);
  const encrypting = statementsFor("Verify", "kms:Encrypt").map(({ Condition }) => Condition);
  expect(encrypting).toMatchObject([{ StringEquals: { "kms:EncryptionContext:purpose": ["check-challenge"] } }]);
  expect(allowedActions(service, "Verify", "s3:")).toEqual([]);
});

test("no function scans the table, Sweep scans the index of undelivered events, and few delete from the table", () => {
  expect(functionsAllowed("dynamodb:DeleteTable")).toEqual([]);
  expect(functionsAllowed("dynamodb:Scan")).toEqual(["Sweep"]);
  const scanned = allowedResources("Sweep", "dynamodb:Scan").map((resource) => JSON.stringify(resource));
  expect(scanned).toEqual([expect.stringContaining(`/index/${names.failingIndex.name}"`)]);
  expect(functionsAllowed("dynamodb:DeleteItem")).toEqual([
    "Api",
    "Verify",
    "Console",
    "Connect",
    "Ingest",
    "Erase",
    "Account",
    "Socket",
    "Push",
    "Sweep",
  ]);
  expect(functionsAllowed("dynamodb:BatchWriteItem")).toEqual(["Api", "Erase", "Account"]);
});

test("only Api (lists), Ingest (messages by id), Deliver and Sweep (due and waiting items) and Account (the inbox) may query an index", () => {
  const queried = (name: FunctionName) =>
    Object.values(names)
      .flatMap((each) => (typeof each === "object" ? each.name : []))
      .filter((index) => JSON.stringify(allowedResources(name, "dynamodb:Query")).includes(`/index/${index}"`));
  expect(Object.fromEntries(functions.map((name) => [name, queried(name)]))).toEqual({
    Api: [names.feedIndex.name, names.idIndex.name, names.failingIndex.name],
    Verify: [],
    Console: [],
    Connect: [],
    Web: [],
    Intake: [],
    Ingest: [names.idIndex.name],
    Deliver: [names.failingIndex.name],
    Profile: [],
    Erase: [],
    Mail: [],
    HandOver: [],
    Account: [names.feedIndex.name],
    Socket: [],
    Push: [],
    Sweep: [names.feedIndex.name],
  });
});

describe("the token key", () => {
  /** The purposes for which each function has the action, in the one statement of it. */
  const purposes = (action: string) =>
    Object.fromEntries(
      functionsAllowed(action).map((name) => {
        // IAM lets any of a list match, and no value that is missing.
        const expected = { StringEquals: expect.objectContaining({ "kms:EncryptionContext:app": "parley" }) };
        const statements = statementsFor(name, action);
        expect(statements).toEqual([expect.objectContaining({ Action: action, Condition: expected })]);
        const conditions = statements.map(({ Condition }) => (Condition as typeof expected).StringEquals);
        return [name, conditions.flatMap((condition) => condition["kms:EncryptionContext:purpose"])];
      }),
    );

  test("Api encrypts signing secrets, Connect and Account the tokens of accounts, Connect those of logins, Verify the keys of challenges, and no other function any", () => {
    expect(purposes("kms:Encrypt")).toEqual({
      Api: ["webhook-secret"],
      Verify: ["check-challenge"],
      Connect: ["account-token", "login-choice"],
      Account: ["account-token"],
    });
  });

  test("Deliver, which calls strangers, opens signing secrets and no account's token, Connect those of logins too, Verify the keys of challenges, and all others those of accounts", () => {
    expect(purposes("kms:Decrypt")).toEqual({
      Api: ["account-token"],
      Verify: ["account-token", "check-challenge"],
      Connect: ["account-token", "login-choice"],
      Deliver: ["webhook-secret"],
      Profile: ["account-token"],
      HandOver: ["account-token"],
      Account: ["account-token"],
    });
  });
});

describe("the secrets", () => {
  const read = (name: FunctionName) => JSON.stringify(allowedResources(name, "secretsmanager:GetSecretValue"));

  test("Api, Connect and Account read both secrets, Verify, Intake, Profile and HandOver the platform secrets, Console and Mail the root secret, and no other function reads any", () => {
    const reading = Object.fromEntries(
      functionsAllowed("secretsmanager:GetSecretValue").map((name) => [
        name,
        ["RootSecret", "PlatformSecrets"].filter((secret) => read(name).includes(secret)),
      ]),
    );
    expect(reading).toEqual({
      Api: ["RootSecret", "PlatformSecrets"],
      Verify: ["PlatformSecrets"],
      Console: ["RootSecret"],
      Connect: ["RootSecret", "PlatformSecrets"],
      Intake: ["PlatformSecrets"],
      Profile: ["PlatformSecrets"],
      Mail: ["RootSecret"],
      HandOver: ["PlatformSecrets"],
      Account: ["RootSecret", "PlatformSecrets"],
    });
  });
});

describe("the bucket", () => {
  const paths = (name: FunctionName, action: string) =>
    allowedResources(name, action).map((arn) => {
      const [, parts] = (arn as { "Fn::Join": [string, unknown[]] })["Fn::Join"];
      return parts.at(-1);
    });

  test("Intake writes large bodies under inbound/; Ingest reads and deletes them, and writes large parts there and copies under raw/", () => {
    expect(paths("Intake", "s3:PutObject")).toEqual(["/inbound/*"]);
    expect(paths("Ingest", "s3:GetObject")).toEqual(["/inbound/*"]);
    expect(paths("Ingest", "s3:DeleteObject")).toEqual(["/inbound/*"]);
    expect(paths("Ingest", "s3:PutObject")).toEqual(["/inbound/*", "/raw/*"]);
  });

  test("Sweep deletes under both and in the bucket of uploads, and reads nothing", () => {
    expect(paths("Sweep", "s3:DeleteObject")).toEqual(["/inbound/*", "/raw/*", "/u/*", "/h/*"]);
    expect(paths("Sweep", "s3:GetObject")).toEqual([]);
  });

  test("Api stores, reads and deletes posted files under u/, and stores and deletes copies under h/", () => {
    expect(paths("Api", "s3:PutObject")).toEqual(["/u/*", "/h/*", "/acts/*"]);
    expect(paths("Api", "s3:GetObject")).toEqual(["/u/*"]);
    expect(paths("Api", "s3:DeleteObject")).toEqual(["/u/*", "/h/*"]);
  });

  test("only the functions that make acts of the journal write its entries, and no function reads or deletes one", () => {
    const journal = (name: FunctionName, action: string) =>
      allowedResources(name, action).filter((arn) => JSON.stringify(arn).includes("JournalBucket"));
    const writers = functions.filter((name) => journal(name, "s3:PutObject").length > 0);
    expect(writers).toEqual(["Api", "Console", "Connect", "Account"]);
    for (const name of functions) {
      for (const action of allowedActions(service, name, "s3:")) {
        if (action !== "s3:PutObject") expect([name, action, journal(name, action)]).toEqual([name, action, []]);
      }
    }
    expect(allowedActions(service, "Console", "s3:")).toEqual(["s3:PutObject"]);
    expect(allowedActions(service, "Connect", "s3:")).toEqual(["s3:PutObject"]);
  });

  test("HandOver reads and deletes the checked copies of uploads under h/, and nothing else", () => {
    expect(paths("HandOver", "s3:GetObject")).toEqual(["/h/*"]);
    expect(paths("HandOver", "s3:DeleteObject")).toEqual(["/h/*"]);
  });

  test("Erase deletes uploaded files, and nothing else", () => {
    expect(paths("Erase", "s3:DeleteObject")).toEqual(["/u/*", "/h/*"]);
    expect(allowedActions(service, "Erase", "s3:")).toEqual(["s3:DeleteObject"]);
  });

  test("Account deletes uploaded files, writes large bodies of a backfill under inbound/, and reads nothing", () => {
    expect(paths("Account", "s3:DeleteObject")).toEqual(["/u/*", "/h/*"]);
    expect(paths("Account", "s3:PutObject").sort()).toEqual(["/acts/*", "/inbound/*"]);
    expect(allowedActions(service, "Account", "s3:")).toEqual(["s3:DeleteObject", "s3:PutObject"]);
  });
});

const sesArn = (...resource: readonly unknown[]) => ({
  "Fn::Join": [
    "",
    ["arn:", { Ref: "AWS::Partition" }, ":ses:", { Ref: "AWS::Region" }, ":", { Ref: "AWS::AccountId" }, ...resource],
  ],
});

test("mail is sent by no function if no address is set", () => {
  expect(functionsAllowed("ses:SendEmail")).toEqual([]);
});

test("mail is sent by Mail only, from the configured address or its domain and under the configuration set", () => {
  const { service: mailing } = synthesizeTemplates({ "parley:mailFrom": "parley@example.com" });
  const senders = functions.filter((name) => allowedActions(mailing, name, "ses:").length > 0);
  expect(senders).toEqual(["Mail"]);
  const [[configurationSet = ""] = []] = resourcesOfType(mailing, "AWS::SES::ConfigurationSet");
  for (const name of senders) {
    expect(allowedActions(mailing, name, "ses:")).toEqual(["ses:SendEmail"]);
    const mail = policyStatements(mailing, name).find(({ Sid }) => Sid === "Mail");
    expect(mail?.Resource).toEqual([
      sesArn(":identity/parley@example.com"),
      sesArn(":identity/example.com"),
      sesArn(":configuration-set/", { Ref: configurationSet }),
    ]);
  }
});

test("the identities of recipients in the sandbox and of a parent domain permit mails from the configured address only", () => {
  const { service: mailing } = synthesizeTemplates({ "parley:mailFrom": "parley@mail.example.com" });
  for (const name of ["Mail"] as const) {
    const statements = policyStatements(mailing, name).filter(({ Action }) =>
      [Action].flat().includes("ses:SendEmail"),
    );
    expect(statements).toHaveLength(2);
    const wide = statements.filter(({ Resource }) => JSON.stringify(Resource).includes("*"));
    expect(wide).toEqual([
      {
        Sid: "MailByOtherIdentities",
        Effect: "Allow",
        Action: "ses:SendEmail",
        Resource: sesArn(":identity/*"),
        Condition: { StringEquals: { "ses:FromAddress": "parley@mail.example.com" } },
      },
    ]);
  }
});

test("each function sends to its own queues only", () => {
  const sends = (name: FunctionName) =>
    allowedResources(name, "sqs:SendMessage")
      .map((arn) => (arn as { "Fn::GetAtt": [string, string] })["Fn::GetAtt"][0].replace(/Queue[0-9A-F]{8}$/, ""))
      .sort();
  expect(Object.fromEntries(functions.map((name) => [name, sends(name)]))).toEqual({
    Api: ["Accounts", "Deliveries", "Erasures", "Events", "Realtime", "Uploads"],
    Verify: ["Accounts", "Events", "Realtime"],
    Console: ["Mails", "Realtime"],
    Connect: ["Accounts", "Events"],
    Web: [],
    Intake: ["Inbound"],
    Ingest: ["Events", "Inbound", "Profiles"],
    Deliver: ["Deliveries", "Events", "Mails", "Realtime", "SlowDeliveries"],
    Profile: ["Events", "Profiles", "Realtime"],
    Erase: ["Erasures", "Realtime"],
    Mail: ["Mails"],
    HandOver: ["Accounts", "Events", "Realtime", "Uploads"],
    Account: ["Accounts", "Erasures", "Events", "Inbound", "Mails", "Realtime"],
    Socket: ["Realtime"],
    Push: ["Realtime"],
    Sweep: ["Accounts", "Deliveries", "Erasures", "Events"],
  });
});

test("Socket and Push send to the connections of the stage of this WebSocket API and close them, and no other function does", () => {
  expect(functionsAllowed("execute-api:ManageConnections")).toEqual(["Socket", "Push"]);
  const apis = resourcesOfType(service, "AWS::ApiGatewayV2::Api");
  const [[gateway = ""] = []] = apis.filter(([, { Properties }]) => Properties.ProtocolType === "WEBSOCKET");
  const connections = (method: string) => ({
    "Fn::Join": [
      "",
      [
        ...["arn:", { Ref: "AWS::Partition" }, ":execute-api:", { Ref: "AWS::Region" }, ":", { Ref: "AWS::AccountId" }],
        ...[":", { Ref: gateway }, `/live/${method}/@connections/*`],
      ],
    ],
  });
  for (const name of ["Socket", "Push"] as const) {
    expect(allowedActions(service, name, "execute-api:")).toEqual(["execute-api:ManageConnections"]);
    expect(allowedResources(name, "execute-api:ManageConnections")).toEqual(["POST", "DELETE"].map(connections));
  }
});

test("the template has no roles or policies besides those of the functions", () => {
  expect(resourcesOfType(service, "AWS::IAM::Role")).toHaveLength(functions.length);
  expect(resourcesOfType(service, "AWS::IAM::Policy")).toHaveLength(functions.length);
  expect(resourcesOfType(data, "AWS::IAM::Role")).toEqual([]);
  expect(resourcesOfType(data, "AWS::IAM::Policy")).toEqual([]);
});
