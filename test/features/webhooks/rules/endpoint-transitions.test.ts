import { describe, expect, it } from "vitest";
import { CLOSED } from "#features/delivery/rules/breaker.ts";
import {
  type Endpoint,
  effectiveChanges,
  endpointStatusesBefore,
  endpointTransitions,
  nextEndpointStatus,
} from "#features/webhooks/rules/endpoints.ts";

const endpoint: Endpoint = {
  id: "01K9ZZZZZZZZZZZZZZZZZZZZZZ",
  url: "https://receiver.example/hook",
  events: ["message.received"],
  status: "active",
  secretPrefix: "whs_abcdefgh",
  sealedSecret: new Uint8Array(),
  secondary: null,
  pausedEvent: null,
  breaker: CLOSED,
  breakerOp: null,
  createdAt: 0,
  updatedAt: 0,
};

describe("an endpoint's status", () => {
  it("never leaves deleted", () => {
    for (const [, trigger] of endpointTransitions) {
      expect(nextEndpointStatus("deleted", trigger)).toBeNull();
      expect(endpointStatusesBefore(trigger)).not.toContain("deleted");
    }
  });

  it("is paused by the service only while it is active", () => {
    expect(endpointStatusesBefore("auto_pause")).toEqual(["active"]);
  });

  it("can be deleted while it is active or paused", () => {
    expect(endpointStatusesBefore("delete")).toEqual(["active", "paused"]);
  });

  it.each([
    ["active", "active", {}],
    ["active", "paused", { status: "paused" }],
    ["paused", "active", { status: "active" }],
    ["paused", "paused", {}],
    ["deleted", "active", {}],
  ] as const)("from %s to %s, a request changes %o", (from, to, changes) => {
    expect(effectiveChanges({ ...endpoint, status: from }, { status: to })).toEqual(changes);
  });
});
