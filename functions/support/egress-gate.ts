import { ownHostSettings } from "../../shared/config/settings.ts";
import { runtimeOverrides } from "../../shared/kernel/runtime.ts";
import { createGate, type Gate } from "../../shared/net/egress-gate.ts";

/**
 * The one gate before every address that a tenant names. Only the host of the process can open it, never a setting;
 * what the settings name of the service itself stays shut either way.
 */
export function openGate(): Gate {
  return createGate({ mode: runtimeOverrides().openEgress ? "open" : "public", ownHosts: ownHostSettings() });
}
