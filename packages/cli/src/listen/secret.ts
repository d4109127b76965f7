import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { CliError } from "../cli-error.ts";
import { dataFolder } from "../target/local-stack.ts";
import type { Target } from "../target/target.ts";

const FORM = /^whs_(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * The secret that `listen` signs with. It stays the same over restarts, so a receiver is set up once: PARLEY_LISTEN_SECRET, or a file
 * of this machine, which is made by the first run. It is no secret of an endpoint, and signs only for the receiver.
 * @throws CliError for another form
 */
export function listenSecret(target: Pick<Target, "local">, env = process.env): string {
  if (env.PARLEY_LISTEN_SECRET) return requireForm(env.PARLEY_LISTEN_SECRET, "PARLEY_LISTEN_SECRET");
  const folder = target.local ? dataFolder() : join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "parley");
  const file = join(folder, "listen-secret");
  const stored = readStored(file);
  if (stored !== null) return requireForm(stored, file);
  const secret = `whs_${randomBytes(32).toString("base64")}`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, `${secret}\n`, { mode: 0o600, flag: "wx" });
    return secret;
  } catch {
    // Another listen made it at the same time.
    return requireForm(readStored(file) ?? "", file);
  }
}

function readStored(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return null;
  }
}

function requireForm(secret: string, source: string): string {
  if (FORM.test(secret)) return secret;
  throw new CliError(
    `Invalid signing secret in ${source}. It is whs_ and base64. Remove it, and listen makes another.`,
  );
}
