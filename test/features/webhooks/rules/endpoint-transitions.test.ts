import { expect, it } from "vitest";
import {
  effectiveChanges,
  endpointStatusesBefore,
  endpointTransitions,
  nextEndpointStatus,
} from "#features/webhooks/rules/endpoints.ts";
import { sampleEndpoint } from "../../../support/stores/samples.ts";

it("an endpoint's status never leaves deleted", () => {
  for (const [, trigger] of endpointTransitions) {
    expect(nextEndpointStatus("deleted", trigger)).toBeNull();
    expect(endpointStatusesBefore(trigger)).not.toContain("deleted");
  }
});

it("an endpoint's status is paused by the service only while it is active", () => {
  expect(endpointStatusesBefore("auto_pause")).toEqual(["active"]);
});

it("an endpoint's status can be deleted while it is active or paused", () => {
  expect(endpointStatusesBefore("delete")).toEqual(["active", "paused"]);
});

it.each([
  ["active", "active", {}],
  ["active", "paused", { status: "paused" }],
  ["paused", "active", { status: "active" }],
  ["paused", "paused", {}],
  ["deleted", "active", {}],
] as const)("a request from %s to %s changes %o", (from, to, changes) => {
  expect(effectiveChanges(sampleEndpoint({ status: from }), { status: to })).toEqual(changes);
});
