import { describe, expect, test } from "vitest";
import { table } from "#base/config/names.ts";
import { resourcesOfType, synthesizeTemplates } from "../synth-templates.ts";

const { data } = synthesizeTemplates();

function onlyResource(type: string) {
  const resources = resourcesOfType(data, type);
  expect(resources, type).toHaveLength(1);
  const resource = resources[0]?.[1];
  if (!resource) throw new Error(`The template has no ${type}.`);
  return resource;
}

const hashKey = (AttributeName: string) => ({ AttributeName, KeyType: "HASH" });
const rangeKey = (AttributeName: string) => ({ AttributeName, KeyType: "RANGE" });

describe("the table", () => {
  const { Properties } = onlyResource("AWS::DynamoDB::Table");

  test("the table has the keys and exactly the three indexes that the stores use", () => {
    expect(Properties.KeySchema).toEqual([hashKey(table.partitionKey), rangeKey(table.sortKey)]);
    expect(Properties.GlobalSecondaryIndexes).toEqual([
      {
        IndexName: table.feedIndex.name,
        KeySchema: [hashKey(table.feedIndex.partitionKey), rangeKey(table.feedIndex.sortKey)],
        Projection: { ProjectionType: "ALL" },
      },
      {
        IndexName: table.idIndex.name,
        KeySchema: [hashKey(table.idIndex.partitionKey)],
        Projection: { ProjectionType: "KEYS_ONLY" },
      },
      {
        IndexName: table.failingIndex.name,
        KeySchema: [hashKey(table.failingIndex.partitionKey), rangeKey(table.sortKey)],
        Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["st"] },
      },
    ]);
    expect(Properties.LocalSecondaryIndexes).toBeUndefined();
  });

  test("the table has index names of the length DynamoDB requires", () => {
    for (const { name } of [table.feedIndex, table.idIndex, table.failingIndex])
      expect(name).toMatch(/^[A-Za-z0-9_.-]{3,255}$/);
  });

  test("the table stores all its keys as strings", () => {
    const types = (Properties.AttributeDefinitions as { AttributeType: string }[]).map((each) => each.AttributeType);
    expect(types).toEqual(["S", "S", "S", "S", "S", "S"]);
  });

  test("the table has a time to live, on-demand billing and point-in-time recovery", () => {
    expect(Properties.TimeToLiveSpecification).toEqual({ AttributeName: table.timeToLive, Enabled: true });
    expect(Properties.BillingMode).toBe("PAY_PER_REQUEST");
    expect(Properties.PointInTimeRecoverySpecification).toEqual({ PointInTimeRecoveryEnabled: true });
  });

  test("the table can be restored to any of as many days as the operator sets, and without a setting to DynamoDB's own 35", () => {
    const tableWith = (days: string) =>
      resourceNamed(
        "AWS::DynamoDB::Table",
        "SingleTable",
        synthesizeTemplates({ "parley:recoveryPeriodInDays": days }).data,
      ).Properties.PointInTimeRecoverySpecification;
    expect(tableWith("7")).toEqual({ PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 7 });
    // A property that appeared would be a change of every table that is deployed.
    expect(tableWith("35")).toEqual({ PointInTimeRecoveryEnabled: true });
  });

  test("the table has deletion protection", () => {
    expect(Properties.DeletionProtectionEnabled).toBe(true);
  });
});

test("the stack retains every stored resource when the stack is deleted", () => {
  const retainedTypes = ["AWS::DynamoDB::Table", "AWS::KMS::Key", "AWS::S3::Bucket", "AWS::SecretsManager::Secret"];
  const resources = retainedTypes.flatMap((type) => resourcesOfType(data, type));
  expect(resources).toHaveLength(7);
  for (const [id, resource] of resources) {
    expect([id, resource.DeletionPolicy, resource.UpdateReplacePolicy]).toEqual([id, "Retain", "Retain"]);
  }
});

describe("the token key", () => {
  const { Properties } = onlyResource("AWS::KMS::Key");

  test("the token key rotates", () => {
    expect(Properties.EnableKeyRotation).toBe(true);
  });

  test("the token key denies every principal without Parley's encryption context", () => {
    const { Statement } = Properties.KeyPolicy as { Statement: Record<string, unknown>[] };
    const deny = Statement.filter(({ Effect }) => Effect === "Deny");
    expect(deny).toEqual([
      expect.objectContaining({
        Principal: { AWS: "*" },
        Action: ["kms:Encrypt", "kms:Decrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*"],
        Condition: { StringNotEquals: { "kms:EncryptionContext:app": "parley" } },
      }),
    ]);
  });
});

