import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Millis } from "../../support/time.ts";
import { Journal, readJournal } from "../journal.ts";
import { ServiceError } from "../service-error.ts";

export const keySpecs = {
  SYMMETRIC_DEFAULT: { usage: "ENCRYPT_DECRYPT", bytes: 32 },
  HMAC_224: { usage: "GENERATE_VERIFY_MAC", bytes: 28 },
  HMAC_256: { usage: "GENERATE_VERIFY_MAC", bytes: 32 },
  HMAC_384: { usage: "GENERATE_VERIFY_MAC", bytes: 48 },
  HMAC_512: { usage: "GENERATE_VERIFY_MAC", bytes: 64 },
} as const;
export type KeySpec = keyof typeof keySpecs;
export type KeyUsage = (typeof keySpecs)[KeySpec]["usage"];

export interface Key {
  readonly id: string;
  readonly spec: KeySpec;
  /** Base64. */
  readonly material: string;
  readonly createdAt: Millis;
  readonly description: string;
  readonly enabled: boolean;
  /** JSON. Undefined: the one that KMS gives a key without a policy. */
  readonly policy?: string | undefined;
  readonly rotates?: boolean;
}

type KeyRecord =
  | { readonly op: "key"; readonly key: Key }
  | { readonly op: "alias"; readonly name: string; readonly keyId: string };

/** The keys and their aliases, stored in `kms.jsonl`. */
export class KeyRing {
  readonly #arnPrefix: string;
  readonly #now: () => Millis;
  readonly #keys = new Map<string, Key>();
  readonly #aliases = new Map<string, string>();
  readonly #journal: Journal<KeyRecord>;

  constructor(dataDir: string, arnPrefix: string, now: () => Millis) {
    this.#arnPrefix = arnPrefix;
    this.#now = now;
    const file = join(dataDir, "kms.jsonl");
    for (const record of readJournal<KeyRecord>(file)) this.#apply(record);
    this.#journal = new Journal(file, this.#records());
  }

  arn(key: Key): string {
    return `${this.#arnPrefix}key/${key.id}`;
  }

  list(): Key[] {
    return [...this.#keys.values()];
  }

  create(spec: KeySpec, description = ""): Key {
    const material = randomBytes(keySpecs[spec].bytes).toString("base64");
    return this.save({ id: randomUUID(), spec, material, createdAt: this.#now(), description, enabled: true });
  }

  save(key: Key): Key {
    this.#write({ op: "key", key });
    return key;
  }

  alias(name: string, key: Key): void {
    this.#write({ op: "alias", name, keyId: key.id });
  }

  hasAlias(name: string): boolean {
    return this.#aliases.has(name);
  }

  /** Finds an enabled or disabled key by id, ARN, alias name or alias ARN. Throws NotFoundException if none exists. */
  find(reference: string): Key {
    const name = reference.startsWith(this.#arnPrefix) ? reference.slice(this.#arnPrefix.length) : reference;
    const id = name.startsWith("alias/") ? (this.#aliases.get(name) ?? "") : name.replace(/^key\//, "");
    const key = this.#keys.get(id);
    if (key) return key;
    throw new ServiceError("NotFoundException", `Key '${reference}' does not exist.`);
  }

  /** Finds an enabled key with that usage. */
  findUsable(reference: string, usage: KeyUsage): Key {
    const key = this.find(reference);
    if (!key.enabled) throw new ServiceError("DisabledException", `${this.arn(key)} is disabled.`);
    if (keySpecs[key.spec].usage === usage) return key;
    throw new ServiceError("InvalidKeyUsageException", `${this.arn(key)} does not allow the usage ${usage}.`);
  }

  close(): void {
    this.#journal.close();
  }

  #write(record: KeyRecord): void {
    this.#journal.append(record);
    this.#apply(record);
  }

  #apply(record: KeyRecord): void {
    if (record.op === "key") this.#keys.set(record.key.id, record.key);
    else this.#aliases.set(record.name, record.keyId);
  }

  *#records(): Generator<KeyRecord> {
    for (const key of this.#keys.values()) yield { op: "key", key };
    for (const [name, keyId] of this.#aliases) yield { op: "alias", name, keyId };
  }
}
