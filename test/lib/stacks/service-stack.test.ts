import { describe, expect, test } from "vitest";
import { stacks } from "../../../lib/config/stack-names.ts";
import { Resolver } from "../../../local/template/intrinsics.ts";
import type { Assembly } from "../../../local/template/template.ts";
import { env, type FunctionName, functions, queues as queueNames } from "../../../shared/config/names.ts";
import { BACKGROUND_DELAY } from "../../../shared/domain/erasure/erasures.ts";
import { SECOND } from "../../../shared/kernel/time.ts";
import { resolveReference, resourceProperties, resourcesOfType, synthesizeTemplates } from "../synth-templates.ts";

const { service, text } = synthesizeTemplates();

const functionEnvironment = (name: FunctionName, template = service) =>
  (resourceProperties(template, name).Environment as { Variables: Record<string, unknown> }).Variables;

describe("the functions", () => {
  test("are those of the service, under the ids of shared/config", () => {
    expect(
      resourcesOfType(service, "AWS::Lambda::Function")
        .map(([id]) => id)
        .sort(),
    ).toEqual([...functions].sort());
  });

  test("the Api ends before the background message of an erasure that it started comes", () => {
    const { Timeout } = resourceProperties(service, "Api") as { Timeout: number };
    expect(Timeout * SECOND).toBeLessThan(BACKGROUND_DELAY);
  });

  test.each([
    ["Api", 29, 512],
    ["Verify", 29, 256],
    ["Console", 15, 256],
    ["Connect", 29, 256],
    ["Docs", 10, 512],
    ["Intake", 4, 256],
    ["Ingest", 30, 512],
    ["Deliver", 60, 512],
    ["Profile", 30, 256],
    ["Erase", 60, 512],
    ["Mail", 30, 256],
    ["HandOver", 120, 256],
    ["Account", 60, 256],
    ["Socket", 15, 256],
    ["Push", 30, 1_024],
    ["Sweep", 50, 256],
    ["DeadLetters", 30, 256],
  ] as const)("%s runs on Node 24 and arm64 for at most %i s with %i MB", (name, Timeout, MemorySize) => {
    expect(resourceProperties(service, name)).toMatchObject({
      Runtime: "nodejs24.x",
      Architectures: ["arm64"],
      Handler: "index.handler",
      Timeout,
      MemorySize,
    });
  });

  test.each([
    [
      "Api",
      [
        env.table,
        env.keyId,
        env.uploadBucket,
        env.accountsQueueUrl,
        env.eventsQueueUrl,
        env.deliveriesQueueUrl,
        env.erasuresQueueUrl,
        env.realtimeQueueUrl,
        env.uploadsQueueUrl,
        env.rootSecretId,
        env.baseUrl,
        env.realtimeUrl,
        env.consoleUrl,
        env.ownHosts,
        env.requestsPerTenantPerMinute,
        env.platformSecretId,
        env.graphVersion,
      ],
    ],
    [
      "Verify",
      [
        env.table,
        env.keyId,
        env.accountsQueueUrl,
        env.eventsQueueUrl,
        env.realtimeQueueUrl,
        env.rootSecretId,
        env.platformSecretId,
        env.graphVersion,
      ],
    ],
    [
      "Console",
      [
        ...[env.table, env.mailsQueueUrl, env.realtimeQueueUrl, env.rootSecretId],
        ...[env.baseUrl, env.realtimeUrl, env.consoleUrl, env.signUp, env.requestsPerTenantPerMinute],
        ...[env.tenantsPerOwner, env.tenantsPerDay, env.pendingInvitesPerTenant],
        ...[env.inviteMailsPerTenantPerDay, env.inviteMailsPerPersonPerDay],
      ],
    ],
    [
      "Connect",
      [
        env.table,
        env.keyId,
        env.accountsQueueUrl,
        env.eventsQueueUrl,
        env.rootSecretId,
        env.platformSecretId,
        env.graphVersion,
        env.baseUrl,
        env.consoleUrl,
        env.accountsPerTenant,
        env.requestsPerTenantPerMinute,
      ],
    ],
    ["Docs", [env.baseUrl]],
    ["Intake", [env.inboundQueueUrl, env.rawBucket, env.platformSecretId]],
    ["Ingest", [env.table, env.rawBucket, env.inboundQueueUrl, env.eventsQueueUrl, env.profilesQueueUrl]],
    [
      "Deliver",
      [
        ...[env.table, env.keyId, env.eventsQueueUrl, env.deliveriesQueueUrl, env.slowDeliveriesQueueUrl],
        ...[env.realtimeQueueUrl, env.ownHosts],
      ],
    ],
    ["Profile", [env.table, env.keyId, env.realtimeQueueUrl, env.platformSecretId, env.graphVersion]],
    ["Erase", [env.table, env.uploadBucket, env.erasuresQueueUrl, env.realtimeQueueUrl]],
    ["Mail", [env.table, env.rootSecretId, env.baseUrl, env.signUp]],
    [
      "HandOver",
      [
        env.table,
        env.keyId,
        env.uploadBucket,
        env.accountsQueueUrl,
        env.eventsQueueUrl,
        env.realtimeQueueUrl,
        env.platformSecretId,
        env.graphVersion,
      ],
    ],
    [
      "Account",
      [
        ...[env.table, env.keyId, env.rawBucket, env.uploadBucket, env.rootSecretId, env.platformSecretId],
        ...[env.accountsQueueUrl, env.eventsQueueUrl, env.erasuresQueueUrl, env.inboundQueueUrl, env.graphVersion],
        ...[env.realtimeQueueUrl, env.accountChecks],
      ],
    ],
    ["Socket", [env.table, env.realtimeQueueUrl, env.realtimeEndpoint, env.consoleUrl]],
    ["Push", [env.table, env.realtimeQueueUrl, env.realtimeEndpoint]],
    [
      "Sweep",
      [
        env.table,
        env.rawBucket,
        env.uploadBucket,
        env.accountsQueueUrl,
        env.deliveriesQueueUrl,
        env.erasuresQueueUrl,
        env.eventsQueueUrl,
        env.realtimeQueueUrl,
      ],
    ],
    ["DeadLetters", [env.table, env.deadLetterQueues]],
  ] as const)("%s gets the variables it needs and no others", (name, names) => {
    expect(Object.keys(functionEnvironment(name)).sort()).toEqual([...names].sort());
  });

  test("passes the operator's settings to Api, the platform settings to each function that calls a platform, and none to others", () => {
    const hosts = '{"facebook_graph":"https://graph.example.com"}';
    const set = synthesizeTemplates({
      "parley:siteUrl": "https://example.com",
      "parley:baseUrl": "https://api.example.com/",
      "parley:consoleUrl": "https://console.example.com",
      "parley:platformUrls": hosts,
      "parley:graphVersion": "v27.0",
      "parley:apiReservedConcurrency": "40",
    }).service;
    expect(functionEnvironment("Api", set)).toMatchObject({
      [env.siteUrl]: "https://example.com",
      [env.baseUrl]: "https://api.example.com",
      [env.consoleUrl]: "https://console.example.com",
      [env.platformUrls]: hosts,
      [env.graphVersion]: "v27.0",
    });
    for (const name of ["Verify", "Connect", "Profile", "HandOver", "Account"] as const) {
      expect(functionEnvironment(name, set)).toMatchObject({ [env.platformUrls]: hosts, [env.graphVersion]: "v27.0" });
    }
    expect(functionEnvironment("Profile", set)).not.toHaveProperty(env.siteUrl);
    expect(resourceProperties(set, "Api").ReservedConcurrentExecutions).toBe(40);
    for (const name of functions.filter((each) => each !== "Api")) {
      const more = ["Profile", "Verify", "Connect", "HandOver", "Account"].includes(name) ? [env.platformUrls] : [];
      expect(Object.keys(functionEnvironment(name, set)).sort()).toEqual(
        [...Object.keys(functionEnvironment(name)), ...more].sort(),
      );
    }
  });

  test("passes the ids of the app to Connect", () => {
    const ids = {
      "parley:metaAppId": "11",
      "parley:instagramAppId": "22",
      "parley:facebookLoginConfig": "33",
    };
    expect(functionEnvironment("Connect", synthesizeTemplates(ids).service)).toMatchObject({
      [env.metaAppId]: "11",
      [env.instagramAppId]: "22",
      [env.facebookLoginConfig]: "33",
    });
  });

  test.each([
    ["", "", []],
    ["https://API.example.com:8443/parley/", "", ["api.example.com"]],
    ["https://api.example.com", "wss://ws.example.com/", ["api.example.com", "ws.example.com"]],
  ])(
    "with URLs %j and %j, both functions that call webhooks get the deployment's own hosts",
    (baseUrl, realtimeUrl, first) => {
      const synthesized = synthesizeTemplates({ "parley:baseUrl": baseUrl, "parley:realtimeUrl": realtimeUrl });
      const apis = resourcesOfType(synthesized.service, "AWS::ApiGatewayV2::Api");
      const buckets = resourcesOfType(synthesized.data, "AWS::S3::Bucket").map(([id]) => id);
      const assembly = [
        { name: stacks.data, template: synthesized.data },
        { name: stacks.service, template: synthesized.service },
      ];
      const resolver = new Resolver({ folder: "", stacks: assembly as unknown as Assembly["stacks"] });
      for (const [id, { Properties }] of apis) {
        const ref = Properties.ProtocolType === "HTTP" ? "a1b2c3" : "d4e5f6";
        resolver.register(stacks.service, id, { ref, attributes: {} });
      }
      for (const id of buckets) {
        resolver.register(stacks.data, id, {
          ref: id.startsWith("Raw") ? "raw-bucket" : "upload-bucket",
          attributes: {},
        });
      }
      const queueVariables = (name: FunctionName) =>
        resolver.text(stacks.service, functionEnvironment(name, synthesized.service)[env.ownHosts]).split(",");
      expect(queueVariables("Api")).toEqual([
        ...first,
        "a1b2c3.execute-api.us-east-1.amazonaws.com",
        "d4e5f6.execute-api.us-east-1.amazonaws.com",
        "raw-bucket.s3.amazonaws.com",
        "raw-bucket.s3.us-east-1.amazonaws.com",
        "raw-bucket.s3.dualstack.us-east-1.amazonaws.com",
        "upload-bucket.s3.amazonaws.com",
        "upload-bucket.s3.us-east-1.amazonaws.com",
        "upload-bucket.s3.dualstack.us-east-1.amazonaws.com",
      ]);
      expect(queueVariables("Deliver")).toEqual(queueVariables("Api"));
    },
  );

  test("reserves concurrency for the platforms' webhooks, and for nothing else unless the operator does", () => {
    const reservations = (template: typeof service) =>
      functions.flatMap((name) => {
        const reserved = resourceProperties(template, name).ReservedConcurrentExecutions;
        return reserved === undefined ? [] : [[name, reserved]];
      });
    expect(reservations(service)).toEqual([["Intake", 100]]);
    const set = { "parley:intakeReservedConcurrency": "7", "parley:apiReservedConcurrency": "40" };
    expect(reservations(synthesizeTemplates(set).service)).toEqual([
      ["Api", 40],
      ["Intake", 7],
    ]);
  });

  test("reserves nothing where the account's limit does not permit it", () => {
    const set = synthesizeTemplates({ "parley:intakeReservedConcurrency": "0" }).service;
    expect(resourceProperties(set, "Intake")).not.toHaveProperty("ReservedConcurrentExecutions");
  });

  test("none runs in a VPC, where a webhook could reach private addresses", () => {
    for (const name of functions) expect(resourceProperties(service, name).VpcConfig).toBeUndefined();
  });

  test("each has its own log group with a retention of 14 days", () => {
    const logs = functions.map((name) => {
      const { LogGroup } = resourceProperties(service, name).LoggingConfig as { LogGroup: unknown };
      return resolveReference(LogGroup);
    });
    expect(new Set(logs).size).toBe(functions.length);
    for (const log of logs) expect(resourceProperties(service, log).RetentionInDays).toBe(14);
  });
});

