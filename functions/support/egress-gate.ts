import { ownHostSettings } from "../../shared/config/settings.ts";
import { runtimeOverrides } from "../../shared/kernel/runtime.ts";
import { createGate, type Gate } from "../../shared/net/egress-gate.ts";

/**
 * The egress gate for every URL of a tenant. Only the host of the process can open it, never a setting. The service's own
 * host names are refused in both modes.
 */
export function openGate(): Gate {
  return createGate({ mode: runtimeOverrides().openEgress ? "open" : "public", ownHosts: ownHostSettings() });
}
