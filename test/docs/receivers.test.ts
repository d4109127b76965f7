import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { signWebhook } from "#features/delivery/rules/deliveries.ts";
import { runCases } from "./support/run-driver.ts";
import { recordedCases, SECRET, signedCases } from "./support/signed-cases.ts";
import { type Language, languages, RECEIVERS } from "./support/verifier-languages.ts";

const page = readFileSync(join(RECEIVERS, "..", "webhooks.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "parley-receivers-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

for (const language of languages) {
  const { name, prepare } = language;
  const reason = whySkipped(language);
  describe.skipIf(reason !== undefined)(
    reason === undefined ? `the verifier in ${name}` : `the verifier in ${name} (${reason})`,
    () => {
      let verdicts: readonly boolean[];
      beforeAll(async () => {
        verdicts = await runCases(await prepare(join(folder, name)), signedCases);
      });

      it.each(signedCases.map((one, index) => ({ ...one, index })))(
        "the verdict of the documented receiver on $title is $valid",
        ({ valid: genuine, index }) => {
          expect(verdicts[index]).toBe(genuine);
        },
      );
    },
  );
}

function whySkipped({ compiled, tool, isInstalled }: Language): string | undefined {
  if (compiled && !inject("fullRun")) return "compiled in the full run only";
  return isInstalled() ? undefined : `no ${tool} here`;
}

it("the recorded deliveries are signed as the service signs them", () => {
  const sent = recordedCases.filter(
    ({ valid, timestamp, now, signature }) =>
      valid && Number(timestamp) === now && /^v1=[0-9a-f]{64}$/.test(signature ?? ""),
  );
  expect(sent).toHaveLength(4);
  for (const { secret, body, now, timestamp, signature } of sent) {
    const headers = signWebhook([secret], "evt_1", body, now * 1_000);
    expect(headers).toMatchObject({ "svc-timestamp": timestamp, "svc-signature": signature });
  }
});

const codeBlocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text]) => text);
const files = readdirSync(RECEIVERS);

it("the page for receivers shows the TypeScript files as they are", () => {
  const sources = ["verify.ts", "verify-with-library.ts"].map((file) => readFileSync(join(RECEIVERS, file), "utf8"));
  expect(codeBlocks).toEqual(sources);
});

it("the page for receivers links every receiver file, and no missing file", () => {
  const linked = [...page.matchAll(/\]\(receivers\/([^)]+)\)/g)].map(([, file]) => file);
  expect(linked.sort()).toEqual(files.sort());
});

it("the page for receivers has a verifier in each language that the tests run", () => {
  const verifiers = files.filter((file) => /^verify\./i.test(file));
  expect(verifiers.sort()).toEqual(languages.map(({ file }) => file).sort());
});

describe.each(["standardwebhooks", "svix"])("the page's sample for a library, with %s", (library) => {
  const body = JSON.stringify({ id: "evt_1", data: { message: { text: "Grüße 👋🏽" } } });
  let verified: typeof import("../../docs/guides/receivers/verify-with-library.ts").verifyAndParse;
  beforeAll(async () => {
    vi.resetModules();
    vi.doMock("standardwebhooks", () => vi.importActual(library));
    ({ verifyAndParse: verified } = await import("../../docs/guides/receivers/verify-with-library.ts"));
  });
  afterAll(() => {
    vi.doUnmock("standardwebhooks");
  });
  const headersAt = (now: number) => ({ ...signWebhook([SECRET], "evt_1", body, now) });

  it("the page's sample for a library accepts a delivery and returns its event", () => {
    expect(verified(Buffer.from(body), headersAt(Date.now()), SECRET)).toEqual(JSON.parse(body));
  });

  it("the page's sample for a library accepts a delivery signed with two secrets during an overlap", () => {
    const headers = {
      ...signWebhook([`whs_${Buffer.alloc(32, 9).toString("base64")}`, SECRET], "evt_1", body, Date.now()),
    };
    expect(verified(Buffer.from(body), headers, SECRET)).toEqual(JSON.parse(body));
  });

  it("the page's sample for a library throws for a changed body and for an old one", () => {
    expect(() => verified(Buffer.from(`${body} `), headersAt(Date.now()), SECRET)).toThrow(/signature/i);
    expect(() => verified(Buffer.from(body), headersAt(Date.now() - 302_000), SECRET)).toThrow(/timestamp/i);
  });
});
