import { type FunctionName, queues } from "#base/config/names.ts";
import { writableBeginnings } from "../functions/support/written-keys.ts";
import { policyStatements, type Template } from "../lib/synth-templates.ts";

/** The permissions of a function's role, in the words of `cloud/permissions.ts`. */
export function grantedPermissions(service: Template, name: FunctionName): string[] {
  return policyStatements(service, name).flatMap(({ Action, Resource, Condition }) =>
    [Resource].flat().flatMap((resource) => {
      const names = grantedNames(resourceName(resource), Condition);
      return [Action].flat().flatMap((action) => names.map((each) => `${action} ${each}`));
    }),
  );
}

/** Whether one of the permissions is the needed one, or that of all rows where the needed one is for some. */
export function isGranted(granted: readonly string[], needed: string): boolean {
  return granted.includes(needed) || granted.includes(needed.replace(/ under .*/, ""));
}

function grantedNames(name: string, condition: unknown): readonly unknown[] {
  if (name === "key") return grantedPurposes(condition);
  if (name === "table" && condition !== undefined)
    return writableBeginnings(condition).map((beginning) => `table under ${beginning}`);
  return [name];
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