describe("the local override of the egress gate", () => {
  test("is in no template", () => {
    expect(text).toContain(env.table);
    expect(text).not.toMatch(/PARLEY_EGRESS|_local\b|AWS_ENDPOINT_URL|127\.0\.0\.1|localhost|NODE_OPTIONS/i);
  });

  test("is no variable of any function: shared/config declares every variable", () => {
    const knownNames = new Set<string>(Object.values(env));
    const setNames = functions.flatMap((name) => Object.keys(functionEnvironment(name)));
    expect(setNames.filter((name) => !knownNames.has(name))).toEqual([]);
    expect([...knownNames].filter((name) => /egress|open|unsafe|private|loopback/i.test(name))).toEqual([]);
  });
});

describe("mail", () => {
  test("has no configuration set if no address is set", () => {
    expect(resourcesOfType(service, "AWS::SES::ConfigurationSet")).toEqual([]);
    expect(functionEnvironment("Deliver")).not.toHaveProperty(env.mailConfigurationSet);
  });

  test("goes out encrypted and untracked, and no more to an address that bounced or complained", () => {
    const mailing = synthesizeTemplates({ "parley:mailFrom": "parley@example.com" }).service;
    const sets = resourcesOfType(mailing, "AWS::SES::ConfigurationSet");
    expect(sets.map(([, { Properties }]) => Properties)).toEqual([
      {
        SuppressionOptions: { SuppressedReasons: ["BOUNCE", "COMPLAINT"] },
        DeliveryOptions: { TlsPolicy: "REQUIRE" },
        VdmOptions: { DashboardOptions: { EngagementMetrics: "DISABLED" } },
      },
    ]);
    // Without an event destination, SES tracks neither opens nor clicks.
    expect(resourcesOfType(mailing, "AWS::SES::ConfigurationSetEventDestination")).toEqual([]);
    for (const name of ["Deliver", "Mail", "Account"] as const) {
      expect(functionEnvironment(name, mailing)).toMatchObject({
        [env.mailFrom]: "parley@example.com",
        [env.mailConfigurationSet]: { Ref: sets[0]?.[0] },
      });
    }
  });
});

