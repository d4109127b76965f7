import { clockNow } from "#base/kernel/time.ts";
import type { LocalJson } from "../../../local/stack/local-json.ts";

/** The controls of a local stack that a scenario needs. */
export interface ExampleStack {
  readonly info: Required<LocalJson>;
  /** Advances the stack's clock by an ISO 8601 duration. */
  advance(duration: string): Promise<void>;
  /** The stack's clock, in epoch milliseconds. */
  now(): Promise<number>;
  /** The mails that the stack sent, newest first. */
  mails(): Promise<readonly { readonly to: readonly string[]; readonly text: string }[]>;
  /** Calls a control route of the platform simulator. */
  simulate<T>(path: string, body: object): Promise<T>;
  /** Polls until the value is there. Throws after 30 seconds. */
  until<T>(what: string, read: () => Promise<T | undefined | null | false>): Promise<T>;
}

const POLL_MS = 50;
const WAIT_MAX_MS = 30_000;

/** @param info the content of the stack's `local.json` */
export function exampleStack(info: Required<LocalJson>): ExampleStack {
  const control = async <T>(url: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${info.control_token}`, "content-type": "application/json" };
    const init = { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(url, { ...(body === undefined ? {} : init), headers });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${url} answered ${response.status} ${text}`);
    return JSON.parse(text) as T;
  };
  const clockUrl = `${info.base_url}/_local/clock`;
  return {
    info,
    advance: async (duration) => {
      await control(clockUrl, { advance: duration });
    },
    now: async () => Date.parse((await control<{ now: string }>(clockUrl)).now),
    mails: async () => (await control<{ mails: [] }>(`${info.base_url}/_local/mail`)).mails,
    simulate: (path, body) => control(`${info.simulator_url}/_sim${path}`, body),
    async until(what, read) {
      const end = clockNow() + WAIT_MAX_MS;
      for (;;) {
        const value = await read();
        if (value) return value;
        if (clockNow() > end) throw new Error(`Not within ${WAIT_MAX_MS / 1_000} seconds: ${what}.`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    },
  };
}
