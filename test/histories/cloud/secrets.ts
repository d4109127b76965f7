import {
  InvalidParameterException,
  ResourceNotFoundException,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import type { Millis } from "#base/kernel/time.ts";
import { inProcess, inProcessSettings } from "../../support/world/sdk-in-process.ts";

export const PLATFORM_SECRET = "the secret of the platform's app";

const initialSecrets: Readonly<Record<string, string>> = {
  root: "a root secret that is long enough to be one",
  platforms: JSON.stringify({ meta: PLATFORM_SECRET, instagram: PLATFORM_SECRET, verify_token: "verify" }),
};

interface Version {
  readonly id: string;
  readonly text: string;
  readonly createdAt: Millis;
}

interface Secret {
  readonly versions: Version[];
  readonly stages: Map<string, Version>;
}

interface Input {
  readonly SecretId: string;
  readonly VersionStage?: string;
  readonly SecretString?: string;
  readonly VersionStages?: readonly string[];
  readonly MoveToVersionId?: string;
  readonly RemoveFromVersionId?: string;
}

/** Secrets with versions and their stages. */
export function openSecrets(now: () => Millis) {
  const secrets = new Map(
    Object.entries(initialSecrets).map(([name, text]): [string, Secret] => {
      const version = { id: `${name}-1`, text, createdAt: now() };
      return [name, { versions: [version], stages: new Map([["AWSCURRENT", version]]) }];
    }),
  );
  const find = (name: string) => secrets.get(name) as Secret;

  const operations: Readonly<Record<string, (input: Input) => object>> = {
    GetSecretValue({ SecretId, VersionStage = "AWSCURRENT" }) {
      const version = find(SecretId).stages.get(VersionStage);
      if (!version) throw new ResourceNotFoundException({ message: "no such version", $metadata: clientError });
      return { SecretString: version.text, VersionId: version.id, CreatedDate: new Date(version.createdAt) };
    },
    PutSecretValue({ SecretId, SecretString = "", VersionStages = [] }) {
      const { versions, stages } = find(SecretId);
      const version = { id: `${SecretId}-${versions.length + 1}`, text: SecretString, createdAt: now() };
      versions.push(version);
      for (const stage of VersionStages) stages.set(stage, version);
      return { VersionId: version.id };
    },
    UpdateSecretVersionStage({ SecretId, MoveToVersionId, RemoveFromVersionId }) {
      const { versions, stages } = find(SecretId);
      const current = stages.get("AWSCURRENT");
      const version = versions.find(({ id }) => id === MoveToVersionId);
      if (!version || current?.id !== RemoveFromVersionId || !current)
        throw new InvalidParameterException({ message: "another version is current", $metadata: clientError });
      stages.set("AWSPREVIOUS", current).set("AWSCURRENT", version);
      return {};
    },
  };
  const serve = (command: string, input: Input) => operations[command]?.(input);

  return { client: inProcess(new SecretsManagerClient(inProcessSettings(serve))) };
}

const clientError = { httpStatusCode: 400 };
