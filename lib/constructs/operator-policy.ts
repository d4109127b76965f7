import { Stack } from "aws-cdk-lib";
import { ManagedPolicy, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { type QueueName, queues as queueNames, type SecretPurpose } from "#base/config/names.ts";
import type { ExistingResources } from "../config/existing.ts";
import { commandRights, existingReads, type Target, union } from "../config/operator-rights.ts";
import type { Settings } from "../config/settings.ts";
import { stackNames } from "../config/stack-names.ts";
import type { QueuePair } from "./queue-pair.ts";
import type { StoredData } from "./stored-data.ts";

export interface OperatorPolicyProps {
  readonly data: StoredData;
  readonly queues: Readonly<Record<QueueName, QueuePair>>;
  readonly stage: string;
  readonly settings: Settings;
}

type PlainTarget = Exclude<Target, SecretPurpose>;

/**
 * A managed policy for people and pipelines that run the commands with `--stage`: what `commandRights` has, for the resources
 * of this deployment only. It reads no file of a person and no queue, and opens no secret but a token that a command uses.
 */
export class OperatorPolicy extends Construct {
  readonly arn: string;

  constructor(scope: Construct, id: string, props: OperatorPolicyProps) {
    super(scope, id);
    const { existing } = props.settings;
    const statements = [
      ...this.#stacks(props),
      ...this.#resources(props),
      ...this.#sealing(props),
      ...this.#existing(props.data, existing),
    ];
    this.arn = new ManagedPolicy(this, "Policy", {
      description: `Parley: the operator's commands of the stage ${props.stage}`,
      statements,
    }).managedPolicyArn;
  }

  #arn(service: string, resource: string, resourceName: string): string {
    return Stack.of(this).formatArn({ service, resource, resourceName });
  }

  #stacks({ stage, settings }: OperatorPolicyProps): PolicyStatement[] {
    const ownStacks = Object.values(stackNames(stage)).map((name) => this.#arn("cloudformation", "stack", `${name}/*`));
    const owned = Object.values(settings.existing).some((name) => name !== null);
    return [
      new PolicyStatement({ actions: ["cloudformation:DescribeStacks"], resources: ownStacks }),
      // Whether an existing resource belongs to another stack, of any name.
      ...(owned ? [new PolicyStatement({ actions: ["cloudformation:DescribeStackResources"], resources: ["*"] })] : []),
    ];
  }

  #resources({ data, queues, settings }: OperatorPolicyProps): PolicyStatement[] {
    const { tableArn } = data.table.table;
    const all = (part: "queue" | "deadLetters") => queueNames.map((name) => queues[name][part].queueArn);
    const targets: Readonly<Record<PlainTarget, readonly string[]>> = {
      table: [tableArn],
      GS1: [`${tableArn}/index/GS1`],
      GS2: [`${tableArn}/index/GS2`],
      GS3: [`${tableArn}/index/GS3`],
      key: [data.key.key.keyArn],
      journal: [data.journal.bucket.bucketArn],
      "journal/acts": [data.journal.bucket.arnForObjects("acts/*")],
      "uploads/u": [data.uploads.bucket.arnForObjects("u/*")],
      "uploads/h": [data.uploads.bucket.arnForObjects("h/*")],
      rootSecret: [data.secrets.root.secretArn],
      platformSecret: [data.secrets.platforms.secretArn],
      ...(Object.fromEntries(queueNames.map((name) => [name, [queues[name].queue.queueArn]])) as Record<
        QueueName,
        string[]
      >),
      queues: all("queue"),
      deadLetters: all("deadLetters"),
      alarmTopic: settings.alarmTopicArn === null ? [] : [settings.alarmTopicArn],
      mailIdentities: [this.#arn("ses", "identity", "*")],
      bootstrapVersion: [this.#arn("ssm", "parameter", "cdk-bootstrap/hnb659fds/version")],
      account: ["*"],
    };
    const actions = new Map<string, Set<string>>();
    for (const [target, granted] of Object.entries(union(Object.values(commandRights)))) {
      for (const resource of targets[target as PlainTarget] ?? []) {
        const ofResource = actions.get(resource) ?? new Set();
        actions.set(resource, ofResource);
        for (const action of granted) ofResource.add(action);
      }
    }
    // One statement for all resources with the same actions: a policy may have 6,144 characters.
    const resources = new Map<string, string[]>();
    for (const [resource, granted] of actions) {
      const key = [...granted].sort().join(" ");
      resources.set(key, [...(resources.get(key) ?? []), resource]);
    }
    return [...resources].map(([granted, of]) => new PolicyStatement({ actions: granted.split(" "), resources: of }));
  }

  /** Each with the encryption context of its purpose. */
  #sealing({ data }: OperatorPolicyProps): PolicyStatement[] {
    const rights = union(Object.values(commandRights));
    return (["account-token", "webhook-secret", "login-choice", "check-challenge"] as const).flatMap((purpose) => {
      const actions = rights[purpose];
      return actions === undefined ? [] : [data.key.statementFor({ actions, purposes: [purpose] })];
    });
  }

  /** What `doctor` reads of the resources that the settings name. */
  #existing(data: StoredData, existing: ExistingResources): PolicyStatement[] {
    const bucketArns = (["rawBucket", "uploadBucket", "journalBucket"] as const)
      .filter((name) => existing[name] !== null)
      .map((name) => data[bucketsByName[name]].bucket.bucketArn);
    const reads = [
      { actions: existingReads.key, resources: existing.key === null ? [] : [data.key.key.keyArn] },
      { actions: existingReads.bucket, resources: bucketArns },
    ];
    return reads.flatMap(({ actions, resources }) =>
      resources.length === 0 ? [] : [new PolicyStatement({ actions: [...actions], resources })],
    );
  }
}

const bucketsByName = { rawBucket: "raw", uploadBucket: "uploads", journalBucket: "journal" } as const;
