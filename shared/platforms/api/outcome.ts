import { asObject, type JsonObject, parseJson } from "../json.ts";
import type { SendOutcome, SendRefused } from "../platform.ts";
import { readRefusal } from "./errors.ts";
import type { CallOutcome } from "./http.ts";
import { noConsequences } from "./refusal-table.ts";

type NotAccepted = Exclude<SendOutcome, { readonly kind: "accepted" }>;

const unknown: NotAccepted = { kind: "unknown", detail: "outcome_unknown" };
/** The outcome of a call of which no byte was sent. */
export const unreachable: SendRefused = {
  kind: "refused",
  class: "other",
  detail: "The platform could not be reached.",
  code: null,
  subcode: null,
  ...noConsequences,
  transient: true,
};

/**
 * The outcome of a call that sends or uploads. A response that leaves open whether the call was accepted is `unknown`,
 * never `refused`.
 * @param call the token of the call, and whether its message had the human-agent tag
 * @param readAccepted reads the body of a 2xx response; null when it does not say what was accepted
 */
export function toOutcome<Accepted>(
  outcome: CallOutcome,
  { token, humanAgent = false }: { readonly token: string; readonly humanAgent?: boolean },
  readAccepted: (body: JsonObject | null) => Accepted | null,
): Accepted | NotAccepted {
  if (outcome.kind === "unsent") return unreachable;
  if (outcome.kind === "late") return outcome;
  if (outcome.kind === "lost") return unknown;
  const { status } = outcome;
  const body = asObject(parseJson(outcome.body));
  if (status >= 200 && status <= 299) return readAccepted(body) ?? unknown;
  if (status < 400 || status > 499) return unknown;
  const error = asObject(body?.error);
  return (error && readRefusal(error, outcome, [token], humanAgent)) ?? unknown;
}
