// The operator's settings, read from the CDK context (`-c parley:name=value`, or "context" in cdk.json) and from the
// file of the stage. They are checked before anything is built: a mistyped setting stops the synthesis instead of
// falling back to its default.

import { type OperatorLimits, operatorLimitNames, operatorLimits } from "#base/config/operator-limits.ts";
import { withoutEndSlashes } from "#base/kernel/text/urls.ts";
import { type ExistingName, type ExistingResources, existingForms, existingNames } from "./existing.ts";

/** Requests per second over all callers, and the burst above that rate. */
export interface Throttle {
  readonly rate: number;
  readonly burst: number;
}

/** The parts of the HTTP API that have a throttle of their own, so that none counts against another. */
export interface EdgeThrottles {
  /** The platforms' webhooks. */
  readonly webhooks: Throttle;
  readonly signIn: Throttle;
  readonly checkPage: Throttle;
  /** Every other route. */
  readonly rest: Throttle;
}

/** A domain of the operator for one gateway. */
export interface DomainSetting {
  readonly name: string;
  /** Of a certificate of ACM in the region of the deployment. */
  readonly certificateArn: string;
}

/** A distribution of CloudFront in front of the HTTP API, which then has the domain. */
export interface CloudFrontSetting {
  /** A higher number is another secret by which the functions recognize the distribution. */
  readonly originSecretNumber: number;
}

/** The most units a second of the table, and of each index. Null: no limit. */
export interface ThroughputCap {
  readonly readUnits: number | null;
  readonly writeUnits: number | null;
}

export const NO_CAP: ThroughputCap = { readUnits: null, writeUnits: null };

/** A monthly budget of the AWS account. */
export interface BudgetSetting {
  /** In US dollars. */
  readonly amount: number;
  /** A mail address, or the ARN of an SNS topic. */
  readonly notify: string;
}

/** A setting that the operator can correct. Its message is one line, which names the problem and the fix. */
export class SettingError extends Error {}

export interface Settings {
  /** The domain of the HTTP API. Null: the gateway's own host. */
  readonly domain: DomainSetting | null;
  /** The domain of the WebSocket API. Null: the gateway's own host. */
  readonly realtimeDomain: DomainSetting | null;
  /** Null: no distribution. */
  readonly cloudFront: CloudFrontSetting | null;
  readonly throughputCap: ThroughputCap;
  /** Null: no budget. */
  readonly budget: BudgetSetting | null;
  /** The public URL of the API, without a trailing slash. Null: that of the domain or the gateway. */
  readonly baseUrl: string | null;
  /** The public WebSocket URL, without a trailing slash. Null: that of the domain or the gateway. */
  readonly realtimeUrl: string | null;
  /** The origin of the console, to which a sign-in redirects. Null: that of the API. */
  readonly consoleUrl: string | null;
  /** Whether anyone may sign in and create a tenant, or only members, invited people and named owners. */
  readonly signUp: "open" | "closed";
  /** The most accounts of a tenant. */
  readonly accountsPerTenant: number;
  /** What a person and a tenant may use. */
  readonly limits: OperatorLimits;
  /** How often each account is checked, with its newest threads. */
  readonly accountChecks: "daily" | "hourly";
  /** The URL that `/` and security.txt redirect to. Null: both answer 404. */
  readonly siteUrl: string | null;
  /** JSON of hosts that replace the platforms' own. Null: the platforms' own. */
  readonly platformUrls: string | null;
  readonly graphVersion: string;
  /** The id of the Meta app. Null: no Messenger account, and no Instagram account of a page, can be connected. */
  readonly metaAppId: string | null;
  /** The Instagram id of the app. Null: no account can be connected by Instagram's login. */
  readonly instagramAppId: string | null;
  /** The configuration of Facebook Login for Business. Null: each login names its permissions. */
  readonly facebookLoginConfig: string | null;
  /** Throttling at the gateway. The sockets have a throttle of the same size as `rest`. */
  readonly throttles: EdgeThrottles;
  /** `small` fits into an account that runs ten functions at once. */
  readonly size: "standard" | "small";
  /** Whether each queue has its own dead letter queue, or all have one, which costs less. */
  readonly deadLetterQueues: "each" | "one";
  /** Maximum concurrent invocations per queue. */
  readonly concurrency: {
    readonly inbound: number;
    readonly events: number;
    readonly deliveries: number;
    readonly slowDeliveries: number;
  };
  /** Reserved concurrency of the Api function. Null: it shares the account's pool. */
  readonly apiReservedConcurrency: number | null;
  /** Reserved concurrency of the Intake function, which receives the webhooks. Null: it shares the account's pool. */
  readonly intakeReservedConcurrency: number | null;
  /** The sender address of mails. Null: no mails are sent, so no one can sign in. */
  readonly mailFrom: string | null;
  /** How many days of the table can be restored. */
  readonly recoveryPeriodInDays: number;
  /** What the data stack imports in place of creating it. */
  readonly existing: ExistingResources;
  /** The SNS topic that every alarm notifies. Null: the alarms show in CloudWatch only. */
  readonly alarmTopicArn: string | null;
}

