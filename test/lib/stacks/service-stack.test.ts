import { describe, expect, test } from "vitest";
import { env, type FunctionName, functions } from "#base/config/names.ts";
import { SECOND } from "#base/kernel/time.ts";
import { BACKGROUND_DELAY } from "#features/erasure/rules/erasures.ts";
import { Resolver } from "#local-aws/template/intrinsics.ts";
import type { Assembly } from "#local-aws/template/template.ts";
import { stacks } from "../../../lib/config/stack-names.ts";
import { resolveReference, resourceProperties, resourcesOfType, synthesizeTemplates } from "../synth-templates.ts";
import { functionEnvironment } from "./support/function-environment.ts";

// The functions of the service, their settings, mails, schedules and metrics.

const { service, text } = synthesizeTemplates();

describe("the functions", () => {
  test("the functions are those of the service, under the ids of shared/base/config", () => {
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
    ["Web", 10, 512],
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
        env.journalBucket,
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
        env.baseUrl,
        env.keyId,
        env.accountsQueueUrl,
        env.eventsQueueUrl,
        env.realtimeQueueUrl,
        env.platformSecretId,
        env.graphVersion,
      ],
    ],
    [
      "Console",
      [
        ...[env.table, env.journalBucket, env.mailsQueueUrl, env.realtimeQueueUrl, env.rootSecretId],
        ...[env.baseUrl, env.realtimeUrl, env.consoleUrl, env.signUp, env.requestsPerTenantPerMinute],
        ...[env.tenantsPerOwner, env.tenantsPerDay, env.pendingInvitesPerTenant],
        ...[env.inviteMailsPerTenantPerDay, env.inviteMailsPerPersonPerDay],
      ],
    ],
    [
      "Connect",
      [
        env.table,
        env.journalBucket,
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
    ["Web", [env.baseUrl, env.realtimeUrl, env.uploadUrl, env.mediaOrigins]],
    ["Intake", [env.inboundQueueUrl, env.rawBucket, env.platformSecretId, env.baseUrl]],
    ["Ingest", [env.table, env.rawBucket, env.inboundQueueUrl, env.eventsQueueUrl, env.profilesQueueUrl]],
    [
      "Deliver",
      [
        ...[env.table, env.keyId, env.eventsQueueUrl, env.deliveriesQueueUrl, env.slowDeliveriesQueueUrl],
        ...[env.realtimeQueueUrl, env.mailsQueueUrl, env.ownHosts],
      ],
    ],
    [
      "Profile",
      [env.table, env.keyId, env.eventsQueueUrl, env.realtimeQueueUrl, env.platformSecretId, env.graphVersion],
    ],
    ["Erase", [env.table, env.uploadBucket, env.erasuresQueueUrl, env.realtimeQueueUrl]],
    ["Mail", [env.table, env.mailsQueueUrl, env.rootSecretId, env.baseUrl, env.signUp]],
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
        ...[env.realtimeQueueUrl, env.mailsQueueUrl, env.accountChecks, env.journalBucket],
      ],
    ],
    ["Socket", [env.table, env.realtimeQueueUrl, env.realtimeEndpoint, env.consoleUrl]],
    ["Push", [env.table, env.realtimeQueueUrl, env.realtimeEndpoint]],
    [
      "Sweep",
      [
        env.table,
        env.keyId,
        env.rawBucket,
        env.uploadBucket,
        env.accountsQueueUrl,
        env.deliveriesQueueUrl,
        env.erasuresQueueUrl,
        env.eventsQueueUrl,
        env.mailsQueueUrl,
        env.profilesQueueUrl,
        env.uploadsQueueUrl,
        env.deadLetterQueueUrls,
      ],
    ],
  ] as const)("%s gets the variables it needs and no others", (name, names) => {
    expect(Object.keys(functionEnvironment(name)).sort()).toEqual([...names].sort());
  });

  test("the function Web gets the addresses of the socket, of the uploads and of the platforms' media, for the policy of the console", () => {
    const web = functionEnvironment("Web");
    expect(web[env.mediaOrigins]).toBe("https://*.cdninstagram.com https://*.fbcdn.net https://*.fbsbx.com");
    expect(JSON.stringify(web[env.uploadUrl])).toMatch(
      /"https:\/\/",\{"Fn::ImportValue":"[^"]*UploadBucket[^"]*"\},"\.s3\./,
    );
    expect(web[env.realtimeUrl]).toEqual(functionEnvironment("Api")[env.realtimeUrl]);
  });

  test("the functions passes the operator's settings to Api, the platform settings to each function that calls a platform, and none to others", () => {
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

  test("the functions passes the ids of the app to Connect", () => {
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
          ref: `${/^(Raw|Upload|Journal)/.exec(id)?.[0].toLowerCase()}-bucket`,
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
        "journal-bucket.s3.amazonaws.com",
        "journal-bucket.s3.us-east-1.amazonaws.com",
        "journal-bucket.s3.dualstack.us-east-1.amazonaws.com",
      ]);
      expect(queueVariables("Deliver")).toEqual(queueVariables("Api"));
    },
  );

  test("the functions reserves concurrency for the platforms' webhooks, and for nothing else unless the operator does", () => {
    const reservations = (template: typeof service) =>
      functions.flatMap((name) => {
        const reserved = resourceProperties(template, name).ReservedConcurrentExecutions;
        return reserved === undefined ? [] : [[name, reserved]];
      });
    expect(reservations(service)).toEqual([["Intake", 100]]);
    expect(reservations(synthesizeTemplates({ "parley:size": "small" }).service)).toEqual([]);
    const set = { "parley:intakeReservedConcurrency": "7", "parley:apiReservedConcurrency": "40" };
    expect(reservations(synthesizeTemplates(set).service)).toEqual([
      ["Api", 40],
      ["Intake", 7],
    ]);
  });

  test("the functions reserves nothing where the account's limit does not permit it", () => {
    const set = synthesizeTemplates({ "parley:intakeReservedConcurrency": "0" }).service;
    expect(resourceProperties(set, "Intake")).not.toHaveProperty("ReservedConcurrentExecutions");
  });

  test("no function runs in a VPC, where a webhook could reach private addresses", () => {
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

test("the local override of the egress gate is in no template", () => {
  expect(text).toContain(env.table);
  expect(text).not.toMatch(/PARLEY_EGRESS|_local\b|AWS_ENDPOINT_URL|127\.0\.0\.1|localhost|NODE_OPTIONS/i);
});

test("the local override of the egress gate is no variable of any function: shared/base/config declares every variable", () => {
  const knownNames = new Set<string>(Object.values(env));
  const setNames = functions.flatMap((name) => Object.keys(functionEnvironment(name)));
  expect(setNames.filter((name) => !knownNames.has(name))).toEqual([]);
  expect([...knownNames].filter((name) => /egress|open|unsafe|private|loopback/i.test(name))).toEqual([]);
});

test("mail has no configuration set if no address is set", () => {
  expect(resourcesOfType(service, "AWS::SES::ConfigurationSet")).toEqual([]);
  expect(functionEnvironment("Deliver")).not.toHaveProperty(env.mailConfigurationSet);
});

test("mail goes out encrypted and untracked, and no more to an address that bounced or complained", () => {
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
  expect(functionEnvironment("Mail", mailing)).toMatchObject({
    [env.mailFrom]: "parley@example.com",
    [env.mailConfigurationSet]: { Ref: sets[0]?.[0] },
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
    ["rate(5 minutes)", "ENABLED", [["Sweep", JSON.stringify({ task: "watch" })]]],
    ["rate(1 hour)", "ENABLED", [["Sweep", JSON.stringify({ task: "purge" })]]],
    ["rate(1 hour)", "ENABLED", [["Sweep", JSON.stringify({ task: "check_accounts" })]]],
    ["rate(1 day)", "ENABLED", [["Sweep", JSON.stringify({ task: "reschedule_overdue" })]]],
  ]);
});

test("no run of a schedule is repeated, because the next one does the same work", () => {
  const targets = resourcesOfType(service, "AWS::Events::Rule").flatMap(
    ([, { Properties }]) => Properties.Targets as { RetryPolicy?: unknown }[],
  );
  expect(targets.map(({ RetryPolicy }) => RetryPolicy)).toEqual(targets.map(() => ({ MaximumRetryAttempts: 0 })));
  const [config, ...others] = resourcesOfType(service, "AWS::Lambda::EventInvokeConfig").map(
    ([, { Properties }]) => Properties,
  );
  expect(others).toEqual([]);
  expect(config).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 600 });
  expect(resolveReference(config?.FunctionName)).toBe("Sweep");
});

