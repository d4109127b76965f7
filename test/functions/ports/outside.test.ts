import { afterEach, describe, expect, it, vi } from "vitest";
import { env } from "#base/config/names.ts";
import { setRuntimeOverrides } from "#base/kernel/runtime.ts";
import { processHost } from "../../../functions/host.ts";
import { gate as openGate } from "../../../functions/ports/outside.ts";

const OWN_HOSTS = ["api.example.com", "a1b2c3.execute-api.us-east-1.amazonaws.com", "raw.s3.amazonaws.com"];

afterEach(() => {
  setRuntimeOverrides({});
  vi.unstubAllEnvs();
});

/** The gate's reason for refusing a URL, or null. */
function gateRefusal(url: string): string | null {
  const checked = openGate(processHost).checkUrl(url);
  return checked.ok ? null : checked.reason;
}

describe.each([{}, { openEgress: true }])("the gate of a function, its host being %j", (host) => {
  it.each(OWN_HOSTS)("the gate of a function refuses the service's own host %s", (ownHost) => {
    setRuntimeOverrides(host);
    vi.stubEnv(env.ownHosts, OWN_HOSTS.join(","));
    expect(gateRefusal(`https://${ownHost.toUpperCase()}/v1/ping`)).toBe("The URL must not point to this service.");
    expect(gateRefusal(`https://a.${ownHost}:8443/`)).toBe("The URL must not point to this service.");
    expect(gateRefusal(`https://other-${ownHost}/`)).toBeNull();
  });

  it("the gate of a function does not open without them: the function does not start", () => {
    setRuntimeOverrides(host);
    vi.stubEnv(env.ownHosts, "");
    expect(() => openGate(processHost)).toThrow(env.ownHosts);
  });
});

it("the gate allows loopback only for a host that opens it", () => {
  vi.stubEnv(env.ownHosts, OWN_HOSTS.join(","));
  expect(gateRefusal("http://127.0.0.1:9/")).not.toBeNull();
  setRuntimeOverrides({ openEgress: true });
  expect(gateRefusal("http://127.0.0.1:9/")).toBeNull();
});
