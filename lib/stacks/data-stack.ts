import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { JournalBucket } from "../constructs/journal-bucket.ts";
import { RawBucket } from "../constructs/raw-bucket.ts";
import { ServiceSecrets } from "../constructs/service-secrets.ts";
import { SingleTable } from "../constructs/single-table.ts";
import { TokenKey } from "../constructs/token-key.ts";
import { UploadBucket } from "../constructs/upload-bucket.ts";

export interface DataStackProps extends StackProps {
  /** The days of which the table can be restored, 1 to 35. */
  readonly recoveryDays: number;
}

/** The stored data: table, key, raw webhook bodies, uploaded files, journal and secrets. All of it is retained when the stack is deleted. */
export class DataStack extends Stack {
  readonly table: SingleTable;
  readonly key: TokenKey;
  readonly raw: RawBucket;
  readonly uploads: UploadBucket;
  readonly journal: JournalBucket;
  readonly secrets: ServiceSecrets;

  constructor(scope: Construct, id: string, { recoveryDays, ...props }: DataStackProps) {
    super(scope, id, props);
    this.table = new SingleTable(this, "SingleTable", { recoveryDays });
    this.key = new TokenKey(this, "TokenKey");
    this.raw = new RawBucket(this, "RawBucket");
    this.uploads = new UploadBucket(this, "UploadBucket");
    this.journal = new JournalBucket(this, "JournalBucket", { recoveryDays });
    this.secrets = new ServiceSecrets(this, "Secrets");

    this.#exportAlways();

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
  #exportAlways(): void {
    const { table } = this.table;
    const { key } = this.key;
    const buckets = [this.raw.bucket, this.uploads.bucket, this.journal.bucket];
    const secrets = [this.secrets.root, this.secrets.platforms];
    for (const value of [table.tableName, table.tableArn, key.keyId, key.keyArn]) this.exportValue(value);
    for (const { bucketName, bucketArn } of buckets)
      for (const value of [bucketName, bucketArn]) this.exportValue(value);
    for (const { secretArn } of secrets) this.exportValue(secretArn);
  }
}
