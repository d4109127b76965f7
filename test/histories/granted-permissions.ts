import { type FunctionName, queues } from "#base/config/names.ts";
import { policyStatements, type Template } from "../lib/synth-templates.ts";

/** The permissions of a function's role, in the words of `cloud/permissions.ts`. */
export function grantedPermissions(service: Template, name: FunctionName): string[] {
  return policyStatements(service, name).flatMap(({ Action, Resource, Condition }) =>
    [Resource].flat().flatMap((resource) => {
      const purposes = resourceName(resource) === "key" ? grantedPurposes(Condition) : [resourceName(resource)];
      return [Action].flat().flatMap((action) => purposes.map((purpose) => `${action} ${purpose}`));
    }),
  );
}

/** The purposes for which a statement grants the key; the key itself where it names none. */
function grantedPurposes(condition: unknown): readonly unknown[] {
  const { StringEquals } = (condition ?? {}) as { StringEquals?: Record<string, unknown> };
  return [StringEquals?.["kms:EncryptionContext:purpose"] ?? "key"].flat();
}

/** The shapes of the ARNs in the templates, and what they name. */
const resources: readonly (readonly [RegExp, (part: string) => string])[] = [
  [/\/index\/(GS\d)"/, (index) => index],
  [/SingleTable/, () => "table"],
  [/(?:Raw|Upload|Journal)Bucket\w+"\},"\/(\w+\/)\*"/, (prefix) => prefix],
  [/RawBucket/, () => "raw"],
  [/UploadBucket/, () => "uploads"],
  [/JournalBucket/, () => "journal"],
  [/TokenKey/, () => "key"],
  [/\/(POST|DELETE)\/@connections/, (method) => method],
  [/RootSecret/, () => "root"],
  [/PlatformSecrets/, () => "platforms"],
  [new RegExp(`"(${queues.join("|")})Queue`), (queue) => queue],
  [new RegExp(`"(${queues.join("|")})DeadLetterQueue`), (queue) => `${queue}-dead`],
];

function resourceName(resource: unknown): string {
  const text = JSON.stringify(resource);
  for (const [shape, toName] of resources) {
    const match = shape.exec(text);
    if (match) return toName(match[1] ?? "");
  }
  return text;
}
