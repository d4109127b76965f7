import type { Millis } from "../../support/time.ts";
import { accessDenied, S3Error } from "./errors.ts";
import { checkTextSignature, parseCredential } from "./signature.ts";

export interface PostedForm {
  readonly bucket: string;
  readonly fields: ReadonlyMap<string, string>;
  /** Bytes of the file. */
  readonly size: number;
}

type Condition =
  | { readonly kind: "size"; readonly min: number; readonly max: number }
  | { readonly kind: "field"; readonly test: "eq" | "starts-with"; readonly name: string; readonly value: string };

interface Policy {
  readonly expiresAt: Millis;
  readonly conditions: readonly Condition[];
}

/** Fields that need no condition: they belong to the signature or are ignored by definition. */
const exemptFields = new Set(["policy", "x-amz-signature", "file", "awsaccesskeyid", "signature"]);

/** Throws unless the form's policy is signed with a known credential, is not expired, and all its conditions hold. */
export function checkPolicy(form: PostedForm, credentials: Readonly<Record<string, string>>, now: Millis): void {
  const text = form.fields.get("policy");
  if (text === undefined) throw accessDenied();
  checkSignature(form, text, credentials);
  const policy = parsePolicy(text);
  if (policy.expiresAt <= now) throw accessDenied("Invalid according to Policy: Policy expired.");
  for (const condition of policy.conditions) checkCondition(condition, form);
  const conditionFields = new Set(
    policy.conditions.map((condition) => (condition.kind === "field" ? condition.name : "")),
  );
  for (const name of form.fields.keys()) {
    if (conditionFields.has(name) || exemptFields.has(name) || name.startsWith("x-ignore-")) continue;
    throw accessDenied(`Invalid according to Policy: Extra input fields: ${name}`);
  }
}

function checkSignature({ fields }: PostedForm, policy: string, credentials: Readonly<Record<string, string>>): void {
  if (fields.get("x-amz-algorithm") !== "AWS4-HMAC-SHA256") {
    throw new S3Error("InvalidArgument", 400, "X-Amz-Algorithm only supports AWS4-HMAC-SHA256.");
  }
  const scope = parseCredential(fields.get("x-amz-credential") ?? "");
  checkTextSignature(credentials, scope, { text: policy, signature: fields.get("x-amz-signature") ?? "" });
}

function checkCondition(condition: Condition, form: PostedForm): void {
  if (condition.kind === "size") {
    if (form.size < condition.min) {
      throw new S3Error("EntityTooSmall", 400, "Your proposed upload is smaller than the minimum allowed size.");
    }
    if (form.size > condition.max) {
      throw new S3Error("EntityTooLarge", 400, "Your proposed upload exceeds the maximum allowed size.");
    }
    return;
  }
  const { test, name, value } = condition;
  const actual = name === "bucket" ? form.bucket : form.fields.get(name);
  if (actual !== undefined && (test === "eq" ? actual === value : actual.startsWith(value))) return;
  const failedCondition = JSON.stringify([test, `$${name}`, value]);
  throw accessDenied(`Invalid according to Policy: Policy Condition failed: ${failedCondition}`);
}

function parsePolicy(base64: string): Policy {
  try {
    const document = JSON.parse(Buffer.from(base64, "base64").toString()) as {
      expiration: string;
      conditions: unknown[];
    };
    const expiresAt = Date.parse(document.expiration);
    if (Number.isNaN(expiresAt)) throw new Error("The policy has no expiration.");
    return { expiresAt, conditions: document.conditions.flatMap(parseCondition) };
  } catch (error) {
    throw new S3Error("InvalidPolicyDocument", 400, `Invalid Policy: ${(error as Error).message}`);
  }
}

/** `["content-length-range", min, max]`, `["eq" or "starts-with", "$field", value]`, or `{ field: value }`. */
function parseCondition(condition: unknown): Condition[] {
  if (!Array.isArray(condition)) {
    return Object.entries(condition as Record<string, unknown>).map(([name, value]) => field("eq", name, value));
  }
  const [test, first, second] = condition.map((part) => (typeof part === "string" ? part : Number(part)));
  const kind = String(test).toLowerCase();
  if (kind === "content-length-range") return [{ kind: "size", min: Number(first), max: Number(second) }];
  if (kind === "eq" || kind === "starts-with") return [field(kind, String(first).replace(/^\$/, ""), second)];
  throw new Error(`Unknown condition ${kind}.`);
}

function field(test: "eq" | "starts-with", name: string, value: unknown): Condition {
  return { kind: "field", test, name: name.toLowerCase(), value: String(value) };
}
