import type { LocalJson } from "./local-json.ts";

/** The text printed when the stack is ready: addresses, keys, and three commands to copy and run. */
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
  return ["", "Parley is running.", "", ...table, ...commands(local), "", "Press Ctrl-C to stop.", ""].join("\n");
}

function commands({ base_url, simulator_url, live_key, accounts }: LocalJson): string[] {
  if (!live_key) return [];
  const key = `-H 'Authorization: Bearer ${live_key}'`;
  const json = "-H 'Content-Type: application/json'";
  const webhook = JSON.stringify({ url: "http://127.0.0.1:9000/hook", events: ["message.received", "message.sent"] });
  const hint = simulator_url && accounts[0] ? ` (first send a message to @${accounts[0].handle} in the simulator)` : "";
  return [
    "",
    "Receive messages at your webhook URL:",
    `  curl ${base_url}/v1/webhooks ${key} ${json} -d '${webhook}'`,
    "",
    `List conversations${hint}:`,
    `  curl ${base_url}/v1/conversations ${key}`,
    "",
    "Reply in the newest conversation:",
    `  curl -s '${base_url}/v1/conversations?limit=1' ${key} \\`,
    `    | node -p '${REPLY}' \\`,
    `    | curl ${base_url}/v1/messages/reply ${key} ${json} -d @-`,
  ];
}

/** Builds the request body of a reply from a list of conversations. */
const REPLY =
  'JSON.stringify({ conversation_id: JSON.parse(fs.readFileSync(0)).data.conversations[0].id, text: "Hello from Parley" })';
