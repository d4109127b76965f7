import { writeFileSync } from "node:fs";
import { openWorkspace } from "../support/pipeline/workspace.ts";
import { startPipeline } from "../support/pipeline.ts";
import { openWorldTable, type WorldTable } from "../support/world/world-table.ts";
import { useSteadyRandomness } from "./steady-randomness.ts";
import { operations } from "./walks.ts";

// npm run walks:record -- FILE: what each operation writes to the table and to the queues, and what it logs, with a clock that
// stands and random values that are the same in each run. Two commits that store, queue and log the same write the same file.

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("Name the file to write: npm run walks:record -- FILE");

interface Recording {
  /** Each written item, in order. */
  readonly items: unknown[];
  /** Each message, with the last part of its queue's URL. */
  readonly messages: unknown[];
  readonly lines: unknown[];
}

async function record(): Promise<Map<string, Recording>> {
  useSteadyRandomness();
  const messages: unknown[] = [];
  let table: WorldTable | undefined;
  const startTable = (now: () => number) => {
    table = openWorldTable(now);
    return table;
  };
  const pipeline = await startPipeline({ isMetered: false, startTable });
  pipeline.sqs.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName?.startsWith("SendMessage")) messages.push(args.input);
        return next(args);
      },
    { step: "initialize", name: "recording" },
  );
  const recordings = new Map<string, Recording>();
  for (const [index, { name, prepare }] of operations.entries()) {
    const slug = `walk-${String(index + 1).padStart(6, "0")}`;
    const workspace = await openWorkspace(pipeline, { slug, platform: "instagram", endpoints: 1 });
    const operation = await prepare(pipeline, workspace);
    const [changes, lines] = [table?.changes().length ?? 0, pipeline.lines.length];
    messages.length = 0;
    await operation();
    recordings.set(name, {
      items: table?.changes().slice(changes) as unknown[],
      messages: [...messages],
      lines: pipeline.lines.slice(lines),
    });
  }
  await pipeline.close();
  return recordings;
}

/** A stored time that the clock of the machine gives: of the attempt of a delivery, and until when a token lasts. */
const MEASURED_ATTRIBUTES = new Set(["ld", "tx"]);

/** Without what differs in each run: ports, and times of the machine's clock. */
function steady(name: string, value: unknown): unknown {
  if (name === "duration_ms" || MEASURED_ATTRIBUTES.has(name)) return "measured";
  return typeof value === "string" ? value.replace(/127\.0\.0\.1:\d+/g, "127.0.0.1") : value;
}

writeFileSync(file, `${JSON.stringify(Object.fromEntries(await record()), steady, 1)}\n`);
