import { env, type QueueName, queues, queueUrlNames } from "#base/config/names.ts";

/** What the settings of a test name. */
export interface Deployment {
  readonly table: string;
  readonly keyId: string;
  readonly rawBucket: string;
  readonly uploadBucket: string;
  readonly journalBucket: string;
  readonly queueUrl: (queue: QueueName) => string;
  readonly baseUrl: string;
  readonly consoleUrl?: string;
  /** The sender address of mails; none are sent without it. */
  readonly mailFrom?: string;
  /** The URL of the platforms' APIs; they are the real ones without it. */
  readonly platformUrl?: string;
}

/** The environment of the functions, as a deployment sets it. Secrets are `root` and `platforms`. */
export function testSettings(deployment: Deployment): NodeJS.ProcessEnv {
  const { baseUrl, consoleUrl = baseUrl, mailFrom, platformUrl, queueUrl } = deployment;
  const urls = platformUrl && {
    facebook_graph: platformUrl,
    facebook_www: platformUrl,
    instagram_api: platformUrl,
    instagram_graph: platformUrl,
    instagram_www: platformUrl,
  };
  return {
    [env.table]: deployment.table,
    [env.keyId]: deployment.keyId,
    [env.rawBucket]: deployment.rawBucket,
    [env.uploadBucket]: deployment.uploadBucket,
    [env.journalBucket]: deployment.journalBucket,
    ...Object.fromEntries(queues.map((queue) => [env[queueUrlNames[queue]], queueUrl(queue)])),
    [env.deadLetterQueueUrls]: JSON.stringify(
      Object.fromEntries(queues.map((queue) => [queue, `${queueUrl(queue)}-dead`])),
    ),
    [env.rootSecretId]: "root",
    [env.platformSecretId]: "platforms",
    [env.baseUrl]: baseUrl,
    [env.consoleUrl]: consoleUrl,
    [env.realtimeUrl]: "wss://stream.example",
    [env.realtimeEndpoint]: "https://stream.example",
    [env.signUp]: "closed",
    [env.accountChecks]: "daily",
    [env.ownHosts]: new URL(baseUrl).hostname,
    ...(mailFrom ? { [env.mailFrom]: mailFrom, [env.mailConfigurationSet]: "mails" } : {}),
    ...(urls ? { [env.platformUrls]: JSON.stringify(urls), [env.metaAppId]: "1", [env.instagramAppId]: "2" } : {}),
  };
}