describe("the queues", () => {
  const queues = resourcesOfType(service, "AWS::SQS::Queue");
  const redrivePolicy = (id: string) =>
    resourceProperties(service, id).RedrivePolicy as
      | { deadLetterTargetArn: unknown; maxReceiveCount: number }
      | undefined;
  const working = queues.map(([id]) => id).filter((id) => redrivePolicy(id) !== undefined);
  const dead = queues.map(([id]) => id).filter((id) => redrivePolicy(id) === undefined);
  const findResource = (name: string) => {
    const id = working.find((id) => id.startsWith(name));
    if (!id) throw new Error(`The template has no queue ${name}.`);
    return id;
  };

  test("are ten, each with its own dead letter queue after ten receives", () => {
    expect(working).toHaveLength(10);
    expect(working.map((id) => resolveReference(redrivePolicy(id)?.deadLetterTargetArn)).sort()).toEqual(
      [...dead].sort(),
    );
    for (const id of working) expect(redrivePolicy(id)?.maxReceiveCount).toBe(10);
  });

  test("are encrypted", () => {
    for (const [, { Properties }] of queues) expect(Properties.SqsManagedSseEnabled).toBe(true);
  });

  test("keep inbound messages four days and dead seven, profile requests, mails, uploads and frames one, everything else 14", () => {
    const days = (id: string) => Number(resourceProperties(service, id).MessageRetentionPeriod) / 86_400;
    expect(days(findResource("Inbound"))).toBe(4);
    expect(days(findResource("Profiles"))).toBe(1);
    expect(days(findResource("Mails"))).toBe(1);
    expect(days(findResource("Uploads"))).toBe(1);
    expect(days(findResource("Realtime"))).toBe(1);
    const fortnight = ["Events", "Deliveries", "SlowDeliveries", "Erasures", "Accounts"];
    const deadInbound = resolveReference(redrivePolicy(findResource("Inbound"))?.deadLetterTargetArn);
    expect(days(deadInbound)).toBe(7);
    const otherDead = dead.filter((id) => id !== deadInbound);
    for (const id of [...fortnight.map(findResource), ...otherDead]) expect(days(id)).toBe(14);
  });

  test("each has a reader, and a visibility timeout of six reader timeouts", () => {
    const sources = resourcesOfType(service, "AWS::Lambda::EventSourceMapping").map(([, { Properties }]) => Properties);
    expect(sources.map(({ EventSourceArn }) => resolveReference(EventSourceArn)).sort()).toEqual(
      queues.map(([id]) => id).sort(),
    );
    for (const { EventSourceArn, FunctionName } of sources) {
      const queue = resourceProperties(service, resolveReference(EventSourceArn));
      const worker = resourceProperties(service, resolveReference(FunctionName));
      expect(Number(queue.VisibilityTimeout)).toBe(6 * Number(worker.Timeout));
    }
  });

  const readers = (template = service) =>
    Object.fromEntries(
      resourcesOfType(template, "AWS::Lambda::EventSourceMapping").map(([, { Properties }]) => [
        resolveReference(Properties.EventSourceArn).replace(/[0-9A-F]{8}$/, ""),
        [
          resolveReference(Properties.FunctionName),
          (Properties.ScalingConfig as { MaximumConcurrency: number }).MaximumConcurrency,
        ],
      ]),
    );

  test("feed their workers, each with its concurrency limit", () => {
    expect(readers()).toEqual({
      InboundQueue: ["Ingest", 20],
      EventsQueue: ["Deliver", 200],
      DeliveriesQueue: ["Deliver", 50],
      SlowDeliveriesQueue: ["Deliver", 50],
      ProfilesQueue: ["Profile", 5],
      ErasuresQueue: ["Erase", 2],
      MailsQueue: ["Mail", 2],
      UploadsQueue: ["HandOver", 5],
      AccountsQueue: ["Account", 5],
      RealtimeQueue: ["Push", 50],
      InboundDeadLetterQueue: ["DeadLetters", 2],
      EventsDeadLetterQueue: ["DeadLetters", 2],
      DeliveriesDeadLetterQueue: ["DeadLetters", 2],
      SlowDeliveriesDeadLetterQueue: ["DeadLetters", 2],
      ProfilesDeadLetterQueue: ["DeadLetters", 2],
      ErasuresDeadLetterQueue: ["DeadLetters", 2],
      MailsDeadLetterQueue: ["DeadLetters", 2],
      UploadsDeadLetterQueue: ["DeadLetters", 2],
      AccountsDeadLetterQueue: ["DeadLetters", 2],
      RealtimeDeadLetterQueue: ["DeadLetters", 2],
    });
  });

  test("take concurrency limits from the operator", () => {
    const set = synthesizeTemplates({
      "parley:inboundConcurrency": "3",
      "parley:eventsConcurrency": "4",
      "parley:deliveriesConcurrency": "5",
      "parley:slowDeliveriesConcurrency": "6",
    }).service;
    expect(readers(set)).toMatchObject({
      InboundQueue: ["Ingest", 3],
      EventsQueue: ["Deliver", 4],
      DeliveriesQueue: ["Deliver", 5],
      SlowDeliveriesQueue: ["Deliver", 6],
    });
  });

  test("are passed to DeadLetters, each with its dead letter queue", () => {
    const deadLetterQueues = JSON.stringify(functionEnvironment("DeadLetters")[env.deadLetterQueues]);
    for (const name of queueNames) {
      const id = resolveReference(redrivePolicy(findResource(name))?.deadLetterTargetArn);
      expect(deadLetterQueues).toMatch(new RegExp(`${name}[^,]*,{"Fn::GetAtt":\\["${id}","QueueName"\\]`));
    }
    expect(queueNames).toHaveLength(working.length);
  });

  test("are outputs of the stack, so that a dead letter can be sent back", () => {
    for (const name of queueNames) {
      const output = service.Outputs?.[`${name}QueueUrl`] as { Value: unknown } | undefined;
      expect(resolveReference(output?.Value)).toBe(findResource(name));
    }
  });

  test("are read in batches of ten, uploads and tasks of accounts one at a time, only the attempts of slow endpoints with a window, and a worker reports failed messages", () => {
    for (const [, { Properties }] of resourcesOfType(service, "AWS::Lambda::EventSourceMapping")) {
      const BatchSize = ["HandOver", "Account"].includes(resolveReference(Properties.FunctionName)) ? 1 : 10;
      expect(Properties).toMatchObject({ BatchSize, FunctionResponseTypes: ["ReportBatchItemFailures"] });
      const queue = resolveReference(Properties.EventSourceArn);
      expect(Properties.MaximumBatchingWindowInSeconds).toBe(queue === findResource("SlowDeliveries") ? 1 : 0);
    }
  });
});

