import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { objectPutter, type PutObject } from "#base/aws/object-put.ts";
import type { RequestConfig } from "#base/aws/signed-request.ts";
import {
  awsSignature,
  openSignedRequests,
  parseAuthorization,
  requestShape,
  sha256,
} from "./support/signed-requests.ts";

const KEY = "acts/01M5VJ1PYFGA81V3DN2QXS27X0 é=+";
const BODY = Buffer.from('{"act":"key.revoke"}');

let server: Awaited<ReturnType<typeof openSignedRequests>>;
let client: S3Client;
let put: PutObject;
beforeEach(async () => {
  // The waits between two attempts are drawn as 0.
  vi.spyOn(Math, "random").mockReturnValue(0);
  server = await openSignedRequests();
  client = new S3Client({ endpoint: server.url, forcePathStyle: true, ...server.options });
  put = objectPutter("journal", client.config, server.url);
});
afterEach(() => {
  client.destroy();
  server.close();
  vi.restoreAllMocks();
});

it("an object is put by the request of S3's client: method, path, body and signature", async () => {
  const input = { Bucket: "journal", Key: KEY, Body: BODY, ContentType: "application/octet-stream" };
  await client.send(new PutObjectCommand(input));
  await put(KEY, BODY);
  const [reference, own] = server.received;
  if (!reference || !own) throw new Error("Two requests were expected.");
  expect(requestShape(own)).toEqual({
    ...requestShape(reference),
    // S3's client names its operation in the query, which S3 ignores.
    url: reference.request.url?.split("?")[0],
  });
  for (const each of [reference, own]) expect(parseAuthorization(each).signature).toBe(awsSignature(each, "s3"));
  expect(own.request.headers["x-amz-content-sha256"]).toBe(sha256(BODY.toString()));
});

it.each([
  ["eu-central-1", "https://journal.s3.eu-central-1.amazonaws.com/acts/1"],
  ["cn-north-1", "https://journal.s3.cn-north-1.amazonaws.com.cn/acts/1"],
])("a bucket of %s has a host name of its own", async (region, url) => {
  const sent: string[] = [];
  const config: RequestConfig = {
    ...client.config,
    region: async () => region,
    requestHandler: {
      async handle({ protocol, hostname, path }) {
        sent.push(`${protocol}//${hostname}${path}`);
        throw new Error("not sent");
      },
    },
  };
  await expect(objectPutter("journal", config, null)("acts/1", BODY)).rejects.toThrow("not sent");
  expect(sent).toEqual([url, url, url]);
});

it.each([429, 500, 503, "cut"] as const)("an attempt that ends with %s is repeated, three in all", async (answer) => {
  server.answers.push(answer, answer);
  await put(KEY, BODY);
  server.answers.push(answer, answer, answer);
  await expect(put(KEY, BODY)).rejects.toThrow(/answered|socket hang up|ECONNRESET/);
  expect(server.received).toHaveLength(6);
});

it("a refusal is not repeated, and its error names the status", async () => {
  server.answers.push(403);
  await expect(put(KEY, BODY)).rejects.toThrow(/s3 at 127\.0\.0\.1:\d+ answered 403/);
  expect(server.received).toHaveLength(1);
});
