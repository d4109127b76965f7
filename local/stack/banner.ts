import type { LocalJson } from "./local-json.ts";

/** What a person reads once the stack is up: addresses, keys, and three commands that work as they stand. */
export function banner(local: LocalJson, dataDir: string): string {
  const rows: [string, string | undefined][] = [
    ["API", local.base_url],
    ["Simulator", local.simulator_url],
    ["Tenant", local.tenant],
    ["Live key", local.live_key],
    ["Test key", local.test_key],
    ["Data", dataDir],
  ];
  const table = rows.flatMap(([name, value]) => (value ? [`  ${name.padEnd(10)} ${value}`] : []));
  return ["", "Parley is running.", "", ...table, ...commands(local), "", "Ctrl-C stops it.", ""].join("\n");
}

function commands({ base_url, simulator_url, live_key, accounts }: LocalJson): string[] {
  if (!live_key) return [];
  const key = `-H 'Authorization: Bearer ${live_key}'`;
  const json = "-H 'Content-Type: application/json'";
  const webhook = JSON.stringify({ url: "http://127.0.0.1:9000/hook", events: ["message.received", "message.sent"] });
  const hint = simulator_url && accounts[0] ? ` (write to @${accounts[0].handle} in the simulator first)` : "";
  return [
    "",
    "Be told of messages at an address of yours:",
    `  curl ${base_url}/v1/webhooks ${key} ${json} -d '${webhook}'`,
    "",
    `List the conversations${hint}:`,
    `  curl ${base_url}/v1/conversations ${key}`,
    "",
    "Reply in the newest one:",
    `  curl -s '${base_url}/v1/conversations?limit=1' ${key} \\`,
    `    | node -p '${REPLY}' \\`,
    `    | curl ${base_url}/v1/messages/reply ${key} ${json} -d @-`,
  ];
}

/** Makes the body of a reply to the first conversation of a list. */
const REPLY =
  'JSON.stringify({ conversation_id: JSON.parse(fs.readFileSync(0)).data.conversations[0].id, text: "Hello from Parley" })';
