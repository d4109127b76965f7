import { type CORSRule, CreateBucketCommand, PutBucketCorsCommand } from "@aws-sdk/client-s3";
import { LocalRefusal } from "../support/settings-error.ts";
import { type Identity, REGION } from "../template/intrinsics.ts";
import { nameOf, type Placed } from "../template/template.ts";
import { physicalName, type Workshop } from "./provision-context.ts";

interface BucketProperties {
  readonly BucketName?: string;
  readonly NotificationConfiguration?: unknown;
  readonly CorsConfiguration?: { readonly CorsRules: readonly CORSRule[] };
}

const ALREADY = /^BucketAlready(OwnedByYou|Exists)$/;

/** A bucket; the rules that expire its objects are the cloud's and are not imitated. */
export async function makeBucket(placed: Placed, properties: BucketProperties, workshop: Workshop): Promise<Identity> {
  if (properties.NotificationConfiguration) {
    throw new LocalRefusal(`The local stack sends no notifications for ${nameOf(placed)}: leave them out.`);
  }
  const { s3 } = workshop.clients;
  const name = properties.BucketName ?? physicalName(placed).toLowerCase();
  await s3.send(new CreateBucketCommand({ Bucket: name })).catch((error: Error) => {
    if (!ALREADY.test(error.name)) throw error;
  });
  const rules = properties.CorsConfiguration?.CorsRules;
  if (rules) await s3.send(new PutBucketCorsCommand({ Bucket: name, CORSConfiguration: { CORSRules: [...rules] } }));
  const domain = `${name}.s3.amazonaws.com`;
  const regional = `${name}.s3.${REGION}.amazonaws.com`;
  return { ref: name, attributes: { Arn: `arn:aws:s3:::${name}`, DomainName: domain, RegionalDomainName: regional } };
}
