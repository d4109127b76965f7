import { readFileSync } from "node:fs";
import { randomToken } from "../../shared/kernel/bytes.ts";
import { writeWhole } from "../support/atomic-write.ts";
import type { PlatformSecrets } from "./local-json.ts";
import type { LocalSettings } from "./settings.ts";

/** The platforms' secrets of a stack: as they were set, else made up once and kept in the data folder. */
export function platformSecretsOf(settings: LocalSettings, file: string): PlatformSecrets {
  const kept = readKept(file);
  const madeUp: PlatformSecrets = {
    meta: kept.meta ?? randomToken(16).toString("hex"),
    instagram: kept.instagram ?? randomToken(16).toString("hex"),
    verify_token: kept.verify_token ?? randomToken(16).toString("hex"),
  };
  writeWhole(file, JSON.stringify(madeUp));
  return {
    meta: settings.metaSecret ?? madeUp.meta,
    instagram: settings.instagramSecret ?? madeUp.instagram,
    verify_token: settings.verifyToken ?? madeUp.verify_token,
  };
}

function readKept(file: string): Partial<PlatformSecrets> {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Partial<PlatformSecrets>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}
