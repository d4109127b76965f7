import { type CORSRule, CreateBucketCommand, PutBucketCorsCommand } from "@aws-sdk/client-s3";
import { LocalRefusal } from "../support/local-refusal.ts";
import { type Identity, REGION } from "../template/intrinsics.ts";
import { describeResource, type StackResource } from "../template/template.ts";
import { type ProvisionContext, physicalName } from "./provision-context.ts";

interface BucketProperties {
  readonly BucketName?: string;
  readonly NotificationConfiguration?: unknown;
  readonly CorsConfiguration?: { readonly CorsRules: readonly CORSRule[] };
}

const BUCKET_EXISTS = /^BucketAlready(OwnedByYou|Exists)$/;

/** Creates a bucket. Lifecycle rules are not implemented. */
export async function provisionBucket(
  stackResource: StackResource,
  properties: BucketProperties,
  context: ProvisionContext,
): Promise<Identity> {
  if (properties.NotificationConfiguration) {
    throw new LocalRefusal(
      `The local stack sends no notifications for ${describeResource(stackResource)}: leave them out.`,
    );
  }
  const { s3 } = context.clients;
  const name = properties.BucketName ?? physicalName(stackResource).toLowerCase();
  await s3.send(new CreateBucketCommand({ Bucket: name })).catch((error: Error) => {
    if (!BUCKET_EXISTS.test(error.name)) throw error;
  });
  const rules = properties.CorsConfiguration?.CorsRules;
  if (rules) await s3.send(new PutBucketCorsCommand({ Bucket: name, CORSConfiguration: { CORSRules: [...rules] } }));
  const domain = `${name}.s3.amazonaws.com`;
  const regional = `${name}.s3.${REGION}.amazonaws.com`;
  return { ref: name, attributes: { Arn: `arn:aws:s3:::${name}`, DomainName: domain, RegionalDomainName: regional } };
}
