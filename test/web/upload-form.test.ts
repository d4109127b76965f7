import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { HeadObjectCommand } from "@aws-sdk/client-s3";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openUploadGrants, type UploadForm } from "#base/aws/upload-files.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { provisionBucket } from "#local-aws/provision/buckets.ts";
import type { ProvisionContext } from "#local-aws/provision/provision-context.ts";
import { stacks } from "../../lib/config/stack-names.ts";
import { codeBlocks } from "../docs/code-blocks.ts";
import { resourcesOfType, synthesizeTemplates } from "../lib/synth-templates.ts";
import {
  type EmulatorFixture,
  startEmulatorFixture,
} from "../packages/local-aws/emulators/support/emulator-fixture.ts";
import { testBrowser } from "./support/browser.ts";
import { endVisits, openPage } from "./support/page-visit.ts";

// Pages of two origins post files to the bucket of the template, by signed forms.

const MAX = 300_000;
const KEY = "u/2026-11-22T20/upl_1";

let fixture: EmulatorFixture;
let bucket: string;
let browser: Browser;
const servers: Server[] = [];
let [consoleOrigin, otherOrigin] = ["", ""];

beforeAll(async () => {
  consoleOrigin = await startPage();
  otherOrigin = await startPage();
  // Both may call the emulator: the bucket itself says what a page may do.
  fixture = await startEmulatorFixture(undefined, undefined, [consoleOrigin, otherOrigin]);
  const { data } = synthesizeTemplates();
  const [id, resource] = resourcesOfType(data, "AWS::S3::Bucket").find(([each]) => each.startsWith("Upload")) ?? [];
  if (id === undefined || resource === undefined) throw new Error("The template has no bucket of uploads.");
  const context = { clients: { s3: fixture.s3 } };
  bucket = (
    await provisionBucket(
      { stack: stacks.data, id, resource },
      resource.Properties,
      context as unknown as ProvisionContext,
    )
  ).ref;
  browser = await testBrowser();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await endVisits(browser);
});
afterAll(async () => {
  for (const server of servers) server.close();
  await fixture.close();
});

async function startPage(): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Upload</title>");
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const newForm = () =>
  openUploadGrants(bucket, fixture.s3).grant({
    key: KEY,
    contentType: "image/png",
    maxSize: MAX,
    expiresAt: fixture.now() + 15 * MINUTE,
  });

interface Posted {
  /** Null when storage took the file. */
  readonly error: string | null;
  /** The part of the form that each progress event named. */
  readonly progress: readonly number[];
}

/** The program of the guide. */
const guideProgram = codeBlocks("docs/guides/uploads.md").find(({ code }) => code.includes("XMLHttpRequest"))?.code;

/** A function of the page. It is text because the project has no types of a page. */
const POST = `async ({ url, fields, size }) => {
  ${guideProgram}
  const progress = [];
  try {
    await postFile({ url, fields }, new File([new Uint8Array(size)], "photo.png"), (part) => progress.push(part));
    return { error: null, progress };
  } catch ({ message }) {
    return { error: message, progress };
  }
}`;

/** Posts a file as a page does that shows its progress. */
async function postFrom(origin: string, { url, fields }: UploadForm, size: number): Promise<Posted> {
  const { page } = await openPage(browser, origin);
  return page.evaluate<Posted>(`(${POST})(${JSON.stringify({ url, fields, size })})`);
}

const storedSize = async () => {
  const command = new HeadObjectCommand({ Bucket: bucket, Key: KEY });
  const object = await fixture.s3.send(command).catch(() => null);
  return object?.ContentLength ?? null;
};

test("a page of any origin posts a file with a valid form, and may not call storage in another way", async () => {
  expect(await postFrom(otherOrigin, await newForm(), MAX)).toMatchObject({ error: null });
  expect(await storedSize()).toBe(MAX);
  const requests = vi.spyOn(fixture.emulators.s3, "handle");
  const { page } = await openPage(browser, otherOrigin);
  const url = JSON.stringify((await newForm()).url);
  const put = `fetch(${url} + "/${KEY}", { method: "PUT", body: "x" }).then(() => "answered", ({ message }) => message)`;
  expect(await page.evaluate<string>(put)).toBe("Failed to fetch");
  expect(requests.mock.calls.map(([{ method }]) => method)).toEqual(["OPTIONS"]);
  expect(await storedSize()).toBe(MAX);
});

test("a page of the console posts a file after a preflight, with its progress, and reads each refusal", async () => {
  const requests = vi.spyOn(fixture.emulators.s3, "handle");
  const form = await newForm();
  const posted = await postFrom(consoleOrigin, form, MAX);
  expect(posted.error).toBeNull();
  expect(posted.progress.at(-1)).toBe(1);
  const [preflight] = requests.mock.calls.map(([{ method, headers }]) => [
    method,
    headers["access-control-request-method"],
    headers["access-control-request-headers"],
  ]);
  expect(preflight).toEqual(["OPTIONS", "POST", undefined]);
  expect(await storedSize()).toBe(MAX);

  const otherType = { ...form, fields: { ...form.fields, "Content-Type": "text/html" } };
  expect(await postFrom(consoleOrigin, form, MAX + 1)).toMatchObject({ error: code("EntityTooLarge") });
  expect(await postFrom(consoleOrigin, form, 0)).toMatchObject({ error: code("EntityTooSmall") });
  expect(await postFrom(consoleOrigin, otherType, 1)).toMatchObject({ error: code("AccessDenied") });
  fixture.advance(15 * MINUTE);
  const late = { error: expect.stringContaining("Policy expired") };
  expect(await postFrom(consoleOrigin, form, 1)).toMatchObject(late);
  expect(await storedSize()).toBe(MAX);
});

const code = (name: string) => expect.stringContaining(`<Code>${name}</Code>`);
