import { describe, expect, it } from "vitest";
import { banner } from "../../../local/stack/banner.ts";
import type { LocalJson } from "../../../local/stack/local-json.ts";

const bareLocalJson: LocalJson = {
  base_url: "http://127.0.0.1:8787",
  platform_secrets: { meta: "the-meta-secret", instagram: "the-ig-secret", verify_token: "the-token" },
  accounts: [],
};
const seededLocalJson: LocalJson = {
  ...bareLocalJson,
  simulator_url: "http://127.0.0.1:8788",
  tenant: "demo",
  live_key: "svc_live_x",
};

describe("the banner", () => {
  it("shows addresses, the key, and commands that contain both", () => {
    const text = banner(seededLocalJson, "/data");
    const commands = text.split("\n").filter((line) => line.includes("curl "));
    expect(commands).toHaveLength(4);
    for (const command of commands) {
      expect(command).toContain("http://127.0.0.1:8787/v1/");
      expect(command).toContain("Bearer svc_live_x");
    }
    expect(text).toContain("http://127.0.0.1:8788");
    expect(text).toContain("/data");
  });

  it("shows no commands without a key, no simulator if there is none, and never the platform secrets", () => {
    const text = banner(bareLocalJson, "/data");
    expect(text).not.toContain("curl");
    expect(text).not.toContain("Simulator");
    expect(banner(seededLocalJson, "/data") + text).not.toMatch(/the-(meta-secret|ig-secret|token)/);
  });
});
