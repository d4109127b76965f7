import type { PlatformName } from "../domain/accounts.ts";
import type { Platform } from "./platform.ts";
import { isTooLongFor } from "./text-limits.ts";

/**
 * What stands behind a test key: nothing leaves the service, and every send is accepted at once.
 * @param name the platform whose text limit holds, so that a text that passes here passes there
 */
export function mockPlatform(newId: () => string, name: PlatformName): Platform {
  return {
    sendText: async () => ({ kind: "accepted", messageId: `mock_mid_${newId()}` }),
    textTooLong: (text) => isTooLongFor(name, text),
  };
}
