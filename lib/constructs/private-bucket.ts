import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { type IRole, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { BlockPublicAccess, Bucket, BucketEncryption, type CorsRule, ObjectOwnership } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";

type ObjectAction = "GetObject" | "PutObject" | "DeleteObject";

export interface PrivateBucketProps {
  /** Should the sweep fail. S3 counts from the next midnight, and deletes some hours later. */
  readonly expiresAfterDays: number;
  /** Default: no page of any origin may call the bucket. */
  readonly cors?: readonly CorsRule[];
}

/**
 * A bucket of the service's own, whose objects all expire. It stores no versions, so that an expired object leaves no copy.
 * It is retained when its stack is deleted.
 */
export class PrivateBucket<Prefix extends string> extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { expiresAfterDays, cors = [] }: PrivateBucketProps) {
    super(scope, id);
    this.bucket = new Bucket(this, "Bucket", {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      versioned: false,
      cors: [...cors],
      lifecycleRules: [
        {
          id: "everything-expires",
          expiration: Duration.days(expiresAfterDays),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  /** Grants a role the actions on the objects under one prefix. */
  allow(role: IRole, prefix: Prefix, ...actions: ObjectAction[]): void {
    role.addToPrincipalPolicy(
      new PolicyStatement({
        actions: actions.map((action) => `s3:${action}`),
        resources: [this.bucket.arnForObjects(`${prefix}*`)],
      }),
    );
  }

  /** Grants a role ListBucket, without which S3 also answers 403 instead of 404 for an object that does not exist. */
  allowListing(role: IRole): void {
    role.addToPrincipalPolicy(new PolicyStatement({ actions: ["s3:ListBucket"], resources: [this.bucket.bucketArn] }));
  }
}
