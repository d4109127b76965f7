import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { synthesizeTemplates } from "../../synth-templates.ts";
import { statefulChanges } from "./changes.ts";
import { type StatefulResources, statefulResources } from "./stateful-resources.ts";

// Everything stateful as the last release deployed it. A change of it changes or loses the data of every deployment.

const released: StatefulResources = JSON.parse(readFileSync(new URL("released.json", import.meta.url), "utf8"));
const TABLE = "SingleTable46C85431";
const KEY = "TokenKey812BBFC4";
const ROOT = "SecretsRootSecret10638A29";
const PLATFORMS = "SecretsPlatformSecretsCD9085B0";
const UPLOADS = "UploadBucketB0FBA037";
const QUEUE = "InboundQueue72656294";

type Draft = Record<string, { type: string; deletionPolicy: string | null; properties: Record<string, unknown> }>;

/** The changes between the last release and one in which something is different. */
function changesBy(change: (draft: Draft) => void): string[] {
  const draft = structuredClone(released) as unknown as Draft;
  change(draft);
  return statefulChanges(released, draft as unknown as StatefulResources);
}

/** A property of a resource. */
const properties = (draft: Draft, id: string) => {
  const resource = draft[id];
  if (!resource) throw new Error(`The fixture has no ${id}.`);
  return resource.properties;
};

test("no data of a deployment is lost by an update to this version", () => {
  expect(statefulChanges(released, statefulResources(synthesizeTemplates()))).toEqual([]);
});

test("the fixture has the table, the key, both secrets, both buckets, every queue and both APIs", () => {
  const counts: Record<string, number> = {};
  for (const { type } of Object.values(released)) counts[type] = (counts[type] ?? 0) + 1;
  expect(counts).toEqual({
    "AWS::DynamoDB::Table": 1,
    "AWS::KMS::Key": 1,
    "AWS::SecretsManager::Secret": 2,
    "AWS::S3::Bucket": 2,
    "AWS::S3::BucketPolicy": 2,
    "AWS::SQS::Queue": 20,
    "AWS::ApiGatewayV2::Api": 2,
  });
});

describe("a change names what happens to the data", () => {
  test.each<[string, string, (draft: Draft) => void]>([
    ["a table with another id", "all stored data is lost", (draft) => rename(draft, TABLE)],
    ["a key with another id", "tokens and webhook signing secrets are unreadable", (draft) => rename(draft, KEY)],
    ["a secret with another id", "the operator's app secrets are lost", (draft) => rename(draft, PLATFORMS)],
    ["a bucket with another id", "lost to the service", (draft) => rename(draft, UPLOADS)],
    ["a queue with another id", "messages that wait in the queue are deleted", (draft) => rename(draft, QUEUE)],
    ["an API with another id", "the public URL changes", (draft) => rename(draft, "HttpApiGatewayBB67D6D5")],
    [
      "another sort key of the table",
      `${TABLE} is replaced by its KeySchema: the service gets a new, empty table`,
      (draft) => {
        properties(draft, TABLE).KeySchema = [{ AttributeName: "PK", KeyType: "HASH" }];
      },
    ],
    [
      "a name of the table",
      `${TABLE} is replaced by its TableName`,
      (draft) => {
        properties(draft, TABLE).TableName = "parley";
      },
    ],
    [
      "a key of the table of another type",
      "another type of a key replaces the table",
      (draft) => {
        properties(draft, TABLE).AttributeDefinitions = [{ AttributeName: "PK", AttributeType: "B" }];
      },
    ],
    [
      "no deletion protection",
      "one call deletes the table",
      (draft) => {
        properties(draft, TABLE).DeletionProtectionEnabled = false;
      },
    ],
    [
      "no recovery",
      "no lost data can be restored",
      (draft) => {
        delete properties(draft, TABLE).PointInTimeRecoverySpecification;
      },
    ],
    [
      "another attribute of the expiry",
      "are stored for ever",
      (draft) => {
        properties(draft, TABLE).TimeToLiveSpecification = { AttributeName: "ttl", Enabled: true };
      },
    ],
    [
      "another statement of the key policy",
      `${KEY} has another KeyPolicy: with a policy that denies the functions, tokens are unreadable`,
      (draft) => {
        (properties(draft, KEY).KeyPolicy as { Statement: unknown[] }).Statement.pop();
      },
    ],
    [
      "another template of the platform secrets",
      `${PLATFORMS} has another GenerateSecretString: Secrets Manager generates a new value, which overwrites the operator's app secrets`,
      (draft) => {
        const generate = properties(draft, PLATFORMS).GenerateSecretString as Record<string, unknown>;
        generate.SecretStringTemplate = JSON.stringify({ meta: "", instagram: "", whatsapp: "" });
      },
    ],
    [
      "a longer root secret",
      `${ROOT} has another GenerateSecretString`,
      (draft) => {
        (properties(draft, ROOT).GenerateSecretString as Record<string, unknown>).PasswordLength = 65;
      },
    ],
    [
      "a shorter life of uploads",
      "objects are deleted sooner",
      (draft) => {
        properties(draft, UPLOADS).LifecycleConfiguration = { Rules: [] };
      },
    ],
    [
      "a shorter retention of a queue",
      "are deleted at once",
      (draft) => {
        properties(draft, QUEUE).MessageRetentionPeriod = 60;
      },
    ],
    [
      "a property that the comparison does not know",
      "read in the CloudFormation reference",
      (draft) => {
        properties(draft, TABLE).ReplicaSpecification = {};
      },
    ],
    [
      "a table that is deleted with its stack",
      `${TABLE} is deleted with its stack`,
      (draft) => {
        if (draft[TABLE]) draft[TABLE].deletionPolicy = "Delete";
      },
    ],
    [
      "a new secret that is not retained",
      "New is deleted with its stack",
      (draft) => {
        draft.New = { type: "AWS::SecretsManager::Secret", deletionPolicy: "Delete", properties: {} };
      },
    ],
    [
      "a new kind of storage",
      "New is new: write to changes.ts",
      (draft) => {
        draft.New = { type: "AWS::EFS::FileSystem", deletionPolicy: "Retain", properties: {} };
      },
    ],
  ])("%s is refused: %s", (_, message, change) => {
    const changes = changesBy(change);
    expect(changes).toContainEqual(expect.stringContaining(message));
    for (const line of changes) expect(line.split("\n")).toHaveLength(1);
  });

  function rename(draft: Draft, id: string): void {
    const resource = draft[id];
    if (!resource) throw new Error(`The fixture has no ${id}.`);
    delete draft[id];
    draft[`${id}Again`] = resource;
  }
});

