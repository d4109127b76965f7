import { ParleyError } from "../../../client/src/errors.ts";
import { openEvents } from "../target/events.ts";
import type { Target } from "../target/target.ts";
import { printableJson, printLines } from "../text/print.ts";

/** What a check found. `fix` is null when nothing is wrong. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly text: string;
  readonly fix: string | null;
}

/** A receiver rejects a signature that is further from its clock. */
const CLOCK_TOLERANCE_MS = 300_000;
const STREAM_TIMEOUT_MS = 15_000;

/** Checks what a program needs of the target: its address, the key, the clock, the accounts, the endpoints and the stream. @returns the exit code */
export async function doctor(target: Target, { json }: { readonly json: boolean }): Promise<number> {
  const findings: Finding[] = [];
  for (const check of checks) {
    const results = await runCheck(check, target);
    findings.push(...results);
    for (const finding of results) printLines(json ? printableJson(finding) : toLine(finding));
    // Without a response or a key, no other check says more.
    if (results.some(({ check: name, ok }) => !ok && (name === "address" || name === "key"))) break;
  }
  return findings.every(({ ok }) => ok) ? 0 : 1;
}

function toLine({ check, ok, text, fix }: Finding): string {
  return `${ok ? "ok  " : "fail"} ${check}: ${text}${fix === null ? "" : ` ${fix}`}`;
}

interface Check {
  readonly name: string;
  readonly run: (target: Target) => Promise<readonly Finding[]>;
}

async function runCheck({ name, run }: Check, target: Target): Promise<readonly Finding[]> {
  try {
    return await run(target);
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error;
    const isUnreachable = error.code === "connection_failed" || error.code === "timeout";
    const text = isUnreachable ? target.unreachable(error).message : `${error.code}: ${error.message}`;
    return [failed(name, text, fixes[error.code] ?? null)];
  }
}

const fixes: Readonly<Record<string, string>> = {
  unauthorized: "Set PARLEY_KEY to a key that is not revoked.",
  tenant_required: "Add --tenant SLUG.",
  forbidden: "Use a key of this tenant.",
  unexpected_response: "Check that the URL is that of Parley.",
};

const passed = (check: string, text: string): Finding => ({ check, ok: true, text, fix: null });
const failed = (check: string, text: string, fix: string | null): Finding => ({ check, ok: false, text, fix });

const checks: readonly Check[] = [
  {
    name: "address",
    async run({ api, baseUrl, local }) {
      const { name, version, time } = await api.ping();
      const offset = Date.parse(time) - Date.now();
      const address = passed("address", `${name} ${version} responds at ${baseUrl}.`);
      if (Math.abs(offset) <= CLOCK_TOLERANCE_MS) return [address, passed("clock", "It agrees with this machine.")];
      const fix = local
        ? "The clock of the stack was advanced: receivers with the real time reject its webhooks. Restart the stack with an empty data folder."
        : "Set the clock of this machine: receivers reject webhooks that are 300 seconds away.";
      return [address, failed("clock", `It differs by ${Math.round(Math.abs(offset) / 1_000)} seconds.`, fix)];
    },
  },
  {
    name: "key",
    async run({ api }) {
      await api.conversations.list({ limit: 1 });
      return [passed("key", "The API key is accepted.")];
    },
  },
  {
    name: "accounts",
    async run({ api }) {
      const { accounts } = await api.accounts.list();
      if (accounts.length === 0) return [failed("accounts", "No account is connected.", "Connect one in the console.")];
      return accounts.map(({ handle, platform, status }) =>
        status === "active"
          ? passed("accounts", `${handle} on ${platform} is active.`)
          : failed("accounts", `${handle} on ${platform} is ${status}.`, "Connect the account again in the console."),
      );
    },
  },
  {
    name: "endpoints",
    async run({ api }) {
      const { endpoints } = await api.webhooks.list();
      if (endpoints.length === 0) return [passed("endpoints", "There is none.")];
      return endpoints.map(({ id, status, paused_by, failing_since }) => {
        if (status === "paused") {
          const reason =
            paused_by === "system" ? "Parley paused it after a 410 or days of failures" : "A person or a key paused it";
          return failed("endpoints", `${id} is paused. ${reason}.`, "Fix the receiver, then set status to active.");
        }
        return failing_since === null
          ? passed("endpoints", `${id} is active.`)
          : failed("endpoints", `${id} fails since ${failing_since}.`, "See its deliveries in the console.");
      });
    },
  },
  {
    name: "stream",
    async run(target) {
      const connected = await isStreamOpen(target);
      return [
        connected
          ? passed("stream", "The realtime stream is open.")
          : failed("stream", "No realtime stream within 15 seconds.", "Check whether a proxy blocks WebSockets."),
      ];
    },
  },
];

async function isStreamOpen(target: Target): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), STREAM_TIMEOUT_MS);
  const stream = openEvents(target, { types: [], onEvent: () => {}, onNotice: () => {}, onReady: () => resolve(true) });
  stream.ended.catch(() => resolve(false));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    stream.close();
  }
}
