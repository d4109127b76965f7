import { isDeepStrictEqual } from "node:util";
import type { StatefulResource, StatefulResources } from "./stateful-resources.ts";

// What a change of something stateful does to the data of a deployment that is updated.

interface Consequences {
  /** Another logical id, or another property that makes CloudFormation create a new resource. */
  readonly replaced: string;
  /** Properties whose change replaces the resource. */
  readonly replacedBy: readonly string[];
  /** What a change of other properties does, by their name. */
  readonly changed: Readonly<Record<string, string>>;
  /** Whether what it stores must remain when it is removed or replaced. */
  readonly isRetained: boolean;
}

const UNKNOWN_CHANGE =
  "read in the CloudFormation reference what an update of this property does to what is stored, and write it here";

const consequences: Readonly<Record<string, Consequences>> = {
  "AWS::DynamoDB::Table": {
    replaced: "the service gets a new, empty table: all stored data is lost to it",
    replacedBy: ["TableName", "KeySchema", "LocalSecondaryIndexes"],
    changed: {
      AttributeDefinitions: "another type of a key replaces the table, and all stored data is lost to the service",
      TimeToLiveSpecification: "rows that have the time of their expiry under the earlier name are stored for ever",
      DeletionProtectionEnabled: "one call deletes the table with all data",
      PointInTimeRecoverySpecification: "the recovery points are deleted: no lost data can be restored",
      SSESpecification: "without the new key no row can be read, and backups need the earlier one",
      BillingMode: "requests above the capacity are throttled, and messages become dead letters",
    },
    isRetained: true,
  },
  "AWS::KMS::Key": {
    replaced: "tokens and webhook signing secrets are unreadable: every account must be connected again",
    replacedBy: ["KeySpec", "KeyUsage", "MultiRegion", "Origin"],
    changed: {
      KeyPolicy:
        "with a policy that denies the functions, tokens are unreadable; one that denies the administrators cannot be undone",
      Enabled: "while the key is disabled, tokens and webhook signing secrets are unreadable",
      EnableKeyRotation: "the key material is no longer replaced each year",
      PendingWindowInDays: "a scheduled deletion of the key leaves less time to cancel it",
    },
    isRetained: true,
  },
  "AWS::SecretsManager::Secret": {
    replaced:
      "the service reads a new secret: the operator's app secrets are lost to it, and API keys and sessions of a new root secret end",
    replacedBy: ["Name"],
    changed: {
      GenerateSecretString:
        "Secrets Manager generates a new value, which overwrites the operator's app secrets or ends all API keys and sessions. A new secret is a new resource",
      SecretString:
        "the value of the template overwrites the operator's, and is readable by everyone who reads the template",
      KmsKeyId: "without a grant on the new key no function can read the secret",
    },
    isRetained: true,
  },
  "AWS::S3::Bucket": {
    replaced: "webhooks and uploads that wait in the bucket are lost to the service, and no erasure deletes them",
    replacedBy: ["BucketName"],
    changed: {
      LifecycleConfiguration: "objects are deleted sooner, or are stored longer than the documentation promises",
      VersioningConfiguration: "deleted objects remain as versions, also those of erased people",
      BucketEncryption: "without a grant on the new key no function can read an object",
      OwnershipControls: "the owner of an object may be another account",
      PublicAccessBlockConfiguration: "objects may become public",
      CorsConfiguration: "pages of other origins may call the bucket, or the console can no longer upload",
    },
    isRetained: true,
  },
  "AWS::S3::BucketPolicy": {
    replaced: "while the policy is replaced, the bucket accepts requests without TLS",
    replacedBy: ["Bucket"],
    changed: { PolicyDocument: "functions lose access, or others get it" },
    isRetained: false,
  },
  "AWS::SQS::Queue": {
    replaced: "messages that wait in the queue are deleted: webhooks, events and tasks are lost",
    replacedBy: ["QueueName", "FifoQueue"],
    changed: {
      MessageRetentionPeriod: "messages that are older than the new period are deleted at once",
      MaximumMessageSize: "messages above the new size are refused",
      RedrivePolicy: "messages become dead letters sooner, or are retried for ever",
      VisibilityTimeout: "a message is received again while a function still processes it",
      KmsMasterKeyId: "without a grant on the new key no message can be received",
    },
    isRetained: false,
  },
  "AWS::ApiGatewayV2::Api": {
    replaced:
      "the public URL changes: the platforms send webhooks, logins and data deletions to an address that no longer exists",
    replacedBy: ["ProtocolType"],
    changed: { DisableExecuteApiEndpoint: "the public URL that the platforms have no longer answers" },
    isRetained: false,
  },
};

