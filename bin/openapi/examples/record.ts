import type { LocalJson } from "../../../local/stack/local-json.ts";
import { exampleStack } from "./example-stack.ts";
import type { Examples } from "./exchange.ts";
import { normalizeExamples } from "./normalize.ts";
import { openRecorder } from "./recorder.ts";
import { recordKeys, recordNewTenant, recordSignIn, recordSignOut, recordTeam } from "./scenario/access.ts";
import { recordLogins, recordPlatformRequests } from "./scenario/accounts.ts";
import { recordHolds } from "./scenario/holds.ts";
import { recordInbox } from "./scenario/inbox.ts";
import type { Scenario } from "./scenario/scenario.ts";
import { recordReplies } from "./scenario/sending.ts";
import { recordErasure, recordService } from "./scenario/service.ts";
import { recordTickets } from "./scenario/tickets.ts";
import { recordUploads } from "./scenario/uploads.ts";
import { recordWebhooks } from "./scenario/webhooks.ts";

const DAY = 24 * 3_600_000;
/** UTC. Far from midnight, so that each day of the recording is the same. */
const START_HOUR = 10;

/** The settings of the local stack: a deployment with all that an operation may need. */
export const EXAMPLE_SETTINGS = { PARLEY_SITE_URL: "https://www.example.com", PARLEY_SIGN_UP: "open" };

/**
 * Records an example of each operation on a running local stack with these settings, in a tenant without conversations, and normalizes them.
 * It advances the stack's clock by a day or two.
 */
export async function recordExamples(info: Required<LocalJson>): Promise<Examples> {
  const stack = exampleStack(info);
  const now = await stack.now();
  const startedAt = Math.ceil((now - START_HOUR * 3_600_000) / DAY) * DAY + START_HOUR * 3_600_000;
  await stack.advance(`PT${(startedAt - now) / 1_000}S`);

  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const keys = { live: bearer(info.live_key), test: bearer(info.test_key), operator: bearer(info.operator_key) };
  const recorder = openRecorder(info.base_url);
  const scenario: Scenario = { ...recorder, ...keys, stack, texts: {} };
  await recordService(scenario);
  const conversations = await recordInbox(scenario);
  await recordReplies(scenario, conversations);
  await recordUploads(scenario, conversations);
  await recordWebhooks(scenario, conversations);
  await recordKeys(scenario);
  await recordHolds(scenario, conversations);
  const browser = await recordSignIn(scenario);
  await recordTickets(scenario, browser);
  await recordTeam(scenario, browser);
  await recordLogins(scenario, browser);
  await recordPlatformRequests(scenario);
  await recordNewTenant(scenario, browser);
  await recordSignOut(scenario, browser);
  await recordErasure(scenario, conversations);
  const texts = {
    ...scenario.texts,
    [info.base_url]: "https://parley.example",
    [info.simulator_url]: "https://platform.example",
    [info.ws_url]: "wss://stream.parley.example/live",
    "owner@local.invalid": "owner@example.com",
    "127.0.0.1": "203.0.113.7",
  };
  return normalizeExamples(recorder.examples(), { texts, startedAt });
}
