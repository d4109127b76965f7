import { randomInt } from "node:crypto";
import { CreateSecretCommand, DescribeSecretCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import type { Identity } from "../template/intrinsics.ts";
import type { Placed } from "../template/template.ts";
import { arnOf, type Clients, physicalName, type Workshop } from "./provision-context.ts";

interface Generation {
  readonly PasswordLength?: number;
  readonly ExcludeCharacters?: string;
  readonly ExcludeLowercase?: boolean;
  readonly ExcludeUppercase?: boolean;
  readonly ExcludeNumbers?: boolean;
  readonly ExcludePunctuation?: boolean;
  readonly IncludeSpace?: boolean;
  readonly SecretStringTemplate?: string;
  readonly GenerateStringKey?: string;
}

interface SecretProperties {
  readonly Name?: string;
  readonly SecretString?: string;
  readonly GenerateSecretString?: Generation;
}

/** A secret is generated once; a later start finds it by its name and leaves its value alone. */
export async function makeSecret(placed: Placed, properties: SecretProperties, workshop: Workshop): Promise<Identity> {
  const { secrets } = workshop.clients;
  const name = properties.Name ?? physicalName(placed);
  const value = properties.SecretString ?? generate(properties.GenerateSecretString ?? {});
  const arn = await secrets
    .send(new DescribeSecretCommand({ SecretId: name }))
    .catch((error: Error) => {
      if (error.name !== "ResourceNotFoundException") throw error;
      return secrets.send(new CreateSecretCommand({ Name: name, SecretString: value }));
    })
    .then(({ ARN }) => ARN ?? arnOf("secretsmanager", `secret:${name}`));
  return { ref: arn, attributes: { Id: arn } };
}

/** Puts a new value into a secret, by its name or ARN. */
export async function fillSecret({ secrets }: Clients, id: string, value: string): Promise<void> {
  await secrets.send(new PutSecretValueCommand({ SecretId: id, SecretString: value }));
}

/** A value as Secrets Manager would generate it: the characters left in, or a JSON template with one of them added. */
export function generate(rules: Generation): string {
  const characters = [
    rules.ExcludeLowercase ? "" : "abcdefghijklmnopqrstuvwxyz",
    rules.ExcludeUppercase ? "" : "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    rules.ExcludeNumbers ? "" : "0123456789",
    rules.ExcludePunctuation ? "" : "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    rules.IncludeSpace ? " " : "",
  ]
    .join("")
    .split("")
    .filter((character) => !rules.ExcludeCharacters?.includes(character));
  const length = rules.PasswordLength ?? 32;
  const password = Array.from({ length }, () => characters[randomInt(characters.length)]).join("");
  if (rules.SecretStringTemplate === undefined || rules.GenerateStringKey === undefined) return password;
  return JSON.stringify({ ...JSON.parse(rules.SecretStringTemplate), [rules.GenerateStringKey]: password });
}