/** The resource of that type whose id starts so. */
function resourceNamed(type: string, start: string, template = data) {
  const resource = resourcesOfType(template, type).find(([id]) => id.startsWith(start))?.[1];
  if (!resource) throw new Error(`The template has no ${start} of ${type}.`);
  return resource;
}

describe.each([
  ["RawBucket", 7],
  ["UploadBucket", 1],
  ["JournalBucket", 40],
])("the %s", (name, days) => {
  const { Properties } = resourceNamed("AWS::S3::Bucket", name);

  test("the bucket blocks public access and encrypts", () => {
    expect(Properties.PublicAccessBlockConfiguration).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
    expect(JSON.stringify(Properties.BucketEncryption)).toContain("AES256");
    expect(Properties.OwnershipControls).toEqual({ Rules: [{ ObjectOwnership: "BucketOwnerEnforced" }] });
  });

  test("the bucket requires TLS", () => {
    const { PolicyDocument } = resourceNamed("AWS::S3::BucketPolicy", name).Properties as {
      PolicyDocument: { Statement: unknown[] };
    };
    expect(PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({
        Effect: "Deny",
        Action: "s3:*",
        Condition: { Bool: { "aws:SecureTransport": "false" } },
      }),
    );
  });

  test("the bucket expires every object and keeps no versions", () => {
    expect(Properties.VersioningConfiguration).toBeUndefined();
    expect(Properties.LifecycleConfiguration).toEqual({
      Rules: [
        {
          Id: "everything-expires",
          Status: "Enabled",
          ExpirationInDays: days,
          AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
        },
      ],
    });
  });
});

test("the table and each of its indexes have the same limit of units, and none by default", () => {
  const limits = (settings: Record<string, string> = {}) => {
    const { Properties } = resourceNamed("AWS::DynamoDB::Table", "SingleTable", synthesizeTemplates(settings).data);
    const indexes = Properties.GlobalSecondaryIndexes as readonly Record<string, unknown>[];
    return [Properties, ...indexes].map(({ OnDemandThroughput }) => OnDemandThroughput);
  };
  expect(limits()).toEqual([undefined, undefined, undefined, undefined]);
  const both = { MaxReadRequestUnits: 500, MaxWriteRequestUnits: 200 };
  expect(limits({ "parley:tableMaxReadUnits": "500", "parley:tableMaxWriteUnits": "200" })).toEqual(
    Array(4).fill(both),
  );
  expect(limits({ "parley:tableMaxReadUnits": "500" })).toEqual(Array(4).fill({ MaxReadRequestUnits: 500 }));
});

test("the bucket of the journal stores each entry for five days longer than the table can be restored to its day", () => {
  const { data: week } = synthesizeTemplates({ "parley:recoveryPeriodInDays": "7" });
  const { Properties } = resourceNamed("AWS::S3::Bucket", "JournalBucket", week);
  expect(Properties.LifecycleConfiguration).toMatchObject({ Rules: [{ ExpirationInDays: 12 }] });
});

test("pages of any origin post files with a signed form, and call no bucket in any other way", () => {
  const corsRules = ["RawBucket", "UploadBucket"].map(
    (name) => resourceNamed("AWS::S3::Bucket", name, data).Properties.CorsConfiguration,
  );
  expect(corsRules).toEqual([undefined, { CorsRules: [{ AllowedMethods: ["POST"], AllowedOrigins: ["*"] }] }]);
});

describe("the secrets", () => {
  const generatedSecrets = resourcesOfType(data, "AWS::SecretsManager::Secret").map(
    ([, { Properties }]) => Properties.GenerateSecretString,
  );

  test("the root secret is generated with 64 random letters and digits", () => {
    expect(generatedSecrets).toContainEqual({ PasswordLength: 64, ExcludePunctuation: true });
  });

  test("the platform secrets are generated with empty app secrets and a random verify token", () => {
    expect(generatedSecrets).toContainEqual({
      SecretStringTemplate: '{"meta":"","instagram":""}',
      GenerateStringKey: "verify_token",
      PasswordLength: 40,
      ExcludePunctuation: true,
    });
  });

  test("no template contains the value of a secret", () => {
    expect(generatedSecrets).toHaveLength(2);
    for (const [, { Properties }] of resourcesOfType(data, "AWS::SecretsManager::Secret")) {
      expect(Properties.SecretString).toBeUndefined();
    }
  });
});