export const SETTING_PREFIX = "parley:";
/** Names the stage, whose file has the other settings. */
export const STAGE_KEY = `${SETTING_PREFIX}stage`;

export const settingNames = [
  "baseUrl",
  "realtimeUrl",
  "consoleUrl",
  "signUp",
  "accountsPerTenant",
  ...operatorLimitNames,
  "accountChecks",
  "siteUrl",
  "platformUrls",
  "graphVersion",
  "metaAppId",
  "instagramAppId",
  "facebookLoginConfig",
  "throttleRate",
  "throttleBurst",
  "webhooksThrottleRate",
  "webhooksThrottleBurst",
  "signInThrottleRate",
  "signInThrottleBurst",
  "checkPageThrottleRate",
  "checkPageThrottleBurst",
  "size",
  "deadLetterQueues",
  "inboundConcurrency",
  "eventsConcurrency",
  "deliveriesConcurrency",
  "slowDeliveriesConcurrency",
  "apiReservedConcurrency",
  "intakeReservedConcurrency",
  "mailFrom",
  "alarmTopicArn",
  "recoveryPeriodInDays",
  "domain",
  "certificateArn",
  "realtimeDomain",
  "realtimeCertificateArn",
  "budgetAmount",
  "budgetNotify",
  ...existingNames,
  "cloudFront",
  "originSecretNumber",
  "tableMaxReadUnits",
  "tableMaxWriteUnits",
] as const;
type Name = (typeof settingNames)[number];
type ThrottleName = "throttle" | "webhooksThrottle" | "signInThrottle" | "checkPageThrottle";

type ConcurrencyName =
  | "inboundConcurrency"
  | "eventsConcurrency"
  | "deliveriesConcurrency"
  | "slowDeliveriesConcurrency";
type ReservedName = "apiReservedConcurrency" | "intakeReservedConcurrency";

/** The least maximum that Lambda accepts for the invocations that read one queue. */
export const CONCURRENCY_MIN = 2;

const PLATFORM_HOSTS = ["facebook_www", "facebook_graph", "instagram_www", "instagram_api", "instagram_graph"];

/**
 * Parses the settings of a CDK context and ignores keys without the `parley:` prefix. An empty value counts as unset.
 * The stage itself is read before, by `readStage`.
 * @throws SettingError that names the setting and the values it accepts
 */
