import { afterEach, describe, expect, it, vi } from "vitest";
import { openGate } from "../../../functions/support/egress-gate.ts";
import { env } from "../../../shared/config/names.ts";
import { setHost } from "../../../shared/kernel/time.ts";

const OWN = ["api.example.com", "a1b2c3.execute-api.us-east-1.amazonaws.com", "raw.s3.amazonaws.com"];

afterEach(() => {
  setHost({});
  vi.unstubAllEnvs();
});

/** The sentence with which a function's gate refuses a URL; null when it does not. */
function refusalOf(url: string): string | null {
  const checked = openGate().checkUrl(url);
  return checked.ok ? null : checked.reason;
}

describe.each([{}, { openEgress: true }])("the gate of a function, its host being %j", (host) => {
  it.each(OWN)("refuses the service's own host %s", (own) => {
    setHost(host);
    vi.stubEnv(env.ownHosts, OWN.join(","));
    expect(refusalOf(`https://${own.toUpperCase()}/v1/ping`)).toBe("The URL must not lead back to this service.");
    expect(refusalOf(`https://a.${own}:8443/`)).toBe("The URL must not lead back to this service.");
    expect(refusalOf(`https://other-${own}/`)).toBeNull();
  });

  it("is not there without them: the function does not start", () => {
    setHost(host);
    vi.stubEnv(env.ownHosts, "");
    expect(openGate).toThrow(env.ownHosts);
  });
});

it("lets loopback through for a host that opens it, and for no other", () => {
  vi.stubEnv(env.ownHosts, OWN.join(","));
  expect(refusalOf("http://127.0.0.1:9/")).not.toBeNull();
  setHost({ openEgress: true });
  expect(refusalOf("http://127.0.0.1:9/")).toBeNull();
});
