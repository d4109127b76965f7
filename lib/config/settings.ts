// What an operator may set, read from the CDK context (`-c parley:name=value`, or "context" in cdk.json) and checked
// once, before anything is built: a mistyped setting stops the synthesis and does not become a default in silence.

export interface Settings {
  /** Where people reach the API, without a slash at the end; null means the gateway's own address. */
  readonly baseUrl: string | null;
  /** Where `/` and security.txt lead; null leaves both 404. */
  readonly siteUrl: string | null;
  /** JSON of hosts that stand in for the platforms' own; null means the platforms' own. */
  readonly platformUrls: string | null;
  readonly graphVersion: string;
  /** The HTTP API's stage: requests per second, and how many more may come in one burst. */
  readonly throttle: { readonly rate: number; readonly burst: number };
  /** The most invocations at once that each queue may cause. */
  readonly concurrency: { readonly inbound: number; readonly events: number; readonly deliveries: number };
  /** Environments kept for the Api function alone; null leaves it in the account's common pool. */
  readonly apiReservedConcurrency: number | null;
  /** The address that mails to the tenants' owners are sent from; null sends none. */
  readonly mailFrom: string | null;
  /** The SNS topic that every alarm notifies; null leaves the alarms to be looked at in CloudWatch. */
  readonly alarmTopicArn: string | null;
}

const PREFIX = "parley:";

const NAMES = [
  "baseUrl",
  "siteUrl",
  "platformUrls",
  "graphVersion",
  "throttleRate",
  "throttleBurst",
  "inboundConcurrency",
  "eventsConcurrency",
  "deliveriesConcurrency",
  "apiReservedConcurrency",
  "mailFrom",
  "alarmTopicArn",
] as const;
type Name = (typeof NAMES)[number];

const PLATFORM_HOSTS = ["facebook_www", "facebook_graph", "instagram_www", "instagram_api", "instagram_graph"];

/**
 * The settings in a CDK context; keys without the `parley:` prefix are CDK's own and ignored. An empty value counts as
 * unset. Throws an Error that names the setting and what it takes.
 */
export function parseSettings(context: Readonly<Record<string, unknown>>): Settings {
  rejectUnknown(context);
  const rawValue = (name: Name): unknown => {
    const value = context[PREFIX + name];
    return value === "" || value === null ? undefined : value;
  };
  return {
    baseUrl: rawValue("baseUrl") === undefined ? null : url("baseUrl", rawValue("baseUrl")).replace(/\/+$/, ""),
    siteUrl: rawValue("siteUrl") === undefined ? null : url("siteUrl", rawValue("siteUrl")),
    platformUrls: rawValue("platformUrls") === undefined ? null : urls("platformUrls", rawValue("platformUrls")),
    graphVersion: pattern(
      "graphVersion",
      rawValue("graphVersion") ?? "v26.0",
      /^v\d{1,3}\.\d$/,
      "a version such as v26.0",
    ),
    throttle: {
      rate: wholeNumber("throttleRate", rawValue("throttleRate") ?? 200, 1, 100_000),
      burst: wholeNumber("throttleBurst", rawValue("throttleBurst") ?? 500, 1, 100_000),
    },
    concurrency: {
      inbound: wholeNumber("inboundConcurrency", rawValue("inboundConcurrency") ?? 20, 2, 1_000),
      events: wholeNumber("eventsConcurrency", rawValue("eventsConcurrency") ?? 50, 2, 1_000),
      deliveries: wholeNumber("deliveriesConcurrency", rawValue("deliveriesConcurrency") ?? 50, 2, 1_000),
    },
    apiReservedConcurrency:
      rawValue("apiReservedConcurrency") === undefined
        ? null
        : wholeNumber("apiReservedConcurrency", rawValue("apiReservedConcurrency"), 1, 10_000),
    mailFrom:
      rawValue("mailFrom") === undefined
        ? null
        : pattern(
            "mailFrom",
            rawValue("mailFrom"),
            /^[\w.+-]{1,64}@[\w-]+(\.[\w-]+)+$/,
            "an address such as parley@example.com",
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
  };
}

function rejectUnknown(context: Readonly<Record<string, unknown>>): void {
  const validKeys = new Set<string>(NAMES.map((name) => PREFIX + name));
  const unknown = Object.keys(context).filter((key) => key.startsWith(PREFIX) && !validKeys.has(key));
  if (unknown.length > 0) {
    throw new Error(`There is no setting ${unknown.join(", ")}. The settings are: ${[...validKeys].join(", ")}.`);
  }
}

function invalidSetting(name: Name, value: unknown, expected: string): Error {
  return new Error(`${PREFIX}${name} is ${JSON.stringify(value)}: give ${expected}.`);
}

function pattern(name: Name, value: unknown, regex: RegExp, expected: string): string {
  if (typeof value !== "string" || !regex.test(value)) throw invalidSetting(name, value, expected);
  return value;
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

/** A JSON object of URLs by host name, as text or already parsed; returned as text. */
function urls(name: Name, value: unknown): string {
  const parsed = typeof value === "string" ? tryParseJson(value) : value;
  const entries = typeof parsed === "object" && parsed !== null ? Object.entries(parsed) : [];
  const valid = entries.every(([host, url]) => PLATFORM_HOSTS.includes(host) && typeof url === "string" && isUrl(url));
  if (entries.length === 0 || !valid) {
    throw invalidSetting(
      name,
      value,
      `a JSON object of https URLs with some of the names ${PLATFORM_HOSTS.join(", ")}`,
    );
  }
  return JSON.stringify(parsed);
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** https, without credentials; http only to a machine's own loopback, where nothing is overheard. */
function isUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== "" || password !== "") return false;
  return protocol === "https:" || (protocol === "http:" && (hostname === "127.0.0.1" || hostname === "localhost"));
}
