import { createHmac, randomBytes } from "node:crypto";
import { writeFileAtomic } from "../support/atomic-write.ts";
import { LocalRefusal } from "../support/local-refusal.ts";
import { readIfExists } from "../support/read-if-exists.ts";
import type { AccessKeys } from "./signature.ts";

/** The credential of a data folder: what its functions and commands sign with, and the only one that its parts accept. */
export interface AccessKey {
  readonly id: string;
  readonly secret: string;
}

/**
 * Reads the access key of a data folder, or creates a random one. The file has the form of the AWS tools, which
 * `AWS_SHARED_CREDENTIALS_FILE` names.
 */
export function loadAccessKey(file: string): AccessKey {
  const text = readIfExists(file);
  if (text === null) return createAccessKey(file);
  const id = /^aws_access_key_id *= *(\w+)\s*$/m.exec(text)?.[1];
  const secret = /^aws_secret_access_key *= *(\S+)\s*$/m.exec(text)?.[1];
  if (id !== undefined && secret !== undefined) return { id, secret };
  throw new LocalRefusal(`${file} has no access key. Remove the file: the next start creates it again.`);
}

/** The variables by which the SDKs and the AWS CLI find a key. */
export function toVariables({ id, secret }: AccessKey): Record<string, string> {
  return { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret };
}

export function toAccessKeys({ id, secret }: AccessKey): AccessKeys {
  return { [id]: secret };
}

/** The access key of a function. It is the same after a restart, so that what was signed with it stays valid. */
export function deriveAccessKey({ secret }: AccessKey, functionId: string): AccessKey {
  const derive = (purpose: string): string =>
    createHmac("sha256", secret).update(`${purpose} ${functionId}`).digest("hex");
  return { id: `LOCAL${derive("id").slice(0, 15).toUpperCase()}`, secret: derive("secret").slice(0, 40) };
}

function createAccessKey(file: string): AccessKey {
  // As long as a key of AWS. DynamoDB Local takes letters and digits only.
  const key = {
    id: `LOCAL${randomBytes(8).toString("hex").slice(1).toUpperCase()}`,
    secret: randomBytes(20).toString("hex"),
  };
  writeFileAtomic(file, `[default]\naws_access_key_id = ${key.id}\naws_secret_access_key = ${key.secret}\n`);
  return key;
}
