// `npm run openapi:examples`: runs each operation on a local stack, and writes what it answers to docs/examples.json.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LocalJson } from "../local/stack/local-json.ts";
import { openSeedPorts } from "../local/stack/seed-ports.ts";
import { readSettings } from "../local/stack/settings.ts";
import { startStack } from "../local/stack/stack.ts";
import { EXAMPLE_SETTINGS, recordExamples } from "./openapi/examples/record.ts";
import { toJsonText } from "./openapi/json-text.ts";

const dataDir = mkdtempSync(join(tmpdir(), "parley-examples-"));
const settings = readSettings(["--port", "0", "--data", dataDir], EXAMPLE_SETTINGS);
const stack = await startStack({ ...settings, seedPorts: openSeedPorts, progress: (step) => console.log(step) });
try {
  const examples = await recordExamples(stack.local as Required<LocalJson>);
  writeFileSync(fileURLToPath(new URL("../docs/examples.json", import.meta.url)), `${toJsonText(examples)}\n`);
} finally {
  await stack.close();
  rmSync(dataDir, { recursive: true, force: true });
}
