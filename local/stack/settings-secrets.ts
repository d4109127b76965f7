import { readFileSync } from "node:fs";
import { randomToken } from "#base/kernel/bytes.ts";
import { writeFileAtomic } from "#local-aws/support/atomic-write.ts";
import type { PlatformSecrets } from "./local-json.ts";
import type { LocalSettings } from "./settings.ts";

/** The platform secrets of a stack: from the settings, or else generated once and stored in the data folder. */
export function loadPlatformSecrets(settings: LocalSettings, file: string): PlatformSecrets {
  const storedSecrets = readStoredSecrets(file);
  const generated: PlatformSecrets = {
    meta: storedSecrets.meta ?? randomToken(16).toString("hex"),
    instagram: storedSecrets.instagram ?? randomToken(16).toString("hex"),
    verify_token: storedSecrets.verify_token ?? randomToken(16).toString("hex"),
  };
  writeFileAtomic(file, JSON.stringify(generated));
  return {
    meta: settings.metaSecret ?? generated.meta,
    instagram: settings.instagramSecret ?? generated.instagram,
    verify_token: settings.verifyToken ?? generated.verify_token,
  };
}

function readStoredSecrets(file: string): Partial<PlatformSecrets> {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Partial<PlatformSecrets>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}