/** The resources of a type that belong to the API of a protocol. */
const ofApi = (protocol: "HTTP" | "WEBSOCKET", type: string, template = service) => {
  const apis = resourcesOfType(template, "AWS::ApiGatewayV2::Api");
  const [id] = apis.find(([, { Properties }]) => Properties.ProtocolType === protocol) ?? [];
  return resourcesOfType(template, type).filter(([, { Properties }]) => resolveReference(Properties.ApiId) === id);
};

describe("the HTTP API", () => {
  test("routes the check page to Verify, the console's routes to Console, the platforms' logins to Connect, their webhooks to Intake, the documentation to Docs and everything else to Api", () => {
    const routes = ofApi("HTTP", "AWS::ApiGatewayV2::Route").map(([, { Properties }]) => {
      const [, [, integration]] = (Properties.Target as { "Fn::Join": [string, [string, unknown]] })["Fn::Join"];
      const { IntegrationUri, PayloadFormatVersion } = resourceProperties(service, resolveReference(integration));
      return [Properties.RouteKey, resolveReference(IntegrationUri), PayloadFormatVersion];
    });
    expect(routes.sort()).toEqual([
      ["$default", "Api", "2.0"],
      ["ANY /console/auth/{proxy+}", "Console", "2.0"],
      ["ANY /console/{proxy+}", "Console", "2.0"],
      ["ANY /docs", "Docs", "2.0"],
      ["ANY /docs/{proxy+}", "Docs", "2.0"],
      ["ANY /oauth/{proxy+}", "Connect", "2.0"],
      ["ANY /openapi.json", "Docs", "2.0"],
      ["ANY /platform/{proxy+}", "Connect", "2.0"],
      ["ANY /verify", "Verify", "2.0"],
      ["ANY /verify/{proxy+}", "Verify", "2.0"],
      ["ANY /webhooks/{platform}", "Intake", "2.0"],
    ]);
  });

  test("lets the gateways invoke those six functions and Socket and the schedules invoke Sweep, and nothing else", () => {
    const permitted = resourcesOfType(service, "AWS::Lambda::Permission").map(([, { Properties }]) => [
      Properties.Principal,
      resolveReference(Properties.FunctionName),
      Properties.SourceArn !== undefined,
    ]);
    expect(permitted.sort()).toEqual([
      ["apigateway.amazonaws.com", "Api", true],
      ["apigateway.amazonaws.com", "Connect", true],
      ["apigateway.amazonaws.com", "Connect", true],
      ["apigateway.amazonaws.com", "Console", true],
      ["apigateway.amazonaws.com", "Console", true],
      ["apigateway.amazonaws.com", "Docs", true],
      ["apigateway.amazonaws.com", "Docs", true],
      ["apigateway.amazonaws.com", "Docs", true],
      ["apigateway.amazonaws.com", "Intake", true],
      ["apigateway.amazonaws.com", "Socket", true],
      ["apigateway.amazonaws.com", "Socket", true],
      ["apigateway.amazonaws.com", "Socket", true],
      ["apigateway.amazonaws.com", "Verify", true],
      ["apigateway.amazonaws.com", "Verify", true],
      ["events.amazonaws.com", "Sweep", true],
      ["events.amazonaws.com", "Sweep", true],
      ["events.amazonaws.com", "Sweep", true],
      ["events.amazonaws.com", "Sweep", true],
    ]);
  });

  const throttle = (rate: number, burst: number) => ({ ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst });

  const stageThrottles = (template: typeof service) =>
    ofApi("HTTP", "AWS::ApiGatewayV2::Stage", template).map(([, { Properties }]) => [
      Properties.StageName,
      Properties.AutoDeploy,
      Properties.DefaultRouteSettings,
      Properties.RouteSettings,
    ]);

  test("has one stage, on which webhooks, sign-in, check page and the rest each have a throttle of their own", () => {
    expect(stageThrottles(service)).toEqual([
      [
        "$default",
        true,
        throttle(200, 500),
        {
          "ANY /webhooks/{platform}": throttle(500, 1_000),
          "ANY /console/auth/{proxy+}": throttle(50, 100),
          "ANY /verify": throttle(50, 100),
          "ANY /verify/{proxy+}": throttle(50, 100),
        },
      ],
    ]);
  });

  test("takes each throttle from the operator", () => {
    const set = synthesizeTemplates({
      "parley:throttleRate": "1",
      "parley:throttleBurst": "2",
      "parley:webhooksThrottleRate": "3",
      "parley:webhooksThrottleBurst": "4",
      "parley:signInThrottleRate": "5",
      "parley:signInThrottleBurst": "6",
      "parley:checkPageThrottleRate": "7",
      "parley:checkPageThrottleBurst": "8",
    }).service;
    expect(stageThrottles(set)).toEqual([
      [
        "$default",
        true,
        throttle(1, 2),
        {
          "ANY /webhooks/{platform}": throttle(3, 4),
          "ANY /console/auth/{proxy+}": throttle(5, 6),
          "ANY /verify": throttle(7, 8),
          "ANY /verify/{proxy+}": throttle(7, 8),
        },
      ],
    ]);
  });

  test("creates the stage after each route that it throttles, which CloudFormation requires", () => {
    const routeIds = new Map(
      ofApi("HTTP", "AWS::ApiGatewayV2::Route").map(([id, { Properties }]) => [Properties.RouteKey, id]),
    );
    const [[, stage] = []] = ofApi("HTTP", "AWS::ApiGatewayV2::Stage");
    const throttledKeys = Object.keys(stage?.Properties.RouteSettings as object);
    expect(throttledKeys).toHaveLength(4);
    for (const key of throttledKeys) expect(stage?.DependsOn).toContain(routeIds.get(key));
  });

  test("passes its URL to the operator and to Api, which returns links", () => {
    expect(service.Outputs.ApiUrl?.Value).toEqual(functionEnvironment("Api")[env.baseUrl]);
    // Unless it is set, the console has the origin of the API.
    expect(functionEnvironment("Api")[env.consoleUrl]).toEqual(functionEnvironment("Api")[env.baseUrl]);
  });
});

