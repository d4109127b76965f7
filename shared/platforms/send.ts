import { readRefusal } from "./errors.ts";
import type { PlatformAnswer, PlatformHttp } from "./http.ts";
import { asObject, messageIdOf, parseJson } from "./json.ts";
import type { Send, SendOutcome, SendRefused } from "./platform.ts";
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
  const answer = await http.post(`${api}/me/messages`, token, body, deadline);
  return readAnswer(answer, token, humanAgent);
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
function readAnswer(answer: PlatformAnswer, token: string, humanAgent: boolean): SendOutcome {
  if (answer.kind === "unsent") return unreachable;
  if (answer.kind === "lost") return unknown;
  const { status } = answer;
  const body = asObject(parseJson(answer.body));
  if (status >= 200 && status <= 299) {
    const messageId = messageIdOf(body?.message_id);
    return messageId === null ? unknown : { kind: "accepted", messageId };
  }
  if (status < 400 || status > 499) return unknown;
  const error = asObject(body?.error);
  return (error && readRefusal(error, answer, token, humanAgent)) ?? unknown;
}
