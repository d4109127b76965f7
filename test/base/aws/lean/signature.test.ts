import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import {
  presign,
  type Signing,
  sha256Hex,
  sign,
  signatureOf,
  signText,
  toQueryString,
} from "#base/aws/lean/signature.ts";

// Signatures that AWS publishes.

const suite: Signing = {
  credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" },
  scope: { region: "us-east-1", service: "service" },
  time: new Date("2015-08-30T12:36:00Z"),
};
const HOST = { host: "example.amazonaws.com", "x-amz-date": "20150830T123600Z" };
const EMPTY = sha256Hex("");

const VANILLA_GET = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31";
/** The token of the test suite. */
const TOKEN =
  "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflf" +
  "KD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8T" +
  "x6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlT" +
  "JabIQwj2ICCR/oLxBA==";

// Source: "Signature Version 4 Test Suite" (aws-sig-v4-test-suite) of the AWS General Reference.
it.each([
  ["get-vanilla", { method: "GET" }, VANILLA_GET],
  ["post-vanilla", { method: "POST" }, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
  [
    "get-vanilla-query-order-key-case",
    { method: "GET", query: { Param2: "value2", Param1: "value1" } },
    "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  ],
  [
    "get-unreserved",
    { method: "GET", path: "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" },
    "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
  ],
  ["get-utf8", { method: "GET", path: "/ሴ" }, "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"],
  [
    "get-vanilla-utf8-query",
    { method: "GET", query: { ሴ: "bar" } },
    "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
  ],
  [
    "get-header-value-trim",
    { method: "GET", headers: { "my-header1": " value1", "my-header2": ' "a   b   c"' } },
    "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
  ],
  [
    "post-sts-header-before",
    { method: "POST", headers: { "x-amz-security-token": TOKEN } },
    "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
  ],
  [
    "get-space",
    { method: "GET", path: "/example space/" },
    "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
  ],
])(
  "the request %s of the test suite has its signature",
  (_, { method, path = "/", query, headers }: Case, signature) => {
    const request = { method, path, ...(query ? { query } : {}), headers: { ...HOST, ...headers } };
    expect(signatureOf(request, EMPTY, suite).signature).toBe(signature);
  },
);

// The signature is of the path that is sent. `URL` has removed its dots; it leaves doubled slashes, which no request has.
it.each([
  ["get-relative", "/example/..", VANILLA_GET],
  ["get-relative-relative", "/example1/example2/../..", VANILLA_GET],
  ["get-slash-dot-slash", "/./", VANILLA_GET],
  ["get-slash-pointless-dot", "/./example", "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5"],
])("the path %s of the test suite has its signature, read from a URL", (_, path, signature) => {
  const { pathname } = new URL(path, `https://${HOST.host}`);
  expect(signatureOf({ method: "GET", path: pathname, headers: HOST }, EMPTY, suite).signature).toBe(signature);
});

interface Case {
  readonly method: string;
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

it("the request of a form has the signature of the test suite", () => {
  const headers = { ...HOST, "content-type": "application/x-www-form-urlencoded" };
  const request = { method: "POST", path: "/", headers };
  expect(signatureOf(request, sha256Hex("Param1=value1"), suite).signature).toBe(
    "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
  );
});

it("the request of the guide has the guide's signature", () => {
  // Source: "Create a signed AWS API request" of the IAM User Guide, its example ListUsers.
  const headers = {
    host: "iam.amazonaws.com",
    "content-type": "application/x-www-form-urlencoded; charset=utf-8",
    "x-amz-date": "20150830T123600Z",
  };
  const request = { method: "GET", path: "/", query: { Action: "ListUsers", Version: "2010-05-08" }, headers };
  const signing = { ...suite, scope: { region: "us-east-1", service: "iam" } };
  expect(signatureOf(request, EMPTY, signing).signature).toBe(
    "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
  );
});

// Source: "Authenticating Requests: Using the Authorization Header" and "… Using Query Parameters" of the S3 API Reference.
const s3: Signing = {
  credentials: {
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  },
  scope: { region: "us-east-1", service: "s3" },
  time: new Date("2013-05-24T00:00:00Z"),
};
const BUCKET = "examplebucket.s3.amazonaws.com";

it.each([
  [
    "a range of an object",
    { method: "GET", path: "/test.txt", headers: { host: BUCKET, range: "bytes=0-9" } },
    "",
    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  ],
  [
    "a new object",
    {
      method: "PUT",
      path: "/test%24file.text",
      headers: {
        host: BUCKET,
        date: "Fri, 24 May 2013 00:00:00 GMT",
        "x-amz-storage-class": "REDUCED_REDUNDANCY",
      },
    },
    "Welcome to Amazon S3.",
    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  ],
  [
    "the lifecycle of a bucket",
    { method: "GET", path: "/", query: { lifecycle: "" }, headers: { host: BUCKET } },
    "",
    "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  ],
  [
    "a list of objects",
    { method: "GET", path: "/", query: { "max-keys": "2", prefix: "J" }, headers: { host: BUCKET } },
    "",
    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  ],
])("the request of S3's reference for %s has its signature", (_, request, body, signature) => {
  const { authorization } = sign(request, sha256Hex(body), s3);
  expect(authorization?.split("Signature=")[1]).toBe(signature);
});

it("the URL of S3's reference has its signature", () => {
  const request = { method: "GET", path: "/test.txt", headers: { host: BUCKET } };
  expect(presign(request, 86_400, s3)["X-Amz-Signature"]).toBe(
    "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  );
});

it("the keys of two days, two regions and two credentials are not confused by the cache", () => {
  const hmac = (key: string | Buffer, data: string) => createHmac("sha256", key).update(data).digest();
  for (const day of ["20130524", "20130525", "20130524"]) {
    for (const region of ["us-east-1", "us-west-1"]) {
      for (const secretAccessKey of ["one", "another"]) {
        const key = [day, region, "s3", "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
        const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey };
        const signature = signText("a text", credentials, { region, service: "s3" }, `${day}T000000Z`);
        expect(signature).toBe(hmac(key, "a text").toString("hex"));
      }
    }
  }
});

it("a session's token is signed, and a query is sorted by the bytes of its encoded names", () => {
  const signing = { ...s3, credentials: { ...s3.credentials, sessionToken: "a token/+=" } };
  const headers = sign({ method: "GET", path: "/", headers: { host: BUCKET } }, EMPTY, signing);
  expect(headers["x-amz-security-token"]).toBe("a token/+=");
  expect(headers.authorization).toContain("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,");
  expect(toQueryString({ b: "2", "a b": "é!'()*~", B: "" })).toBe("B=&a%20b=%C3%A9%21%27%28%29%2A~&b=2");
});
