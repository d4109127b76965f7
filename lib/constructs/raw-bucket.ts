import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { type IRole, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";

type Prefix = "inbound/" | "raw/";
type ObjectAction = "GetObject" | "PutObject" | "DeleteObject";

/** Raw webhook bodies: large ones on their way in (`inbound/`) and the copies kept for seven days (`raw/`). */
export class RawBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.bucket = new Bucket(this, "Bucket", {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      // No versioning: what has expired must be gone.
      versioned: false,
      lifecycleRules: [
        {
          id: "everything-expires",
          expiration: Duration.days(7),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  /** Lets a role do the named actions on the objects under one prefix. */
  allow(role: IRole, prefix: Prefix, ...actions: ObjectAction[]): void {
    role.addToPrincipalPolicy(
      new PolicyStatement({
        actions: actions.map((action) => `s3:${action}`),
        resources: [this.bucket.arnForObjects(`${prefix}*`)],
      }),
    );
  }

  /** Lets a role see which objects there are: without it S3 answers "denied" for one that is gone, and not "missing". */
  allowListing(role: IRole): void {
    role.addToPrincipalPolicy(new PolicyStatement({ actions: ["s3:ListBucket"], resources: [this.bucket.bucketArn] }));
  }
}
