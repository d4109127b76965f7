import type { RunStatus } from "../scenario/model.ts";
import type { Account, FacebookUser, Person, ReceiverStep, Thread } from "../world/model.ts";
import { askForToken, controlToken } from "./access/control-token.ts";

export type { ReceiverStep, RunStatus };

/** The state of the simulator, as `GET /_sim/state` returns it. */
export interface SimulatorState {
  version: number;
  now: number;
  clock_offset_ms: number;
  accounts: Account[];
  people: Person[];
  threads: Thread[];
  subscriptions: Record<string, string[]>;
  failing: Record<string, number>;
  ended: Record<string, number>;
  users: FacebookUser[];
  tokens: TokenStatus[];
  /** Until when an account must not send, by its key. */
  restricted: Record<string, number>;
  pending: { id: string; mids: string[]; dueAt: number; attempts: number }[];
  fault: { mode: string; on: string; left: number | null };
  /** The newest run of a scenario, which may still go on. */
  scenario: RunStatus | null;
}

/** A token without its value. */
export interface TokenStatus {
  kind: string;
  /** The id of the Instagram account, the Page or the user. */
  subject: string;
  /** The Facebook user who granted a Page token; null for the first user. */
  user: string | null;
  issued_at: number;
  expires_at: number | null;
  /** The subcode with which the token is refused; null while it is good. */
  refused_with: number | null;
}

/** The app's answer to a callback of the platform. */
export interface CallbackAnswer {
  url: string;
  status: number | null;
  body: string;
}

export interface Webhook {
  id: string;
  url: string;
  secret: "meta" | "instagram";
  headers: Record<string, string>;
  body: string;
  attempts: { at: number; status: number | null; problem: string | null; body: string; duration_ms: number }[];
  next_attempt_at: number | null;
  /** The webhook that was sent again with this one. */
  copy_of?: string;
}

/** A scripted receiver. */
export interface Receiver {
  name: string;
  url: string;
  steps: ReceiverStep[];
  /** The index of the step that answers the next request. */
  next_step: number;
  has_secret: boolean;
}

/** A delivery of the app to an endpoint, as the app returns it. */
export interface Delivery {
  delivery_id: string;
  event_id: string;
  event_type: string;
  status: string;
  next_retry_at: number | null;
  event: unknown;
  attempts: { attempt: number; at: number; status: number | null; error: string | null; duration_ms: number | null }[];
}

export interface AppReport {
  message: unknown;
  deliveries: { endpoint: string; endpoint_id: string; delivery: Delivery }[];
  problem: string | null;
  endpoint_hint?: string;
}

/** The answer to an action. */
export interface ActionAnswer {
  mid: string | null;
  status_of_webhook: string;
  webhook: string | null;
  problem?: string;
}

/** Calls a control route. Throws with the reason if it is refused, and asks for the control token if that is the reason. */
export async function call<Answer>(path: string, body?: unknown): Promise<Answer> {
  const request = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const token = controlToken();
  const headers = {
    "Content-Type": "application/json",
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
  };
  const response = await fetch(`/_sim${path}`, { ...request, headers });
  const answer = (await response.json()) as Answer & { error?: string };
  if (response.status === 401) askForToken(answer.error ?? "");
  if (!response.ok) throw new Error(answer.error ?? `the simulator answered ${response.status}`);
  return answer;
}
