import { asObject, parseJson, readMessageId } from "../json.ts";
import type { Send, SendOutcome, SendRefused } from "../platform.ts";
import { readRefusal } from "./errors.ts";
import type { CallOutcome, PlatformHttp } from "./http.ts";
import { noConsequences } from "./refusal-table.ts";

/** Posts one message to the account that the token belongs to, once, and says what came of it. */
export async function postMessage(
  http: PlatformHttp,
  api: string,
  token: string,
  body: object,
  { humanAgent }: Pick<Send, "humanAgent">,
  deadline?: AbortSignal,
): Promise<SendOutcome> {
  const outcome = await http.post(`${api}/me/messages`, token, body, deadline);
  return toSendOutcome(outcome, token, humanAgent);
}

const unknown: SendOutcome = { kind: "unknown", detail: "outcome_unknown" };
const unreachable: SendRefused = {
  kind: "refused",
  class: "other",
  detail: "The platform could not be reached.",
  code: null,
  subcode: null,
  ...noConsequences,
};

// Only a clear answer counts: whatever leaves open whether the message was taken is unknown, never refused.
function toSendOutcome(outcome: CallOutcome, token: string, humanAgent: boolean): SendOutcome {
  if (outcome.kind === "unsent") return unreachable;
  if (outcome.kind === "lost") return unknown;
  const { status } = outcome;
  const body = asObject(parseJson(outcome.body));
  if (status >= 200 && status <= 299) {
    const messageId = readMessageId(body?.message_id);
    return messageId === null ? unknown : { kind: "accepted", messageId };
  }
  if (status < 400 || status > 499) return unknown;
  const error = asObject(body?.error);
  return (error && readRefusal(error, outcome, token, humanAgent)) ?? unknown;
}