/** DynamoDB accepts one creation or deletion of an index in an update of a table. */
const INDEX_CHANGES_MAX = 1;
const INDEXES = "GlobalSecondaryIndexes";

/**
 * Compares what is stateful with the last release.
 * @returns what would happen to the data of a deployment, one line for each change. A new resource and one new index are none
 */
export function statefulChanges(released: StatefulResources, current: StatefulResources): string[] {
  const ofReleased = Object.entries(released).flatMap(([id, before]) => {
    const after = current[id];
    if (after === undefined || after.type !== before.type) return [`${id} is removed: ${of(before).replaced}.`];
    return [...policyChanges(id, before, after), ...propertyChanges(id, before, after)];
  });
  const added = Object.entries(current).filter(([id]) => !released[id]);
  return [...ofReleased, ...added.flatMap(([id, each]) => newResourceProblems(id, each))];
}

function of({ type }: StatefulResource): Consequences {
  return (
    consequences[type] ?? {
      replaced: `${type} has no text in changes.ts`,
      replacedBy: [],
      changed: {},
      isRetained: true,
    }
  );
}

function newResourceProblems(id: string, resource: StatefulResource): string[] {
  if (!consequences[resource.type])
    return [`${id} is new: write to changes.ts what a change of ${resource.type} does.`];
  return of(resource).isRetained ? notRetained(id, resource) : [];
}

function policyChanges(id: string, before: StatefulResource, after: StatefulResource): string[] {
  const isSame =
    before.deletionPolicy === after.deletionPolicy && before.updateReplacePolicy === after.updateReplacePolicy;
  if (isSame) return [];
  return of(before).isRetained ? notRetained(id, after) : [`${id} has another removal policy: ${of(before).replaced}.`];
}

function notRetained(id: string, { deletionPolicy, updateReplacePolicy }: StatefulResource): string[] {
  return [
    ...(deletionPolicy === "Retain" ? [] : [`${id} is deleted with its stack, with all that it stores.`]),
    ...(updateReplacePolicy === "Retain" ? [] : [`${id} is deleted when it is replaced, with all that it stores.`]),
  ];
}

function propertyChanges(id: string, before: StatefulResource, after: StatefulResource): string[] {
  const names = [...new Set([...Object.keys(before.properties), ...Object.keys(after.properties)])];
  const different = names.filter((name) => !isDeepStrictEqual(before.properties[name], after.properties[name]));
  const { replaced, replacedBy, changed } = of(before);
  const hasNewIndex = toIndexes(after).length > toIndexes(before).length;
  return different.flatMap((name) => {
    if (name === INDEXES) return indexChanges(id, before, after);
    if (name === "AttributeDefinitions" && hasNewIndex && includesAll(before, after)) return [];
    if (replacedBy.includes(name)) return [`${id} is replaced by its ${name}: ${replaced}.`];
    return [`${id} has another ${name}: ${changed[name] ?? UNKNOWN_CHANGE}.`];
  });
}

/** Whether all attributes of keys are still as they were, beside new ones. */
function includesAll(before: StatefulResource, after: StatefulResource): boolean {
  const attributes = (resource: StatefulResource) => (resource.properties.AttributeDefinitions ?? []) as unknown[];
  return attributes(before).every((one) => attributes(after).some((other) => isDeepStrictEqual(one, other)));
}

interface Index {
  readonly IndexName: string;
}

function toIndexes({ properties }: StatefulResource): readonly Index[] {
  return (properties[INDEXES] ?? []) as readonly Index[];
}

function indexChanges(id: string, before: StatefulResource, after: StatefulResource): string[] {
  const [earlier, later] = [toIndexes(before), toIndexes(after)];
  const named = (indexes: readonly Index[], name: string) => indexes.find(({ IndexName }) => IndexName === name);
  const removed = earlier.filter(({ IndexName }) => !named(later, IndexName));
  const added = later.filter(({ IndexName }) => !named(earlier, IndexName));
  const changed = earlier.filter((index) => {
    const other = named(later, index.IndexName);
    return other !== undefined && !isDeepStrictEqual(index, other);
  });
  const count = removed.length + added.length + 2 * changed.length;
  return [
    ...removed.map(
      ({ IndexName }) => `${id} loses its index ${IndexName}: functions of the release before, which still run, fail.`,
    ),
    ...changed.map(
      ({ IndexName }) =>
        `${id} has another index ${IndexName}: it is deleted and built again, and lists are empty until then. Add one with another name.`,
    ),
    ...(count > INDEX_CHANGES_MAX
      ? [
          `${id} has ${count} changes of indexes: DynamoDB accepts one per update, so the deployment fails. Release them one by one.`,
        ]
      : []),
  ];
}
