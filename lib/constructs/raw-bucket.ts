import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { type IRole, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";

type Prefix = "inbound/" | "raw/";
type ObjectAction = "GetObject" | "PutObject" | "DeleteObject";

/**
 * Raw webhook bodies: bodies too large for a queue message (`inbound/`) and copies stored for seven days (`raw/`). The
 * sweep deletes them each hour.
 */
export class RawBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.bucket = new Bucket(this, "Bucket", {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      // No versioning, so that an expired object leaves no copy.
      versioned: false,
      lifecycleRules: [
        {
          // Should the sweep fail. S3 counts from the next midnight, and deletes some hours later.
          id: "everything-expires",
          expiration: Duration.days(7),
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
