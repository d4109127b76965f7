import type { Context } from "../calls/context.ts";
import { codedError } from "../calls/error-codes.ts";
import { type GraphError, refuse } from "../calls/error-messages.ts";
import { type HttpOutcome, json } from "../http/http-server.ts";
import type { Fault, FaultMode } from "../world/faults.ts";
import type { Account, Person } from "../world/model.ts";
import { isInstagram } from "../world/platform.ts";

type ErrorFactory = (fault: Fault, now: number) => GraphError;

/** Errors of any call, independent of the account. */
const callFaults: Partial<Record<FaultMode, ErrorFactory>> = {
  "5xx": () => refuse.serverError(),
  transient: () => codedError(2),
  token_revoked: () => refuse.revokedToken(),
  expired: (_fault, now) => refuse.expiredToken(now - 1000, now),
  app_removed: () => codedError(190, 458),
  checkpoint: () => codedError(190, 459),
  unconfirmed: () => codedError(190, 464),
  token_invalid: () => codedError(190, 467),
  permission: () => codedError(10),
  link_broken: () => codedError(10, 2534077),
  fetch_failed: () => codedError(100, 2018008),
  error: ({ code = 1, subcode, status }) => codedError(code, subcode, status),
};

function rateLimitError({ minutes }: Fault, account: Account): GraphError {
  return refuse.rateLimited(account.pageId ?? account.externalId, minutes);
}

function threadOwnerError(account: Account): GraphError {
  return isInstagram(account) ? codedError(100, 2534037) : codedError(2018300);
}

/** Errors of a send, which depend on the channel or the account. */
const sendFaults: Partial<Record<FaultMode, (account: Account, onInstagram: boolean, fault: Fault) => GraphError>> = {
  rate_limited: (account, _host, fault) => rateLimitError(fault, account),
  restricted: (_account, onInstagram) => refuse.restricted(onInstagram),
  outside_window: (account, onInstagram) => refuse.outsideWindow(isInstagram(account), onInstagram),
  person_unavailable: () => refuse.blocked(),
  unknown_person: (account, onInstagram) => refuse.unknownPerson(isInstagram(account), onInstagram),
  thread_owner: (account) => threadOwnerError(account),
  tag_abuse: () => codedError(613, 2018338),
};

/** Throws a Graph error if the account cannot write to this person. */
export function checkPerson(account: Account, person: Person): void {
  if (person.blocked) throw refuse.blocked();
  if (person.standby === true) throw threadOwnerError(account);
  if (person.role === false) throw codedError(200, 2018028);
}

/** Applies a fault before a call is processed. @returns the response, or null to continue. Throws a Graph error. */
export function applyCallFault(context: Context, fault: Fault): HttpOutcome | null {
  const createError = callFaults[fault.mode];
  if (createError !== undefined) throw createError(fault, context.world.now());
  if (fault.mode === "hang") return "hang";
  return fault.mode === "reset_before_accept" ? "reset" : null;
}

/** Applies a fault to a send whose account and person are resolved. Throws a Graph error. */
export function applySendFault(
  fault: Fault,
  account: Account,
  body: Record<string, unknown>,
  onInstagram: boolean,
): void {
  const createError = sendFaults[fault.mode];
  if (createError !== undefined) throw createError(account, onInstagram, fault);
  // The app lacks the permission for the tag. Messages without the tag pass.
  if (fault.mode === "no_human_agent" && body.tag === "HUMAN_AGENT") throw codedError(10);
}

/** Applies a fault to a call of a login or of an account's connection. Throws a Graph error. */
export function applyAccountFault(fault: Fault, subject: string): void {
  if (fault.mode === "rate_limited") throw refuse.rateLimited(subject, fault.minutes);
}

/** Applies a fault to an upload whose account is resolved. Throws a Graph error. */
export function applyUploadFault(fault: Fault, account: Account): void {
  if (fault.mode === "rate_limited") throw rateLimitError(fault, account);
}

const hugeBytes = 10 * 1024 * 1024;

/** The response to an accepted send or upload, altered by the fault. */
export function acceptedResponse(fault: Fault, result: Readonly<Record<string, string>>): HttpOutcome {
  return alterResponse(fault, json(200, result));
}

const htmlPage =
  "<!doctype html><html><head><title>Error</title></head><body>Sorry, something went wrong.</body></html>";

/** The response to a call that was processed, altered by the fault. An error stays as it is. */
export function alterResponse(fault: Fault, outcome: HttpOutcome): HttpOutcome {
  if (fault.mode === "reset_after_accept") return "reset";
  if (fault.mode === "hang_after_accept") return "hang";
  if (typeof outcome === "string" || outcome.status !== 200) return outcome;
  const body = String(outcome.body);
  switch (fault.mode) {
    case "huge_body":
      return { ...outcome, body: `{"padding":"${"x".repeat(hugeBytes)}",${body.slice(1)}` };
    case "malformed_json":
      return { ...outcome, body: body.slice(0, -2) };
    case "bom":
      return { ...outcome, body: `\uFEFF${body}` };
    case "html":
      return { ...outcome, headers: { ...outcome.headers, "Content-Type": "text/html" }, body: htmlPage };
    case "error_in_200":
      return { ...json(200, {}), body: String(refuse.serverError().toResponse().body) };
    default:
      return outcome;
  }
}
