import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { type IRole, PolicyStatement } from "aws-cdk-lib/aws-iam";
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  HttpMethods,
  type IBucket,
  ObjectOwnership,
} from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { type BucketRules, EXPIRY_RULE, MULTIPART_DAYS } from "../config/bucket-rules.ts";

type ObjectAction = "GetObject" | "PutObject" | "DeleteObject";

export interface PrivateBucketProps {
  readonly rules: BucketRules;
  /** The name of a bucket to import. `npm run admin -- adopt` gives it what the template cannot. Null: a new bucket. */
  readonly existing: string | null;
}

/**
 * A bucket of the service's own, whose objects all expire. It stores no versions, so that an expired object leaves no copy.
 * It is retained when its stack is deleted.
 */
export class PrivateBucket<Prefix extends string> extends Construct {
  readonly bucket: Pick<IBucket, "bucketName" | "bucketArn" | "arnForObjects">;

  constructor(scope: Construct, id: string, { rules, existing }: PrivateBucketProps) {
    super(scope, id);
    if (existing !== null) {
      this.bucket = Bucket.fromBucketName(this, "Bucket", existing);
      return;
    }
    this.bucket = new Bucket(this, "Bucket", {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      versioned: false,
      cors: rules.takesPosts ? [{ allowedMethods: [HttpMethods.POST], allowedOrigins: ["*"] }] : [],
      lifecycleRules: [
        {
          id: EXPIRY_RULE,
          expiration: Duration.days(rules.expiresAfterDays),
          abortIncompleteMultipartUploadAfter: Duration.days(MULTIPART_DAYS),
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
