import { readFileSync } from "node:fs";
import { openQueue } from "#base/aws/queues.ts";
import { loginStartPageTexts } from "#base/languages/all.ts";
import { languages } from "#base/languages/languages.ts";
import type { PlatformCallbackPorts } from "#features/accounts/routes/platform-callbacks.ts";
import { START_PAGE } from "#features/accounts/routes/start-page.ts";
import { pageInLanguage } from "#http/browser/localized-pages.ts";
import { parseSignedRequest } from "#platforms/graph/webhooks/signed-request.ts";
import { localizedPage } from "../../../web/localized.ts";
import type { TestEnv } from "../flows/test-env.ts";
import { openStores } from "../stores/open-stores.ts";
import { oneKeyRing } from "../world/key-rings.ts";

export const DATA_DELETION_KEYS = oneKeyRing(Buffer.alloc(32, 9));
export const PLATFORM_SECRETS = { meta: ["m"], instagram: ["i", "i-before"], verifyToken: "let me in" };
/** In the place of the page, for tests that read every response as an envelope. */
const TEMPLATE = '{ "ok": false, "error": { "code": "{{title}}" } }';

/** The ports of the platforms' requests about a person. @param accounts the URL of the queue of the tasks of accounts */
export function testPlatformCallbackPorts(testEnv: TestEnv, accounts: string): PlatformCallbackPorts {
  const page = { body: new Uint8Array(Buffer.from(TEMPLATE)), type: "text/html; charset=utf-8", etag: '"page"' };
  const style = {
    body: new Uint8Array(Buffer.from('{ "ok": true }')),
    type: "text/css; charset=utf-8",
    etag: '"style"',
  };
  const startPage = readFileSync(new URL("../../../web/login-start/index.html", import.meta.url), "utf8");
  return {
    ...openStores(testEnv.table),
    dataDeletionKeys: async () => DATA_DELETION_KEYS,
    accountWork: openQueue(accounts, testEnv.sqs),
    platformSecrets: async () => PLATFORM_SECRETS,
    parseSignedRequest,
    baseUrl: "https://api.example",
    pageFiles: new Map([
      [pageInLanguage("/platform/data-deletion/{code}", "en"), page],
      ["/platform/data-deletion/style.css", style],
      ...languages.map((language) => {
        const body = Buffer.from(localizedPage(startPage, language, loginStartPageTexts[language]));
        return [pageInLanguage(START_PAGE, language), { ...page, body }] as const;
      }),
    ]),
  };
}
