import {
  eventSourceMapping,
  httpApiResources,
  lambdaResource,
  queueResource,
  socketApiResources,
  type TemplateResources,
} from "../support/assemblies/assemblies.ts";

export const handlerSources = {
  api: "export const handler = async () => ({ statusCode: 200, body: '' });",
  // Records every message, reports those whose body starts with "bad" as failed, and throws if one starts with "break".
  worker: `import { appendFileSync } from "node:fs";
    export const handler = async ({ Records }) => {
      for (const { body, attributes } of Records)
        appendFileSync(process.env.OUT, process.env.NAME + " " + body + " " + attributes.ApproximateReceiveCount + "\\n");
      if (Records.some(({ body }) => body.startsWith("slow"))) {
        await new Promise((resolve) => setTimeout(resolve, 300));
        appendFileSync(process.env.OUT, "worker slow-4 done\\n");
      }
      if (Records.some(({ body }) => body.startsWith("break"))) throw new Error("broken");
      const bad = process.env.NAME === "worker" ? Records.filter(({ body }) => body.startsWith("bad")) : [];
      return { batchItemFailures: bad.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    };`,
  // Accepts one ticket, answers each frame by a post to the connection, and records the ends of connections.
  socket: `import { appendFileSync } from "node:fs";
    import { signedFetch } from ${JSON.stringify(new URL("../support/access/signed-fetch.ts", import.meta.url).href)};
    export const handler = async ({ requestContext: { eventType, connectionId, ...context }, body, ...event }) => {
      const { PARLEY_REALTIME_ENDPOINT: endpoint, OUT } = process.env;
      if (eventType === "CONNECT") return { statusCode: event.queryStringParameters?.ticket === "valid" ? 200 : 401 };
      if (eventType === "DISCONNECT") return appendFileSync(OUT, "socket ended " + context.disconnectStatusCode + "\\n");
      const url = endpoint + "/@connections/" + encodeURIComponent(connectionId);
      const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = process.env;
      await signedFetch(url, { service: "execute-api", accessKey: { id, secret }, body: "answer to " + body });
    };`,
  tick: `import { appendFileSync } from "node:fs";
    export const handler = async ({ source }) => appendFileSync(process.env.OUT, "tick " + source + "\\n");`,
};

const reportsFailures = { FunctionResponseTypes: ["ReportBatchItemFailures"], BatchSize: 10 };

export const tableResource = {
  Type: "AWS::DynamoDB::Table",
  Properties: {
    AttributeDefinitions: ["PK", "SK", "F"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
    KeySchema: [
      { AttributeName: "PK", KeyType: "HASH" },
      { AttributeName: "SK", KeyType: "RANGE" },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: "Feed",
        KeySchema: [{ AttributeName: "F", KeyType: "HASH" }],
        Projection: { ProjectionType: "KEYS_ONLY" },
      },
    ],
    TimeToLiveSpecification: { AttributeName: "x", Enabled: true },
  },
};

/** One of every resource that the local stack creates. The handlers append what they get to the file `out`. */
export function serviceResources(outputFile: string): TemplateResources {
  const variables = (extra: Record<string, unknown>) => ({ Environment: { Variables: { OUT: outputFile, ...extra } } });
  return {
    Table: tableResource,
    Key: { Type: "AWS::KMS::Key", Properties: { KeyPolicy: { Ref: "Role" } } },
    Role: { Type: "AWS::IAM::Role" },
    Root: {
      Type: "AWS::SecretsManager::Secret",
      Properties: { GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true } },
    },
    Platforms: {
      Type: "AWS::SecretsManager::Secret",
      Properties: {
        GenerateSecretString: { SecretStringTemplate: "{}", GenerateStringKey: "verify_token", PasswordLength: 40 },
      },
    },
    Raw: { Type: "AWS::S3::Bucket" },
    // Declared before its target queue, so that the stack must sort the two.
    Work: queueResource({
      VisibilityTimeout: 60,
      RedrivePolicy: { deadLetterTargetArn: { "Fn::GetAtt": ["Dead", "Arn"] }, maxReceiveCount: 2 },
    }),
    Dead: queueResource(),
    Api: lambdaResource(
      "api",
      variables({
        PARLEY_TABLE: { Ref: "Table" },
        KEY: { Ref: "Key" },
        ROOT: { Ref: "Root" },
        WORK: { Ref: "Work" },
        PARLEY_PLATFORM_SECRET_ID: { Ref: "Platforms" },
        BUCKET: { "Fn::GetAtt": ["Raw", "Arn"] },
        PARLEY_REALTIME_URL: { "Fn::Join": ["", [{ "Fn::GetAtt": ["Sockets", "ApiEndpoint"] }, "/live"]] },
        BASE: { "Fn::GetAtt": ["Gateway", "ApiEndpoint"] },
      }),
    ),
    Worker: lambdaResource("worker", variables({ NAME: "worker" })),
    DeadLetters: lambdaResource("worker", variables({ NAME: "dead" })),
    Tick: lambdaResource("tick", variables({})),
    Socket: lambdaResource("socket", variables({ PARLEY_REALTIME_ENDPOINT: "https://replaced.invalid/live" })),
    WorkSource: eventSourceMapping("Worker", "Work", reportsFailures),
    DeadSource: eventSourceMapping("DeadLetters", "Dead", reportsFailures),
    EachDay: {
      Type: "AWS::Events::Rule",
      Properties: {
        ScheduleExpression: "rate(12 hours)",
        State: "ENABLED",
        Targets: [{ Id: "Target0", Arn: { "Fn::GetAtt": ["Tick", "Arn"] } }],
      },
    },
    ...httpApiResources({ $default: "Api" }),
    ...socketApiResources({ $connect: "Socket", $disconnect: "Socket", $default: "Socket" }),
  };
}