export function parseSettings(context: Readonly<Record<string, unknown>>): Settings {
  rejectUnknown(context);
  const rawValue = (name: Name): unknown => {
    const value = context[SETTING_PREFIX + name];
    return value === "" || value === null ? undefined : value;
  };
  const throttle = (name: ThrottleName, { rate, burst }: Throttle): Throttle => ({
    rate: wholeNumber(`${name}Rate`, rawValue(`${name}Rate`) ?? rate, 1, 100_000),
    burst: wholeNumber(`${name}Burst`, rawValue(`${name}Burst`) ?? burst, 1, 100_000),
  });
  const size = oneOf("size", rawValue("size") ?? "standard", ["standard", "small"]);
  if (size === "small") rejectInSmall("deadLetterQueues", rawValue("deadLetterQueues"));
  const concurrency = (name: ConcurrencyName, standard: number): number => {
    if (size === "standard") return wholeNumber(name, rawValue(name) ?? standard, CONCURRENCY_MIN, 1_000);
    rejectInSmall(name, rawValue(name));
    return CONCURRENCY_MIN;
  };
  const reserved = (name: ReservedName, min: number, standard: number | null): number | null => {
    if (size === "small") rejectInSmall(name, rawValue(name));
    const value = rawValue(name) ?? (size === "small" ? null : standard);
    return value === null ? null : wholeNumber(name, value, min, 10_000);
  };
  return {
    ...edge(rawValue),
    throughputCap: {
      readUnits: unitsPerSecond("tableMaxReadUnits", rawValue("tableMaxReadUnits")),
      writeUnits: unitsPerSecond("tableMaxWriteUnits", rawValue("tableMaxWriteUnits")),
    },
    budget: budget(rawValue),
    baseUrl: rawValue("baseUrl") === undefined ? null : withoutEndSlashes(url("baseUrl", rawValue("baseUrl"))),
    realtimeUrl: rawValue("realtimeUrl") === undefined ? null : webSocketUrl("realtimeUrl", rawValue("realtimeUrl")),
    consoleUrl: rawValue("consoleUrl") === undefined ? null : origin("consoleUrl", rawValue("consoleUrl")),
    signUp: oneOf("signUp", rawValue("signUp") ?? "closed", ["open", "closed"]),
    accountsPerTenant: wholeNumber("accountsPerTenant", rawValue("accountsPerTenant") ?? 500, 1, 1_000),
    limits: limits(rawValue),
    accountChecks: oneOf("accountChecks", rawValue("accountChecks") ?? "daily", ["daily", "hourly"]),
    siteUrl: rawValue("siteUrl") === undefined ? null : url("siteUrl", rawValue("siteUrl")),
    platformUrls: rawValue("platformUrls") === undefined ? null : urls("platformUrls", rawValue("platformUrls")),
    graphVersion: pattern(
      "graphVersion",
      rawValue("graphVersion") ?? "v26.0",
      /^v\d{1,3}\.\d$/,
      "a version such as v26.0",
    ),
    metaAppId: platformId("metaAppId", rawValue("metaAppId")),
    instagramAppId: platformId("instagramAppId", rawValue("instagramAppId")),
    facebookLoginConfig: platformId("facebookLoginConfig", rawValue("facebookLoginConfig")),
    throttles: {
      webhooks: throttle("webhooksThrottle", { rate: 500, burst: 1_000 }),
      signIn: throttle("signInThrottle", { rate: 50, burst: 100 }),
      checkPage: throttle("checkPageThrottle", { rate: 50, burst: 100 }),
      rest: throttle("throttle", { rate: 200, burst: 500 }),
    },
    size,
    deadLetterQueues:
      size === "small" ? "one" : oneOf("deadLetterQueues", rawValue("deadLetterQueues") ?? "each", ["each", "one"]),
    concurrency: {
      inbound: concurrency("inboundConcurrency", 20),
      events: concurrency("eventsConcurrency", 200),
      deliveries: concurrency("deliveriesConcurrency", 50),
      slowDeliveries: concurrency("slowDeliveriesConcurrency", 50),
    },
    apiReservedConcurrency: reserved("apiReservedConcurrency", 1, null),
    // Lambda understands a reservation of 0 as a function that never runs. Here it means no reservation.
    intakeReservedConcurrency: reserved("intakeReservedConcurrency", 0, 100) || null,
    mailFrom:
      rawValue("mailFrom") === undefined
        ? null
        : pattern(
            "mailFrom",
            rawValue("mailFrom"),
            /^[\w.+-]{1,64}@[\w-]+(\.[\w-]+)+$/,
            "an email address such as parley@example.com",
          ),
    alarmTopicArn:
      rawValue("alarmTopicArn") === undefined
        ? null
        : pattern(
            "alarmTopicArn",
            rawValue("alarmTopicArn"),
            /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/,
            "the ARN of an SNS topic",
          ),
    recoveryPeriodInDays: wholeNumber("recoveryPeriodInDays", rawValue("recoveryPeriodInDays") ?? 35, 1, 35),
    existing: existingResources(rawValue),
  };
}

