import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import type { Millis } from "../../shared/kernel/time.ts";
import { Journal, readJournal } from "./journal.ts";
import { type JsonService, type Operation, operation } from "./json-service.ts";
import { ServiceError } from "./service-error.ts";

export interface SecretsOptions {
  readonly dataDir: string;
  readonly now: () => Millis;
  readonly region: string;
  readonly accountId: string;
}

interface Version {
  readonly id: string;
  readonly text: string | null;
  /** Base64. */
  readonly binary: string | null;
  readonly createdAt: Millis;
}

/** A secret with its versions: the current one, then the previous one. */
interface Secret {
  readonly name: string;
  readonly arn: string;
  readonly description: string;
  readonly createdAt: Millis;
  readonly versions: readonly Version[];
}

const VERSIONS_MAX = 2;
const STAGES = ["AWSCURRENT", "AWSPREVIOUS"] as const;

const value = {
  SecretString: z.string().optional(),
  SecretBinary: z.string().optional(),
  ClientRequestToken: z.string().optional(),
};
type Value = { [K in keyof typeof value]?: string | undefined };

/** Secrets Manager, stored in `secrets.jsonl`. A secret has a current and a previous version. */
export class Secrets implements JsonService {
  readonly protocol = "1.1";
  readonly errorPrefix = "";
  readonly operations: Readonly<Record<string, Operation>>;
  readonly #options: SecretsOptions;
  readonly #secrets = new Map<string, Secret>();
  readonly #journal: Journal<Secret>;

  constructor(options: SecretsOptions) {
    this.#options = options;
    const file = join(options.dataDir, "secrets.jsonl");
    for (const secret of readJournal<Secret>(file)) this.#secrets.set(secret.name, secret);
    this.#journal = new Journal(file, this.#secrets.values());
    const secretId = z.object({ SecretId: z.string() });
    this.operations = {
      CreateSecret: operation(
        z.object({ Name: z.string().regex(/^[\w/+=.@-]{1,512}$/), Description: z.string().optional(), ...value }),
        (input) => this.#create(input.Name, input.Description ?? "", input),
      ),
      PutSecretValue: operation(secretId.extend(value), (input) => this.#put(this.#find(input.SecretId), input)),
      GetSecretValue: operation(
        secretId.extend({ VersionId: z.string().optional(), VersionStage: z.string().optional() }),
        (input) => toSecretValueResponse(this.#find(input.SecretId), input.VersionId, input.VersionStage),
      ),
      DescribeSecret: operation(secretId, (input) => toDescribeResponse(this.#find(input.SecretId))),
    };
  }

  close(): void {
    this.#journal.close();
  }

  #create(name: string, about: string, input: Value): object {
    const existing = this.#secrets.get(name);
    if (existing) {
      if (sameVersion(existing, input)) return toReference(existing);
      throw new ServiceError(
        "ResourceExistsException",
        `The secret ${name} already exists. Use PutSecretValue to change its value.`,
      );
    }
    const { region, accountId, now } = this.#options;
    const suffix = randomBytes(3).toString("hex");
    return this.#save({
      name,
      arn: `arn:aws:secretsmanager:${region}:${accountId}:secret:${name}-${suffix}`,
      description: about,
      createdAt: now(),
      versions: hasValue(input) ? [newVersion(input, now())] : [],
    });
  }

  #put(secret: Secret, input: Value): object {
    if (!hasValue(input)) throw new ServiceError("InvalidParameterException", "Give SecretString or SecretBinary.");
    if (sameVersion(secret, input)) return { ...toReference(secret), VersionStages: ["AWSCURRENT"] };
    const versions = [newVersion(input, this.#options.now()), ...secret.versions].slice(0, VERSIONS_MAX);
    return { ...this.#save({ ...secret, versions }), VersionStages: ["AWSCURRENT"] };
  }

  #save(secret: Secret): object {
    this.#journal.append(secret);
    this.#secrets.set(secret.name, secret);
    return toReference(secret);
  }

  /** Finds a secret by name or ARN. */
  #find(id: string): Secret {
    const secret = this.#secrets.get(id) ?? [...this.#secrets.values()].find((one) => one.arn === id);
    if (secret) return secret;
    throw new ServiceError("ResourceNotFoundException", "Secrets Manager can't find the specified secret.");
  }
}

function hasValue(input: Value): boolean {
  if (input.SecretString !== undefined && input.SecretBinary !== undefined) {
    throw new ServiceError("InvalidParameterException", "Give SecretString or SecretBinary, not both.");
  }
  return input.SecretString !== undefined || input.SecretBinary !== undefined;
}

function newVersion(input: Value, now: Millis): Version {
  const id = input.ClientRequestToken ?? randomUUID();
  return { id, text: input.SecretString ?? null, binary: input.SecretBinary ?? null, createdAt: now };
}

/** True for a repeated call: its token names the current version and its value is the same. */
function sameVersion(secret: Secret, input: Value): boolean {
  const existing = secret.versions.find((version) => version.id === input.ClientRequestToken);
  if (!existing) return false;
  const same = existing.text === (input.SecretString ?? null) && existing.binary === (input.SecretBinary ?? null);
  if (same && existing === secret.versions[0]) return true;
  throw new ServiceError(
    "ResourceExistsException",
    "A version with this ClientRequestToken already exists with a different value.",
  );
}

function toReference(secret: Secret): object {
  const current = secret.versions[0];
  return { ARN: secret.arn, Name: secret.name, ...(current ? { VersionId: current.id } : {}) };
}

function toSecretValueResponse(secret: Secret, versionId: string | undefined, stage: string | undefined): object {
  const index = secret.versions.findIndex(
    (version, at) =>
      (versionId === undefined || version.id === versionId) && (stage ?? STAGES[versionId ? at : 0]) === STAGES[at],
  );
  const version = secret.versions[index];
  if (!version) {
    const requested = versionId ?? `staging label: ${stage ?? STAGES[0]}`;
    throw new ServiceError(
      "ResourceNotFoundException",
      `Secrets Manager can't find the specified secret value for ${requested}.`,
    );
  }
  return {
    ARN: secret.arn,
    Name: secret.name,
    VersionId: version.id,
    VersionStages: [STAGES[index]],
    CreatedDate: version.createdAt / 1000,
    ...(version.text === null ? {} : { SecretString: version.text }),
    ...(version.binary === null ? {} : { SecretBinary: version.binary }),
  };
}

function toDescribeResponse(secret: Secret): object {
  const latest = secret.versions[0]?.createdAt ?? secret.createdAt;
  return {
    ARN: secret.arn,
    Name: secret.name,
    Description: secret.description,
    CreatedDate: secret.createdAt / 1000,
    LastChangedDate: latest / 1000,
    VersionIdsToStages: Object.fromEntries(secret.versions.map((version, index) => [version.id, [STAGES[index]]])),
  };
}
