import {
  DeleteBucketCorsCommand,
  GetBucketCorsCommand,
  GetBucketEncryptionCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketPolicyCommand,
  GetBucketVersioningCommand,
  GetPublicAccessBlockCommand,
  HeadBucketCommand,
  type LifecycleRule,
  ListObjectsV2Command,
  PutBucketCorsCommand,
  PutBucketEncryptionCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketOwnershipControlsCommand,
  PutBucketPolicyCommand,
  PutPublicAccessBlockCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { type BucketRules, EXPIRY_RULE, MULTIPART_DAYS } from "../../../lib/config/bucket-rules.ts";
import { call, isError } from "../aws/calls.ts";
import { type Lack, Misfit } from "./resource.ts";

export interface BucketRequirements {
  /** 12 digits. */
  readonly account: string;
  readonly region: string;
  readonly rules: BucketRules;
}

/**
 * What a bucket lacks whose objects are all Parley's.
 * @throws Misfit for another bucket: the objects of one adopted expire
 */
export async function inspectBucket(
  client: S3Client,
  Bucket: string,
  { account, region, rules }: BucketRequirements,
): Promise<Lack[]> {
  await requireBucket(client, { Bucket, account, region });
  await requireOwnObjects(client, Bucket, rules.prefixes);
  const lacks = await Promise.all([
    lackOfPublicAccessBlock(client, Bucket),
    lackOfOwnership(client, Bucket),
    lackOfEncryption(client, Bucket),
    lackOfPolicy(client, Bucket),
    lackOfExpiry(client, Bucket, rules.expiresAfterDays),
    lackOfCors(client, Bucket, rules.takesPosts),
  ]);
  return lacks.flat();
}

async function requireBucket(
  client: S3Client,
  { Bucket, account, region }: { readonly Bucket: string; readonly account: string; readonly region: string },
): Promise<void> {
  const input = { Bucket, ExpectedBucketOwner: account };
  const head = await call("s3:ListBucket", client.send(new HeadBucketCommand(input))).catch((error: unknown) => {
    const { cause } = error as { cause?: { $metadata?: { httpStatusCode?: number } } };
    const status = cause?.$metadata?.httpStatusCode;
    if (status === 404) throw new Misfit("it does not exist. Check the setting.");
    if (status === 301) throw new Misfit(`it is in another region. Name one in ${region}.`);
    if (status !== 403) throw error;
    throw new Misfit(`it is not of account ${account}, or your credentials may not call s3:ListBucket on it.`);
  });
  if (head.BucketRegion !== undefined && head.BucketRegion !== region) {
    throw new Misfit(`it is in region ${head.BucketRegion}. Name one in ${region}.`);
  }
  const versioning = client.send(new GetBucketVersioningCommand({ Bucket }));
  if ((await call("s3:GetBucketVersioning", versioning)).Status !== undefined) {
    throw new Misfit("it stores versions, so that nothing in it can be erased. Name one without versions.");
  }
}

/** An object of anyone else would be deleted within days. */
async function requireOwnObjects(client: S3Client, Bucket: string, prefixes: readonly string[]): Promise<void> {
  const page = await call("s3:ListBucket", client.send(new ListObjectsV2Command({ Bucket, Delimiter: "/" })));
  const others = [
    ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix),
    ...(page.Contents ?? []).map(({ Key }) => Key),
  ];
  const other = others.find((name = "") => !prefixes.includes(name));
  if (other === undefined) return;
  throw new Misfit(
    `it has objects other than ${prefixes.join(" and ")}, such as ${other}, which would expire. Name a bucket that has none.`,
  );
}

/** @returns null where S3 answers that there is none */
async function optional<T>(permission: string, missing: string, answer: Promise<T>): Promise<T | null> {
  return await call(permission, answer).catch((error: unknown) => {
    if (isError(error, missing)) return null;
    throw error;
  });
}

async function lackOfPublicAccessBlock(client: S3Client, Bucket: string): Promise<Lack[]> {
  const answer = await optional(
    "s3:GetBucketPublicAccessBlock",
    "NoSuchPublicAccessBlockConfiguration",
    client.send(new GetPublicAccessBlockCommand({ Bucket })),
  );
  const expected = {
    BlockPublicAcls: true,
    IgnorePublicAcls: true,
    BlockPublicPolicy: true,
    RestrictPublicBuckets: true,
  };
  const current = answer?.PublicAccessBlockConfiguration ?? {};
  if (Object.keys(expected).every((name) => current[name as keyof typeof expected] === true)) return [];
  const set = () => {
    const command = new PutPublicAccessBlockCommand({ Bucket, PublicAccessBlockConfiguration: expected });
    return call("s3:PutBucketPublicAccessBlock", client.send(command));
  };
  return [{ name: "block of public access", set }];
}

async function lackOfOwnership(client: S3Client, Bucket: string): Promise<Lack[]> {
  const answer = await optional(
    "s3:GetBucketOwnershipControls",
    "OwnershipControlsNotFoundError",
    client.send(new GetBucketOwnershipControlsCommand({ Bucket })),
  );
  const [rule] = answer?.OwnershipControls?.Rules ?? [];
  if (rule?.ObjectOwnership === "BucketOwnerEnforced") return [];
  const set = () => {
    const OwnershipControls = { Rules: [{ ObjectOwnership: "BucketOwnerEnforced" as const }] };
    const command = new PutBucketOwnershipControlsCommand({ Bucket, OwnershipControls });
    return call("s3:PutBucketOwnershipControls", client.send(command));
  };
  return [{ name: "ownership of objects", set }];
}