const HOST_NAME = /^(?=.{4,253}$)([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)+[a-z]{2,63}$/;
const CERTIFICATE_ARN = /^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/;
/** CloudFront reads certificates there only. */
const CLOUDFRONT_CERTIFICATE_ARN = /^arn:[\w-]+:acm:us-east-1:\d{12}:certificate\/[\w-]+$/;
const MAIL_OR_TOPIC = /^([\w.+-]{1,64}@[\w-]+(\.[\w-]+)+|arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+)$/;

function edge(rawValue: (name: Name) => unknown): Pick<Settings, "cloudFront" | "domain" | "realtimeDomain"> {
  const isOn = oneOf("cloudFront", rawValue("cloudFront") ?? "off", ["off", "on"]) === "on";
  const number = rawValue("originSecretNumber");
  if (!isOn && number !== undefined) throw missingPart("originSecretNumber", "cloudFront");
  const cloudFront = isOn ? { originSecretNumber: wholeNumber("originSecretNumber", number ?? 1, 1, 1_000_000) } : null;
  return { cloudFront, ...domains(rawValue, isOn) };
}

function unitsPerSecond(name: "tableMaxReadUnits" | "tableMaxWriteUnits", value: unknown): number | null {
  return value === undefined ? null : wholeNumber(name, value, 1, 1_000_000);
}

/** @param hasCloudFront whether a distribution has the domain, whose certificate then serves nothing else */
function domains(
  rawValue: (name: Name) => unknown,
  hasCloudFront: boolean,
): Pick<Settings, "domain" | "realtimeDomain"> {
  const optional = (name: Name, regex: RegExp, expected: string): string | null =>
    rawValue(name) === undefined ? null : pattern(name, rawValue(name), regex, expected);
  const certificate = (name: "certificateArn" | "realtimeCertificateArn") =>
    hasCloudFront && name === "certificateArn"
      ? optional(
          name,
          CLOUDFRONT_CERTIFICATE_ARN,
          "the ARN of a certificate of ACM in us-east-1, as CloudFront needs it",
        )
      : optional(name, CERTIFICATE_ARN, "the ARN of a certificate of ACM");
  const host = (name: "domain" | "realtimeDomain") =>
    optional(name, HOST_NAME, "a host name in lower case, such as api.example.com");
  const [name, realtimeName] = [host("domain"), host("realtimeDomain")];
  const [certificateArn, ownCertificateArn] = [certificate("certificateArn"), certificate("realtimeCertificateArn")];
  const realtimeArn = ownCertificateArn ?? (hasCloudFront ? null : certificateArn);
  if (certificateArn !== null && name === null && (realtimeName === null || ownCertificateArn !== null)) {
    throw missingPart("certificateArn", "domain");
  }
  if (ownCertificateArn !== null && realtimeName === null)
    throw missingPart("realtimeCertificateArn", "realtimeDomain");
  if (name !== null && certificateArn === null) throw missingPart("domain", "certificateArn");
  if (realtimeName !== null && realtimeArn === null) throw missingPart("realtimeDomain", "realtimeCertificateArn");
  if (name !== null && name === realtimeName) throw invalidSetting("realtimeDomain", realtimeName, "another domain");
  return {
    domain: name === null || certificateArn === null ? null : { name, certificateArn },
    realtimeDomain:
      realtimeName === null || realtimeArn === null ? null : { name: realtimeName, certificateArn: realtimeArn },
  };
}

function budget(rawValue: (name: Name) => unknown): BudgetSetting | null {
  const [amount, notify] = [rawValue("budgetAmount"), rawValue("budgetNotify")];
  if (amount === undefined && notify === undefined) return null;
  if (notify === undefined) throw missingPart("budgetAmount", "budgetNotify");
  if (amount === undefined) throw missingPart("budgetNotify", "budgetAmount");
  return {
    amount: wholeNumber("budgetAmount", amount, 1, 1_000_000),
    notify: pattern("budgetNotify", notify, MAIL_OR_TOPIC, "an email address or the ARN of an SNS topic"),
  };
}

function existingResources(rawValue: (name: Name) => unknown): ExistingResources {
  const entries = existingNames.flatMap((name) => {
    const value = rawValue(name);
    const { regex, expected } = existingForms[name];
    return value === undefined ? [] : [[name, pattern(name, value, regex, expected)] as const];
  });
  const values = new Map<ExistingName, string>(entries);
  const [twice] = entries.filter(([, value], at) => entries.findIndex(([, each]) => each === value) !== at);
  // Each has rules of its own, such as when its objects expire.
  if (twice !== undefined) throw invalidSetting(twice[0], twice[1], "a resource that no other setting names");
  const named = (name: ExistingName) => values.get(name) ?? null;
  return {
    table: named("existingTable"),
    key: named("existingKey"),
    rawBucket: named("existingRawBucket"),
    uploadBucket: named("existingUploadBucket"),
    journalBucket: named("existingJournalBucket"),
    rootSecret: named("existingRootSecret"),
    platformSecret: named("existingPlatformSecret"),
  };
}

/** A setting that has no effect without another one. */
function missingPart(name: Name, missing: Name): Error {
  return new SettingError(
    `${SETTING_PREFIX}${name} needs ${SETTING_PREFIX}${missing}. Set ${SETTING_PREFIX}${missing}, or remove ${SETTING_PREFIX}${name}.`,
  );
}

function limits(rawValue: (name: Name) => unknown): OperatorLimits {
  const values = operatorLimitNames.map((name) => {
    const limit = operatorLimits[name];
    return [name, wholeNumber(name, rawValue(name) ?? limit.default, 1, limit.max)];
  });
  return Object.fromEntries(values) as OperatorLimits;
}

export function isSettingName(name: string): boolean {
  return settingNames.some((each) => each === name);
}

function rejectUnknown(context: Readonly<Record<string, unknown>>): void {
  const validKeys = new Set<string>([...settingNames.map((name) => SETTING_PREFIX + name), STAGE_KEY]);
  const unknown = Object.keys(context).filter((key) => key.startsWith(SETTING_PREFIX) && !validKeys.has(key));
  if (unknown.length > 0) {
    throw new SettingError(`Unknown setting ${unknown.join(", ")}. Valid settings: ${[...validKeys].join(", ")}.`);
  }
}

function invalidSetting(name: Name, value: unknown, expected: string): Error {
  return new SettingError(`Invalid ${SETTING_PREFIX}${name}: ${JSON.stringify(value)}. Set it to ${expected}.`);
}

/** In the size `small` these are given. A value that is ignored would look as if it applied. */
function rejectInSmall(name: ConcurrencyName | ReservedName | "deadLetterQueues", value: unknown): void {
  if (value === undefined) return;
  throw new SettingError(
    `Invalid ${SETTING_PREFIX}${name}: ${JSON.stringify(value)} together with ${SETTING_PREFIX}size=small. Leave one of them out.`,
  );
}

function pattern(name: Name, value: unknown, regex: RegExp, expected: string): string {
  if (typeof value !== "string" || !regex.test(value)) throw invalidSetting(name, value, expected);
  return value;
}

/** Accepts the digits of an id as text. A number of JSON may have lost some of them. */
function platformId(name: Name, value: unknown): string | null {
  return value === undefined ? null : pattern(name, value, /^\d{1,20}$/, "the digits of an id, as text");
}

function wholeNumber(name: Name, value: unknown, min: number, max: number): number {
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isInteger(number) || number < min || number > max) {
    throw invalidSetting(name, value, `a whole number from ${min} to ${max}`);
  }
  return number;
}

