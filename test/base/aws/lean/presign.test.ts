import { GetObjectCommand, S3Client as SdkClient } from "@aws-sdk/client-s3";
import { createPresignedPost as sdkPost } from "@aws-sdk/s3-presigned-post";
import { afterEach, expect, it, vi } from "vitest";
import { dnsSuffix } from "#base/aws/lean/endpoints.ts";
import { GetObjectCommand as LeanGetObjectCommand, S3Client } from "#base/aws/lean/s3.ts";
import { createPresignedPost, getSignedUrl } from "#base/aws/lean/s3-presign.ts";

// Forms and URLs are those of the SDK. Neither client makes a request.

const options = {
  region: "eu-central-1",
  credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret", sessionToken: "a token/+=" },
};
const NOW = Date.parse("2026-11-29T06:00:00.500Z");
afterEach(() => {
  vi.restoreAllMocks();
});

it.each([{}, { endpoint: "http://127.0.0.1:4566", forcePathStyle: true }])(
  "the form of an upload is the SDK's, with the options %j",
  async (more) => {
    vi.spyOn(Date, "now").mockReturnValue(NOW);
    const input = {
      Bucket: "uploads",
      Key: "tenant/a é.png",
      Fields: { "Content-Type": "image/png", success_action_status: "204" },
      Conditions: [["content-length-range", 1, 5] as ["content-length-range", number, number]],
      Expires: 600.25,
    };
    const own = await createPresignedPost(new S3Client({ ...options, ...more }), input);
    const reference = await sdkPost(new SdkClient({ ...options, ...more }), input);
    expect(own.url).toBe(reference.url);
    const policyOf = ({ Policy = "" }: Record<string, string>) => JSON.parse(Buffer.from(Policy, "base64").toString());
    expect(policyOf(own.fields).expiration).toBe(policyOf(reference.fields).expiration);
    expect(new Set(policyOf(own.fields).conditions)).toEqual(new Set(policyOf(reference.fields).conditions));
    const withoutSignature = ({ Policy: _, "X-Amz-Signature": __, ...fields }: Record<string, string>) => fields;
    expect(withoutSignature(own.fields)).toEqual(withoutSignature(reference.fields));
    expect(Object.keys(own.fields).sort()).toEqual(Object.keys(reference.fields).sort());
  },
);

it("the URL of an object names it, its disposition, its end and who signed it", async () => {
  const input = { Bucket: "uploads", Key: "a é/b+.png", ResponseContentDisposition: "attachment" };
  for (const Command of [GetObjectCommand, LeanGetObjectCommand]) {
    const command = new Command(input) as LeanGetObjectCommand;
    const signed = { signingDate: new Date(NOW), expiresIn: 60 };
    const url = new URL(await getSignedUrl(new S3Client(options), command, signed));
    expect(`${url.origin}${url.pathname}`).toBe("https://uploads.s3.eu-central-1.amazonaws.com/a%20%C3%A9/b%2B.png");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      "response-content-disposition": "attachment",
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Credential": "AKIDEXAMPLE/20261129/eu-central-1/s3/aws4_request",
      "X-Amz-Date": "20261129T060000Z",
      "X-Amz-Expires": "60",
      "X-Amz-Security-Token": "a token/+=",
      "X-Amz-SignedHeaders": "host",
      "X-Amz-Signature": expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  }
});

it.each([
  ["eu-central-1", "amazonaws.com"],
  ["us-gov-west-1", "amazonaws.com"],
  ["cn-northwest-1", "amazonaws.com.cn"],
  ["eusc-de-east-1", "amazonaws.eu"],
  ["us-iso-east-1", "c2s.ic.gov"],
  ["us-isob-east-1", "sc2s.sgov.gov"],
])("the hosts of %s are of %s", (region, suffix) => {
  expect(dnsSuffix(region)).toBe(suffix);
});
