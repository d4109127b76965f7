import { ServiceError } from "../service-error.ts";

/** A queue's settings by SQS attribute name. Every value is a string on the wire. */
export type Attributes = Readonly<Record<string, string>>;

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly fallback: number;
}

export const MESSAGE_BYTES_MAX = 1024 * 1024;
export const DELAY_SECONDS_MAX = 900;
export const VISIBILITY_SECONDS_MAX = 43_200;
export const WAIT_SECONDS_MAX = 20;

const numeric = {
  VisibilityTimeout: { min: 0, max: VISIBILITY_SECONDS_MAX, fallback: 30 },
  DelaySeconds: { min: 0, max: DELAY_SECONDS_MAX, fallback: 0 },
  ReceiveMessageWaitTimeSeconds: { min: 0, max: WAIT_SECONDS_MAX, fallback: 0 },
  MessageRetentionPeriod: { min: 60, max: 1_209_600, fallback: 345_600 },
  MaximumMessageSize: { min: 1_024, max: MESSAGE_BYTES_MAX, fallback: MESSAGE_BYTES_MAX },
} as const satisfies Record<string, Bounds>;
export type NumericAttribute = keyof typeof numeric;

/** Attributes that the emulator stores and returns but that have no effect. */
const passThroughAttributes = new Set([
  "Policy",
  "RedriveAllowPolicy",
  "SqsManagedSseEnabled",
  "KmsMasterKeyId",
  "KmsDataKeyReusePeriodSeconds",
]);

export interface Redrive {
  readonly targetArn: string;
  readonly maxReceives: number;
}

export const defaultAttributes: Attributes = {
  ...Object.fromEntries(Object.entries(numeric).map(([name, { fallback }]) => [name, String(fallback)])),
  SqsManagedSseEnabled: "true",
};

/** Validates the attributes and normalizes them, so that equal settings are equal strings. */
export function normalizeAttributes(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, normalize(name, value)]));
}

/** The settings after a change. An empty value removes a setting. */
export function mergeAttributes(current: Attributes, changes: Attributes): Attributes {
  const merged = Object.entries({ ...current, ...changes }).filter(([, value]) => value !== "");
  return Object.fromEntries(merged);
}

export function numericAttribute(attributes: Attributes, name: NumericAttribute): number {
  return Number(attributes[name] ?? numeric[name].fallback);
}

export function parseRedrive(attributes: Attributes): Redrive | null {
  const text = attributes.RedrivePolicy;
  if (!text) return null;
  const policy = JSON.parse(text) as { deadLetterTargetArn: string; maxReceiveCount: number };
  return { targetArn: policy.deadLetterTargetArn, maxReceives: policy.maxReceiveCount };
}

function normalize(name: string, value: string): string {
  if (name in numeric) return normalizeNumber(name, value, numeric[name as NumericAttribute]);
  if (name === "RedrivePolicy") return value === "" ? "" : normalizeRedrive(value);
  if (passThroughAttributes.has(name)) return value;
  if (name === "FifoQueue") throw new ServiceError("UnsupportedOperation", "FIFO queues are not emulated.");
  throw new ServiceError("InvalidAttributeName", `Unknown Attribute ${name}.`);
}

function normalizeNumber(name: string, value: string, { min, max }: Bounds): string {
  const number = /^\d{1,7}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return String(number);
  throw new ServiceError("InvalidAttributeValue", `Invalid value for the parameter ${name}. Use ${min} to ${max}.`);
}

function normalizeRedrive(value: string): string {
  const refusal = new ServiceError(
    "InvalidParameterValue",
    `Value ${value} for parameter RedrivePolicy is invalid. Use JSON with deadLetterTargetArn and maxReceiveCount, 1 to 1000.`,
  );
  let policy: { deadLetterTargetArn?: unknown; maxReceiveCount?: unknown } | null;
  try {
    policy = JSON.parse(value);
  } catch {
    throw refusal;
  }
  const count = Number(policy?.maxReceiveCount);
  if (typeof policy?.deadLetterTargetArn !== "string" || !Number.isInteger(count) || count < 1 || count > 1000) {
    throw refusal;
  }
  return JSON.stringify({ deadLetterTargetArn: policy.deadLetterTargetArn, maxReceiveCount: count });
}
