import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = resolve(import.meta.dirname, "../../..");

/** The event type that only the later release has: that of an inbound message whose text starts so. */
export const LATER_TYPE = "message.arrived";
export const LATER_LETTER = "a";
export const LATER_TEXT = "later";

/** What the later release changes, by file: a raised message version, and a new event type. It reads the version before. */
const changes: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  "shared/base/queues/envelope.ts": [
    ["export const MESSAGE_VERSION = 2;", "export const MESSAGE_VERSION = 3;"],
    ["z.literal(MESSAGE_VERSION)", "z.union([z.literal(2), z.literal(3)])"],
  ],
  "shared/base/events/events.ts": [
    ['"test.event": "t",', `"test.event": "t", "${LATER_TYPE}": "${LATER_LETTER}",`],
    [
      'message.direction === "inbound" ? "message.received" : "message.sent"',
      `message.direction !== "inbound" ? "message.sent" : message.text?.startsWith("${LATER_TEXT}") ? "${LATER_TYPE}" : "message.received"`,
    ],
  ],
};

/**
 * Builds `release.ts` from the sources as a later release would have them. Its modules are its own; packages are those of
 * this process.
 */
export async function importLaterRelease(): Promise<typeof import("./release.ts")> {
  mkdirSync(join(root, ".bundle"), { recursive: true });
  const folder = mkdtempSync(join(root, ".bundle", "later-release-"));
  try {
    const outfile = join(folder, "release.mjs");
    await build({
      entryPoints: [join(import.meta.dirname, "release.ts")],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      packages: "external",
      logLevel: "error",
      plugins: [
        {
          name: "later release",
          setup({ onLoad, onEnd }) {
            const pending = new Set(Object.keys(changes));
            onLoad({ filter: /\.ts$/ }, ({ path }) => {
              const file = Object.keys(changes).find((name) => path === join(root, name));
              if (file === undefined) return undefined;
              pending.delete(file);
              return { contents: changed(file), loader: "ts" };
            });
            onEnd(() => {
              if (pending.size > 0) throw new Error(`The release does not contain ${[...pending].join(", ")}.`);
            });
          },
        },
      ],
    });
    return (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as typeof import("./release.ts");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function changed(file: string): string {
  let text = readFileSync(join(root, file), "utf8");
  for (const [before, after] of changes[file] ?? []) {
    if (text.split(before).length !== 2) throw new Error(`${file} does not contain once: ${before}`);
    text = text.replace(before, after);
  }
  return text;
}