describe("the WebSocket API", () => {
  test("routes handshakes, frames and ends of connections to Socket, and nothing else", () => {
    const routes = ofApi("WEBSOCKET", "AWS::ApiGatewayV2::Route").map(([, { Properties }]) => {
      const [, [, integration]] = (Properties.Target as { "Fn::Join": [string, [string, unknown]] })["Fn::Join"];
      const { IntegrationType, IntegrationUri } = resourceProperties(service, resolveReference(integration));
      const [, parts] = (IntegrationUri as { "Fn::Join": [string, unknown[]] })["Fn::Join"];
      const [target] = parts.filter((part) => typeof part === "object" && part !== null && "Fn::GetAtt" in part);
      return [Properties.RouteKey, IntegrationType, resolveReference(target), Properties.AuthorizationType];
    });
    expect(routes.sort()).toEqual([
      ["$connect", "AWS_PROXY", "Socket", "NONE"],
      ["$default", "AWS_PROXY", "Socket", "NONE"],
      ["$disconnect", "AWS_PROXY", "Socket", "NONE"],
    ]);
  });

  test("has one stage, throttled as the operator sets", () => {
    const set = synthesizeTemplates({ "parley:throttleRate": "10", "parley:throttleBurst": "20" }).service;
    const stages = ofApi("WEBSOCKET", "AWS::ApiGatewayV2::Stage", set).map(([, { Properties }]) => [
      Properties.StageName,
      Properties.AutoDeploy,
      Properties.DefaultRouteSettings,
    ]);
    expect(stages).toEqual([["live", true, { ThrottlingRateLimit: 10, ThrottlingBurstLimit: 20 }]]);
  });

  test("writes no log of requests, whose query has the ticket", () => {
    for (const [, { Properties }] of ofApi("WEBSOCKET", "AWS::ApiGatewayV2::Stage")) {
      expect(Properties).not.toHaveProperty("AccessLogSettings");
      expect(Object.keys(Properties.DefaultRouteSettings as object).sort()).toEqual([
        "ThrottlingBurstLimit",
        "ThrottlingRateLimit",
      ]);
    }
  });

  test("passes its URL to the operator and to the functions that create tickets, and another if one is set", () => {
    expect(service.Outputs.RealtimeUrl?.Value).toEqual(functionEnvironment("Api")[env.realtimeUrl]);
    const set = synthesizeTemplates({ "parley:realtimeUrl": "wss://ws.example.com/live/" }).service;
    for (const name of ["Api", "Console"] as const) {
      expect(functionEnvironment(name)[env.realtimeUrl]).toEqual(service.Outputs.RealtimeUrl?.Value);
      expect(functionEnvironment(name, set)[env.realtimeUrl]).toBe("wss://ws.example.com/live");
    }
    // Functions call the gateway itself, under any domain.
    for (const name of ["Socket", "Push"] as const) {
      expect(functionEnvironment(name, set)[env.realtimeEndpoint]).toEqual(
        functionEnvironment(name)[env.realtimeEndpoint],
      );
    }
  });
});

