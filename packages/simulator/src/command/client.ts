import { isFields } from "../http/fields.ts";
import { SettingsError } from "../settings.ts";

/** A running simulator that a command controls. */
export interface RunningSimulator {
  url: string;
  token: string;
}

/** Calls a control route. Throws a SettingsError with the simulator's reason, or if none answers at the URL. */
export async function callControl(
  { url, token }: RunningSimulator,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/_sim${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new SettingsError(`No simulator answers at ${url}. Start it, or set --url or SIM_URL to its address.`);
  });
  const answer: unknown = await response.json().catch(() => null);
  if (!isFields(answer)) throw new SettingsError(`${url} is not a simulator. Set --url or SIM_URL to its address.`);
  if (response.ok) return answer;
  throw new SettingsError(typeof answer.error === "string" ? answer.error : `${path} answered ${response.status}`);
}
