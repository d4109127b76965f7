import { randomInt } from "node:crypto";
import { CreateSecretCommand, DescribeSecretCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import type { Identity } from "../template/intrinsics.ts";
import type { StackResource } from "../template/template.ts";
import { buildArn, type Clients, type ProvisionContext, physicalName } from "./provision-context.ts";

interface PasswordRules {
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
  readonly GenerateSecretString?: PasswordRules;
}

/** Generates a secret once. A later start finds it by name and does not change its value. */
export async function provisionSecret(
  stackResource: StackResource,
  properties: SecretProperties,
  context: ProvisionContext,
): Promise<Identity> {
  const { secrets } = context.clients;
  const name = properties.Name ?? physicalName(stackResource);
  const value = properties.SecretString ?? generateSecret(properties.GenerateSecretString ?? {});
  const arn = await secrets
    .send(new DescribeSecretCommand({ SecretId: name }))
    .catch((error: Error) => {
      if (error.name !== "ResourceNotFoundException") throw error;
      return secrets.send(new CreateSecretCommand({ Name: name, SecretString: value }));
    })
    .then(({ ARN }) => ARN ?? buildArn("secretsmanager", `secret:${name}`));
  return { ref: arn, attributes: { Id: arn } };
}

/** Sets the value of a secret, by name or ARN. */
export async function setSecretValue({ secrets }: Clients, id: string, value: string): Promise<void> {
  await secrets.send(new PutSecretValueCommand({ SecretId: id, SecretString: value }));
}

/** Generates a value like Secrets Manager: a password, or a JSON template with a password added. */
export function generateSecret(rules: PasswordRules): string {
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