describe("indexes of the table", () => {
  const indexes = (draft: Draft) => properties(draft, TABLE).GlobalSecondaryIndexes as Record<string, unknown>[];
  const attributes = (draft: Draft) => properties(draft, TABLE).AttributeDefinitions as unknown[];
  const addIndex = (draft: Draft, name: string) => {
    attributes(draft).push({ AttributeName: name, AttributeType: "S" });
    indexes(draft).push({ IndexName: name, KeySchema: [{ AttributeName: name, KeyType: "HASH" }] });
  };

  test("one new index is accepted in a release", () => {
    expect(changesBy((draft) => addIndex(draft, "GS4"))).toEqual([]);
  });

  test("two changes of indexes are refused in one release", () => {
    const problem = `${TABLE} has 2 changes of indexes: DynamoDB accepts one per update, so the deployment fails. Release them one by one.`;
    expect(
      changesBy((draft) => {
        addIndex(draft, "GS4");
        addIndex(draft, "GS5");
      }),
    ).toEqual([problem]);
    expect(
      changesBy((draft) => {
        addIndex(draft, "GS4");
        indexes(draft).shift();
      }),
    ).toContain(problem);
  });

  test("a removed index and one that changes under its name are refused", () => {
    expect(changesBy((draft) => indexes(draft).shift())).toEqual([
      `${TABLE} loses its index GS1: functions of the release before, which still run, fail.`,
    ]);
    const changes = changesBy((draft) => {
      indexes(draft)[0] = { ...indexes(draft)[0], Projection: { ProjectionType: "KEYS_ONLY" } };
    });
    expect(changes).toContainEqual(expect.stringContaining("lists are empty until then"));
  });

  test("a new index does not hide another type of a key", () => {
    const changes = changesBy((draft) => {
      addIndex(draft, "GS4");
      attributes(draft)[0] = { AttributeName: "PK", AttributeType: "B" };
    });
    expect(changes).toContainEqual(expect.stringContaining("another type of a key replaces the table"));
  });
});

test("a new secret beside the others, and a new queue, change nothing that is stored", () => {
  expect(
    changesBy((draft) => {
      const secret = draft[PLATFORMS];
      const queue = draft[QUEUE];
      if (!secret || !queue) throw new Error("The fixture has no secret or queue.");
      Object.assign(draft, { New: secret, NewQueue: queue });
    }),
  ).toEqual([]);
});
