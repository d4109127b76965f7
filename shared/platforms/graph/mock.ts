import type { PlatformName } from "#features/accounts/rules/accounts.ts";
import { isTextTooLong, TEST_ATTACHMENT_PREFIX } from "#features/sending/rules/send-content.ts";
import type { Platform } from "./platform.ts";

/**
 * The platform of test keys. It calls nothing, accepts every send and upload, and returns no profiles.
 * @param name the platform whose text limit applies
 */
export function mockPlatform(newId: () => string, name: PlatformName): Platform {
  return {
    send: async () => ({ kind: "accepted", messageId: `mock_mid_${newId()}` }),
    upload: async () => ({ kind: "accepted", attachmentId: `${TEST_ATTACHMENT_PREFIX}${newId()}` }),
    fetchProfile: async () => ({ kind: "unknown" }),
    textTooLong: (text) => isTextTooLong(name, text),
  };
}
