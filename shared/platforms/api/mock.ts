import type { PlatformName } from "../../domain/accounts/accounts.ts";
import { isTextTooLong } from "../../domain/sending/send-content.ts";
import type { Platform } from "../platform.ts";

/**
 * What stands behind a test key: nothing leaves the service, every send is accepted at once, and nobody is known.
 * @param name the platform whose text limit holds, so that a text that passes here passes there
 */
export function mockPlatform(newId: () => string, name: PlatformName): Platform {
  return {
    send: async () => ({ kind: "accepted", messageId: `mock_mid_${newId()}` }),
    fetchProfile: async () => ({ kind: "unknown" }),
    textTooLong: (text) => isTextTooLong(name, text),
  };
}