async function lackOfEncryption(client: S3Client, Bucket: string): Promise<Lack[]> {
  const answer = await optional(
    "s3:GetEncryptionConfiguration",
    "ServerSideEncryptionConfigurationNotFoundError",
    client.send(new GetBucketEncryptionCommand({ Bucket })),
  );
  const [rule] = answer?.ServerSideEncryptionConfiguration?.Rules ?? [];
  if (rule?.ApplyServerSideEncryptionByDefault?.SSEAlgorithm === "AES256") return [];
  const set = () => {
    const Rules = [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: "AES256" as const } }];
    const command = new PutBucketEncryptionCommand({ Bucket, ServerSideEncryptionConfiguration: { Rules } });
    return call("s3:PutEncryptionConfiguration", client.send(command));
  };
  return [{ name: "encryption by S3's own key", set }];
}

interface Policy {
  readonly Version?: string;
  readonly Statement?: readonly PolicyStatement[];
}
interface PolicyStatement {
  readonly Effect?: string;
  readonly Action?: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly Condition?: { readonly Bool?: Readonly<Record<string, unknown>> };
}

/** The policy is deleted with the stack that left the bucket. Other statements of it stay. */
async function lackOfPolicy(client: S3Client, Bucket: string): Promise<Lack[]> {
  const request = client.send(new GetBucketPolicyCommand({ Bucket }));
  const answer = await optional("s3:GetBucketPolicy", "NoSuchBucketPolicy", request);
  const policy = JSON.parse(answer?.Policy ?? "{}") as Policy;
  const arn = `arn:${partitionOf(await client.config.region())}:s3:::${Bucket}`;
  const deniesPlainText = (policy.Statement ?? []).some(
    ({ Effect, Action, Resource, Condition }) =>
      Effect === "Deny" &&
      [Action].flat().includes("s3:*") &&
      [arn, `${arn}/*`].every((each) => [Resource].flat().includes(each)) &&
      Condition?.Bool?.["aws:SecureTransport"] === "false",
  );
  if (deniesPlainText) return [];
  const statement = {
    Effect: "Deny",
    Principal: { AWS: "*" },
    Action: "s3:*",
    Resource: [arn, `${arn}/*`],
    Condition: { Bool: { "aws:SecureTransport": "false" } },
  };
  const set = () => {
    const Statement = [...(policy.Statement ?? []), statement];
    const document = JSON.stringify({ Version: "2012-10-17", ...policy, Statement });
    return call("s3:PutBucketPolicy", client.send(new PutBucketPolicyCommand({ Bucket, Policy: document })));
  };
  return [{ name: "policy that requires TLS", set }];
}

function partitionOf(region: string): string {
  if (region.startsWith("cn-")) return "aws-cn";
  return region.startsWith("us-gov-") ? "aws-us-gov" : "aws";
}

async function lackOfExpiry(client: S3Client, Bucket: string, days: number): Promise<Lack[]> {
  const answer = await optional(
    "s3:GetLifecycleConfiguration",
    "NoSuchLifecycleConfiguration",
    client.send(new GetBucketLifecycleConfigurationCommand({ Bucket })),
  );
  const [rule, ...others] = answer?.Rules ?? [];
  if (rule !== undefined && others.length === 0 && expiresEverything(rule, days)) return [];
  const expected: LifecycleRule = {
    ID: EXPIRY_RULE,
    Status: "Enabled",
    Filter: { Prefix: "" },
    Expiration: { Days: days },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: MULTIPART_DAYS },
  };
  const set = () => {
    const LifecycleConfiguration = { Rules: [expected] };
    const command = new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration });
    return call("s3:PutLifecycleConfiguration", client.send(command));
  };
  return [{ name: `expiry of objects after ${days} ${days === 1 ? "day" : "days"}`, set }];
}

function expiresEverything(rule: LifecycleRule, days: number): boolean {
  const { Prefix = "", ...filters } = rule.Filter ?? {};
  return (
    rule.Status === "Enabled" &&
    (rule.Prefix ?? Prefix) === "" &&
    Object.keys(filters).length === 0 &&
    rule.Expiration?.Days === days &&
    rule.AbortIncompleteMultipartUpload?.DaysAfterInitiation === MULTIPART_DAYS
  );
}

async function lackOfCors(client: S3Client, Bucket: string, takesPosts: boolean): Promise<Lack[]> {
  const request = client.send(new GetBucketCorsCommand({ Bucket }));
  const { CORSRules: rules = [] } = (await optional("s3:GetBucketCORS", "NoSuchCORSConfiguration", request)) ?? {};
  if (!takesPosts) {
    if (rules.length === 0) return [];
    const set = () => call("s3:PutBucketCORS", client.send(new DeleteBucketCorsCommand({ Bucket })));
    return [{ name: "end of its CORS rules", set }];
  }
  const expected = { AllowedMethods: ["POST"], AllowedOrigins: ["*"] };
  const [rule, ...others] = rules;
  const isSame = others.length === 0 && rule?.AllowedMethods?.join() === "POST" && rule.AllowedOrigins?.join() === "*";
  if (isSame) return [];
  const set = () => {
    const command = new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: [expected] } });
    return call("s3:PutBucketCORS", client.send(command));
  };
  return [{ name: "CORS rule for posted files", set }];
}
