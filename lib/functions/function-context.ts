import type { Code } from "aws-cdk-lib/aws-lambda";
import { env, type FunctionName, type QueueName, queueUrlNames } from "#base/config/names.ts";
import type { OperatorLimitName } from "#base/config/operator-limits.ts";
import type { Settings } from "../config/settings.ts";
import type { MailSending } from "../constructs/mail-sending.ts";
import type { QueuePair } from "../constructs/queue-pair.ts";
import type { StoredData } from "../constructs/stored-data.ts";

/** The resources and settings that a function is built from. */
export interface FunctionContext {
  readonly data: StoredData;
  readonly queues: Readonly<Record<QueueName, QueuePair>>;
  readonly stage: string;
  readonly settings: Settings;
  /** Null when no sender address is set. */
  readonly mail: MailSending | null;
  /** The bundle of each function. */
  readonly code: (name: FunctionName) => Code;
}

export type Variables = Readonly<Record<string, string>>;

export function tableVariables({ data }: FunctionContext): Variables {
  return { [env.table]: data.table.table.tableName };
}

export function keyVariables({ data }: FunctionContext): Variables {
  return { [env.keyId]: data.key.key.keyId };
}

export function rawBucketVariables({ data }: FunctionContext): Variables {
  return { [env.rawBucket]: data.raw.bucket.bucketName };
}

export function uploadBucketVariables({ data }: FunctionContext): Variables {
  return { [env.uploadBucket]: data.uploads.bucket.bucketName };
}

/** Of a function that makes acts which a restored table does not know. */
export function journalVariables({ data }: FunctionContext): Variables {
  return { [env.journalBucket]: data.journal.bucket.bucketName };
}

export function rootSecretVariables({ data }: FunctionContext): Variables {
  return { [env.rootSecretId]: data.secrets.root.secretArn };
}

/** What a caller of the platforms needs: the secret of the app, the API version and, if set, hosts that replace theirs. */
export function platformVariables({ data, settings }: FunctionContext): Variables {
  return {
    [env.platformSecretId]: data.secrets.platforms.secretArn,
    [env.graphVersion]: settings.graphVersion,
    ...(settings.platformUrls === null ? {} : { [env.platformUrls]: settings.platformUrls }),
  };
}

/** The limits that a function applies. */
export function limitVariables({ settings }: FunctionContext, ...names: readonly OperatorLimitName[]): Variables {
  return Object.fromEntries(names.map((name) => [env[name], String(settings.limits[name])]));
}

/** What the platforms' logins need besides: the ids of the app. */
export function loginVariables({ settings }: FunctionContext): Variables {
  const { metaAppId, instagramAppId, facebookLoginConfig } = settings;
  return {
    ...(metaAppId === null ? {} : { [env.metaAppId]: metaAppId }),
    ...(instagramAppId === null ? {} : { [env.instagramAppId]: instagramAppId }),
    ...(facebookLoginConfig === null ? {} : { [env.facebookLoginConfig]: facebookLoginConfig }),
  };
}

/** The URLs of the queues that a function sends to. */
export function queueVariables({ queues }: FunctionContext, ...names: readonly QueueName[]): Variables {
  return Object.fromEntries(names.map((name) => [env[queueUrlNames[name]], queues[name].queue.queueUrl]));
}