test("the sweep runs each minute, purges files and enqueues checks of accounts each hour, and looks for overdue deliveries each day", () => {
  const rules = resourcesOfType(service, "AWS::Events::Rule").map(([, { Properties }]) => [
    Properties.ScheduleExpression,
    Properties.State,
    (Properties.Targets as { Arn: unknown; Input?: unknown }[]).map(({ Arn, Input }) => [resolveReference(Arn), Input]),
  ]);
  expect(rules).toEqual([
    ["rate(1 minute)", "ENABLED", [["Sweep", undefined]]],
    ["rate(1 hour)", "ENABLED", [["Sweep", JSON.stringify({ task: "purge" })]]],
    ["rate(1 hour)", "ENABLED", [["Sweep", JSON.stringify({ task: "check_accounts" })]]],
    ["rate(1 day)", "ENABLED", [["Sweep", JSON.stringify({ task: "reschedule_overdue" })]]],
  ]);
});

test("metrics count the subscriptions of accounts that were missing, and show the age of postponed webhooks", () => {
  const filters = resourcesOfType(service, "AWS::Logs::MetricFilter").map(([, { Properties }]) => [
    Properties.FilterPattern,
    (Properties.MetricTransformations as { MetricNamespace: string; MetricName: string }[]).map(
      ({ MetricNamespace, MetricName }) => `${MetricNamespace} ${MetricName}`,
    ),
  ]);
  expect(filters.toSorted()).toEqual([
    ['{ $.event = "account.resubscribed" }', ["Parley AccountResubscribed"]],
    ['{ $.event = "record.postponed" }', ["Parley PostponedWebhookAge"]],
  ]);
});
