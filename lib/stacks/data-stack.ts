import { CfnOutput, CfnWaitConditionHandle, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { type ExistingResources, NOTHING_EXISTING } from "../config/existing.ts";
import { NO_CAP, type ThroughputCap } from "../config/settings.ts";
import { JournalBucket } from "../constructs/journal-bucket.ts";
import { RawBucket } from "../constructs/raw-bucket.ts";
import { ServiceSecrets } from "../constructs/service-secrets.ts";
import { SingleTable } from "../constructs/single-table.ts";
import type { StoredData } from "../constructs/stored-data.ts";
import { TokenKey } from "../constructs/token-key.ts";
import { UploadBucket } from "../constructs/upload-bucket.ts";

export interface DataStackProps extends StackProps {
  /** The days of which the table can be restored, 1 to 35. */
  readonly recoveryDays: number;
  /** What the stack imports in place of creating it. Default: nothing. */
  readonly existing?: ExistingResources;
  /** Default: none. */
  readonly throughputCap?: ThroughputCap;
}

/** The ids of the exports of what is imported. For a resource of its own, CDK derives the same ones. */
const EXPORT_IDS = {
  table: ["ExportsOutputRefSingleTable46C85431171A0064", "ExportsOutputFnGetAttSingleTable46C85431Arn126045EF"],
  key: ["ExportsOutputRefTokenKey812BBFC4F86A2BF9", "ExportsOutputFnGetAttTokenKey812BBFC4Arn59F70270"],
  rawBucket: ["ExportsOutputRefRawBucketF4E29A3FA1384BD3", "ExportsOutputFnGetAttRawBucketF4E29A3FArn63B96D2E"],
  uploadBucket: [
    "ExportsOutputRefUploadBucketB0FBA0377290D88A",
    "ExportsOutputFnGetAttUploadBucketB0FBA037ArnEE59DDB5",
  ],
  journalBucket: [
    "ExportsOutputRefJournalBucket00B499C6383320EB",
    "ExportsOutputFnGetAttJournalBucket00B499C6Arn370F27E1",
  ],
  rootSecret: ["ExportsOutputRefSecretsRootSecret10638A29578A0C5C"],
  platformSecret: ["ExportsOutputRefSecretsPlatformSecretsCD9085B0A8688279"],
} as const satisfies Readonly<Record<keyof ExistingResources, readonly string[]>>;

/**
 * The stored data: table, key, raw webhook bodies, uploaded files, journal and secrets. All of it is retained when the stack
 * is deleted, and when a setting names an existing resource in its place.
 */
export class DataStack extends Stack implements StoredData {
  readonly table: SingleTable;
  readonly key: TokenKey;
  readonly raw: RawBucket;
  readonly uploads: UploadBucket;
  readonly journal: JournalBucket;
  readonly secrets: ServiceSecrets;

  constructor(
    scope: Construct,
    id: string,
    { recoveryDays, existing = NOTHING_EXISTING, throughputCap = NO_CAP, ...props }: DataStackProps,
  ) {
    super(scope, id, props);
    this.table = new SingleTable(this, "SingleTable", { recoveryDays, throughputCap, existing: existing.table });
    this.key = new TokenKey(this, "TokenKey", existing.key);
    this.raw = new RawBucket(this, "RawBucket", existing.rawBucket);
    this.uploads = new UploadBucket(this, "UploadBucket", existing.uploadBucket);
    this.journal = new JournalBucket(this, "JournalBucket", { recoveryDays, existing: existing.journalBucket });
    this.secrets = new ServiceSecrets(this, "Secrets", {
      root: existing.rootSecret,
      platforms: existing.platformSecret,
    });
    // CloudFormation refuses a stack without a resource. This one is free and does nothing.
    if (Object.values(existing).every((name) => name !== null)) new CfnWaitConditionHandle(this, "EverythingExists");

    this.#exportAlways(existing);

    // The operator's commands read these.
    new CfnOutput(this, "TableName", { value: this.table.table.tableName });
    new CfnOutput(this, "UploadBucketName", { value: this.uploads.bucket.bucketName });
    new CfnOutput(this, "JournalBucketName", { value: this.journal.bucket.bucketName });
    new CfnOutput(this, "KeyId", { value: this.key.key.keyId });
    new CfnOutput(this, "RootSecretId", { value: this.secrets.root.secretArn });
    new CfnOutput(this, "PlatformSecretId", { value: this.secrets.platforms.secretArn });
  }

  /**
   * Exports the values that the service stack may import, also while none imports them. An export that came and went with
   * its importer could not be removed: the data stack is deployed first, and CloudFormation refuses to remove an export that
   * the deployed service stack still uses.
   */
  #exportAlways(existing: ExistingResources): void {
    const { table } = this.table;
    const { key } = this.key;
    const ofBucket = ({ bucket }: RawBucket | UploadBucket | JournalBucket) => [bucket.bucketName, bucket.bucketArn];
    this.#export("table", existing, [table.tableName, table.tableArn]);
    this.#export("key", existing, [key.keyId, key.keyArn]);
    this.#export("rawBucket", existing, ofBucket(this.raw));
    this.#export("uploadBucket", existing, ofBucket(this.uploads));
    this.#export("journalBucket", existing, ofBucket(this.journal));
    this.#export("rootSecret", existing, [this.secrets.root.secretArn]);
    this.#export("platformSecret", existing, [this.secrets.platforms.secretArn]);
  }

  #export(name: keyof ExistingResources, existing: ExistingResources, values: readonly string[]): void {
    for (const [at, value] of values.entries()) {
      if (existing[name] === null) {
        this.exportValue(value);
        continue;
      }
      const id = EXPORT_IDS[name][at];
      if (id === undefined) throw new Error(`The export ${at} of ${name} has no id.`);
      // The service stack has the names themselves and imports none of them: CloudFormation does not change the value of an
      // export that another stack imports, so that no second copy could ever be named.
      new CfnOutput(this, `Existing${id}`, { value, exportName: `${this.stackName}:${id}` }).overrideLogicalId(id);
    }
  }
}
