import { ownHostSettings } from "#base/config/settings.ts";
import { runtimeOverrides } from "#base/kernel/runtime.ts";
import { createGate, type Gate } from "#base/net/egress-gate.ts";
import type { Host } from "../host.ts";

/**
 * The egress gate for every URL of a tenant. Only the host of the process can open it, never a setting. The service's own
 * host names are refused in both modes.
 */
export function openGate({ settings, clients }: Host): Gate {
  return (
    clients.gate ??
    createGate({ mode: runtimeOverrides().openEgress ? "open" : "public", ownHosts: ownHostSettings(settings) })
  );
}
