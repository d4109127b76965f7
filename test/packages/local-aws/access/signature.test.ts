import { describe, expect, it } from "vitest";
import { findSignatureProblem, type SignedRequest } from "#local-aws/access/signature.ts";

// Of AWS's test suite of Signature Version 4: get-vanilla and get-vanilla-query-order-key-case.
const accessKeys = { AKIDEXAMPLE: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
const scope = "AKIDEXAMPLE/20150830/us-east-1/service/aws4_request";
const examples = [
  ["/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
  ["/?Param2=value2&Param1=value1", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"],
] as const;

const [[, vanilla]] = examples;
const signed = (url: string, signature: string, changes: Partial<SignedRequest> = {}): SignedRequest => ({
  method: "GET",
  url,
  headers: {
    host: "example.amazonaws.com",
    "x-amz-date": "20150830T123600Z",
    authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host;x-amz-date, Signature=${signature}`,
  },
  body: Buffer.alloc(0),
  ...changes,
});
const problemOf = (request: SignedRequest, isVerified = true) =>
  findSignatureProblem(request, { accessKeys, isVerified });

describe("a signature", () => {
  it.each(examples)("a signature of AWS's own examples is accepted: %s", (url, signature) => {
    expect(problemOf(signed(url, signature))).toBeNull();
  });

  const { headers } = signed("/", vanilla);
  it.each([
    ["another signature", signed("/", vanilla.replace("5", "6"))],
    ["another method", signed("/", vanilla, { method: "POST" })],
    ["another path", signed("/a", vanilla)],
    ["another parameter", signed("/?a=b", vanilla)],
    ["another body", signed("/", vanilla, { body: Buffer.from("x") })],
    ["another host", signed("/", vanilla, { headers: { ...headers, host: "evil.example" } })],
    ["an operation that is not signed", signed("/", vanilla, { headers: { ...headers, "x-amz-target": "A.B" } })],
  ])("a signature does not match with %s", (_name, request) => {
    expect(problemOf(request)).toBe("InvalidSignatureException");
  });

  it("a signature of no or an unknown access key is refused, also where signatures are not verified", () => {
    const unsigned = signed("/", vanilla, { headers: { host: "example.amazonaws.com" } });
    expect(problemOf(unsigned, false)).toBe("MissingAuthenticationTokenException");
    for (const authorization of ["", "AWS4", "Bearer x", headers.authorization?.replace("AKID", "OTHER") ?? ""]) {
      const request = signed("/", vanilla, { headers: { ...headers, authorization } });
      expect(problemOf(request, false)).toBe("UnrecognizedClientException");
    }
    expect(problemOf(signed("/", "0"), false)).toBeNull();
  });
});
