import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import type { Millis } from "../support/time.ts";
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
  readonly stages: readonly string[];
}

/** A secret with its staged versions, the newest first. */
interface Secret {
  readonly name: string;
  readonly arn: string;
  readonly description: string;
  readonly createdAt: Millis;
  readonly versions: readonly Version[];
}

const CURRENT = "AWSCURRENT";
const PREVIOUS = "AWSPREVIOUS";
/** The stages of a version that an earlier release stored without them. */
const STAGES_BY_POSITION = [CURRENT, PREVIOUS];

const value = {
  SecretString: z.string().optional(),
  SecretBinary: z.string().optional(),
  ClientRequestToken: z.string().optional(),
};
type Value = { [K in keyof typeof value]?: string | undefined };

/** Secrets Manager, stored in `secrets.jsonl`. A version without a stage is removed. */
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
    for (const secret of readJournal<Secret>(file)) this.#secrets.set(secret.name, withStages(secret));
    this.#journal = new Journal(file, this.#secrets.values());
    const secretId = z.object({ SecretId: z.string() });
    this.operations = {
      CreateSecret: operation(
        z.object({ Name: z.string().regex(/^[\w/+=.@-]{1,512}$/), Description: z.string().optional(), ...value }),
        (input) => this.#create(input.Name, input.Description ?? "", input),
      ),
      PutSecretValue: operation(
        secretId.extend({ ...value, VersionStages: z.array(z.string()).min(1).optional() }),
        (input) => this.#put(this.#find(input.SecretId), input, input.VersionStages ?? [CURRENT]),
      ),
      UpdateSecretVersionStage: operation(
        secretId.extend({
          VersionStage: z.string(),
          MoveToVersionId: z.string().optional(),
          RemoveFromVersionId: z.string().optional(),
        }),
        (input) => this.#moveStage(this.#find(input.SecretId), input),
      ),
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
      versions: hasValue(input) ? [{ ...newVersion(input, now()), stages: [CURRENT] }] : [],
    });
  }

  #put(secret: Secret, input: Value, stages: readonly string[]): object {
    if (!hasValue(input)) throw new ServiceError("InvalidParameterException", "Give SecretString or SecretBinary.");
    if (!sameVersion(secret, input)) {
      const version = { ...newVersion(input, this.#options.now()), stages: [] };
      let versions: readonly Version[] = [version, ...secret.versions];
      for (const stage of stages) versions = stageVersion(versions, stage, version.id);
      this.#save({ ...secret, versions });
      return { ARN: secret.arn, Name: secret.name, VersionId: version.id, VersionStages: stages };
    }
    return { ARN: secret.arn, Name: secret.name, VersionId: input.ClientRequestToken, VersionStages: stages };
  }

  #moveStage(
    secret: Secret,
    input: {
      readonly VersionStage: string;
      readonly MoveToVersionId?: string | undefined;
      readonly RemoveFromVersionId?: string | undefined;
    },
  ): object {
    const { VersionStage: stage, MoveToVersionId: to, RemoveFromVersionId: from } = input;
    const holder = secret.versions.find(({ stages }) => stages.includes(stage));
    if (holder && holder.id !== to && holder.id !== from) {
      throw new ServiceError(
        "InvalidParameterException",
        `The parameter RemoveFromVersionId can't be empty or another version. Staging label ${stage} is currently attached to version ${holder.id}.`,
      );
    }
    if (to !== undefined && !secret.versions.some(({ id }) => id === to)) {
      throw new ServiceError("ResourceNotFoundException", `Secrets Manager can't find the version ${to}.`);
    }
    return this.#save({ ...secret, versions: stageVersion(secret.versions, stage, to ?? null) });
  }

  #save(secret: Secret): object {
    this.#journal.append(secret);
    this.#secrets.set(secret.name, secret);
    return toReference(secret);
  }

  /** The ARN of a secret, by its name or ARN. Null without such a secret. */
  findArn(id: string): string | null {
    return this.#lookUp(id)?.arn ?? null;
  }

  /** Finds a secret by name or ARN. */
  #find(id: string): Secret {
    const secret = this.#lookUp(id);
    if (secret) return secret;
    throw new ServiceError("ResourceNotFoundException", "Secrets Manager can't find the specified secret.");
  }

  #lookUp(id: string): Secret | undefined {
    return this.#secrets.get(id) ?? [...this.#secrets.values()].find((one) => one.arn === id);
  }
}

function hasValue(input: Value): boolean {
  if (input.SecretString !== undefined && input.SecretBinary !== undefined) {
    throw new ServiceError("InvalidParameterException", "Give SecretString or SecretBinary, not both.");
  }
  return input.SecretString !== undefined || input.SecretBinary !== undefined;
}

function withStages(secret: Secret): Secret {
  const versions = secret.versions.map((version, index) => ({
    ...version,
    stages: version.stages ?? STAGES_BY_POSITION.slice(index, index + 1),
  }));
  return { ...secret, versions };
}

/** Moves a stage to a version, or removes it for null. The version that was current becomes the previous one. */
function stageVersion(versions: readonly Version[], stage: string, to: string | null): readonly Version[] {
  const holder = versions.find(({ stages }) => stages.includes(stage));
  if (holder && holder.id === to) return versions;
  const moved = versions.map((version) => {
    const stages = version.stages.filter((each) => each !== stage);
    return { ...version, stages: version.id === to ? [...stages, stage] : stages };
  });
  const staged = stage === CURRENT && holder ? stageVersion(moved, PREVIOUS, holder.id) : moved;
  return staged.filter(({ stages }) => stages.length > 0);
}

function newVersion(input: Value, now: Millis): Omit<Version, "stages"> {
  const id = input.ClientRequestToken ?? randomUUID();
  return { id, text: input.SecretString ?? null, binary: input.SecretBinary ?? null, createdAt: now };
}

/** True for a repeated call: its token names a version with the same value. */
function sameVersion(secret: Secret, input: Value): boolean {
  const existing = secret.versions.find((version) => version.id === input.ClientRequestToken);
  if (!existing) return false;
  const same = existing.text === (input.SecretString ?? null) && existing.binary === (input.SecretBinary ?? null);
  if (same) return true;
  throw new ServiceError(
    "ResourceExistsException",
    "A version with this ClientRequestToken already exists with a different value.",
  );
}

function toReference(secret: Secret): object {
  const current = secret.versions.find(({ stages }) => stages.includes(CURRENT));
  return { ARN: secret.arn, Name: secret.name, ...(current ? { VersionId: current.id } : {}) };
}

function toSecretValueResponse(secret: Secret, versionId: string | undefined, stage: string | undefined): object {
  const requestedStage = stage ?? (versionId === undefined ? CURRENT : undefined);
  const version = secret.versions.find(
    ({ id, stages }) =>
      (versionId === undefined || id === versionId) &&
      (requestedStage === undefined || stages.includes(requestedStage)),
  );
  if (!version) {
    const requested = versionId ?? `staging label: ${requestedStage}`;
    throw new ServiceError(
      "ResourceNotFoundException",
      `Secrets Manager can't find the specified secret value for ${requested}.`,
    );
  }
  return {
    ARN: secret.arn,
    Name: secret.name,
    VersionId: version.id,
    VersionStages: version.stages,
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
    VersionIdsToStages: Object.fromEntries(secret.versions.map(({ id, stages }) => [id, stages])),
  };
}