test("metrics count what goes wrong, by the log lines that say it, and show the age of postponed webhooks", () => {
  const filters = resourcesOfType(service, "AWS::Logs::MetricFilter").map(([, { Properties }]) => [
    Properties.FilterPattern,
    (Properties.MetricTransformations as { MetricNamespace: string; MetricName: string }[]).map(
      ({ MetricNamespace, MetricName }) => `${MetricNamespace} ${MetricName}`,
    ),
  ]);
  const expected = [
    [
      '{ ($.event = "account.checked") && (($.status = "needs_reauth") || ($.status = "restricted")) }',
      ["Parley AccountsNeedAttention"],
    ],
    [`{ ($.route = "ANY /webhooks/{platform}") && ($.status = "403") }`, ["Parley WebhooksRefused"]],
    ['{ ($.status = "429") && ($.function_status = "-") }', ["Parley GatewayThrottled"]],
    ...functions.map(() => [
      '{ ($.type = "platform.report") && ($.record.status != "success") }',
      ["Parley FunctionErrors"],
    ]),
    ['{ $.event = "account.resubscribed" }', ["Parley AccountResubscribed"]],
    ['{ $.event = "dead_letter.quarantined" }', ["Parley DeadLettersArrived"]],
    ['{ ($.event = "dead_letters.waiting") || ($.event = "key.unusable") }', ["Parley WatchFindings"]],
    ['{ $.event = "queue.waiting" }', ["Parley QueuesWaiting"]],
    ['{ $.event = "record.postponed" }', ["Parley PostponedWebhookAge"]],
  ];
  expect(filters.toSorted()).toEqual(expected.toSorted());
});
