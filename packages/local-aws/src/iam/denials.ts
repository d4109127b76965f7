import type { AccessNeed } from "./needs/need.ts";

/** A request of a function that its role does not allow. */
export interface Denial {
  /** The construct's id: `Deliver`. */
  readonly functionId: string;
  readonly callerArn: string;
  readonly need: AccessNeed;
  /** True if a statement denies it. */
  readonly isExplicit: boolean;
  /** Why a statement that names the action and the resource does not allow it. */
  readonly reason: string | null;
}

/** The services whose messages differ. */
export type DeniedService = "dynamodb" | "sqs" | "s3" | "ses" | "execute-api" | "other";

/** The message of AWS. */
export function denialMessage(service: DeniedService, { callerArn, need, isExplicit }: Denial): string {
  const { resource } = need;
  // SQS writes the action in lower case.
  const action = service === "sqs" ? need.action.toLowerCase() : need.action;
  if (service === "ses")
    return `User \`${callerArn}' is not authorized to perform \`${action}' on resource \`${resource}'`;
  const because = isExplicit
    ? "with an explicit deny in an identity-based policy"
    : `because no identity-based policy allows the ${action} action`;
  const shownResource = service === "s3" ? `"${resource}"` : resource;
  return `User: ${callerArn} is not authorized to perform: ${action} on resource: ${shownResource} ${because}`;
}