function url(name: Name, value: unknown): string {
  if (typeof value !== "string" || !isUrl(value)) throw invalidSetting(name, value, "an https URL");
  return value;
}

/** Accepts what a client can add a query to. */
function webSocketUrl(name: Name, value: unknown): string {
  const isValid = typeof value === "string" && /^wss:/i.test(value) && isUrl(value.replace(/^wss:/i, "https:"));
  if (!isValid || /[?#]/.test(value)) throw invalidSetting(name, value, "a wss URL without a query");
  return withoutEndSlashes(value);
}

/** Accepts a URL without path, query and fragment. */
function origin(name: Name, value: unknown): string {
  if (typeof value !== "string" || !isUrl(value) || `${new URL(value).origin}/` !== new URL(value).href) {
    throw invalidSetting(name, value, "an https URL without a path");
  }
  return new URL(value).origin;
}

function oneOf<Value extends string>(name: Name, value: unknown, values: readonly Value[]): Value {
  const match = values.find((each) => each === value);
  if (match === undefined) throw invalidSetting(name, value, `one of ${values.join(", ")}`);
  return match;
}

/** Accepts a JSON object of URLs by host name, as text or parsed, and returns it as text. */
function urls(name: Name, value: unknown): string {
  const json = typeof value === "string" ? tryParseJson(value) : value;
  const entries = typeof json === "object" && json !== null ? Object.entries(json) : [];
  const valid = entries.every(([host, url]) => PLATFORM_HOSTS.includes(host) && typeof url === "string" && isUrl(url));
  if (entries.length === 0 || !valid) {
    throw invalidSetting(
      name,
      value,
      `a JSON object of https URLs by host name; host names: ${PLATFORM_HOSTS.join(", ")}`,
    );
  }
  return JSON.stringify(json);
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Accepts https without credentials. Accepts http on loopback only, where no one can read the traffic. */
function isUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== "" || password !== "") return false;
  return protocol === "https:" || (protocol === "http:" && (hostname === "127.0.0.1" || hostname === "localhost"));
}
