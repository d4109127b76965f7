import { type FunctionName, queues } from "../../shared/config/names.ts";
import { policyStatements, type Template } from "../lib/synth-templates.ts";

/** The permissions of a function's role, in the words of `cloud/permissions.ts`. */
export function grantedPermissions(service: Template, name: FunctionName): string[] {
  return policyStatements(service, name).flatMap(({ Action, Resource }) =>
    [Resource].flat().flatMap((resource) => [Action].flat().map((action) => `${action} ${resourceName(resource)}`)),
  );
}

/** The shapes of the ARNs in the templates, and what they name. */
const resources: readonly (readonly [RegExp, (part: string) => string])[] = [
  [/\/index\/(GS\d)"/, (index) => index],
  [/SingleTable/, () => "table"],
  [/(?:Raw|Upload)Bucket\w+"\},"\/(\w+\/)\*"/, (prefix) => prefix],
  [/RawBucket/, () => "raw"],
  [/UploadBucket/, () => "uploads"],
  [/TokenKey/, () => "key"],
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
