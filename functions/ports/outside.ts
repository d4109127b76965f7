import { openMail } from "#base/aws/mail.ts";
import { openConnections } from "#base/aws/realtime.ts";
import { mailSettings, ownHostSettings, setting } from "#base/config/settings.ts";
import { runtimeOverrides } from "#base/kernel/runtime.ts";
import { createGate, type Gate } from "#base/net/egress-gate.ts";
import { createWebhookClient } from "#base/net/webhook-client.ts";
import type { Composition } from "../compose.ts";
import type { Host } from "../host.ts";

// What calls people and receivers.

/**
 * The egress gate for every URL of a tenant. Only the host of the process can open it, never a setting. The service's own
 * host names are refused in both modes.
 */
export function gate({ settings, clients }: Pick<Host, "settings" | "clients">): Gate {
  return (
    clients.gate ??
    createGate({ mode: runtimeOverrides().openEgress ? "open" : "public", ownHosts: ownHostSettings(settings) })
  );
}

export const webhookClient = ({ use, clients }: Composition) =>
  clients.webhookClient ?? createWebhookClient({ gate: use(gate) });

/** The sockets of consoles. */
export const connections = ({ settings, clients }: Host) =>
  clients.connections ?? openConnections(setting("realtimeEndpoint", settings));

/** Null where the deployment sends no mails. */
export function mail({ settings, clients }: Host) {
  const sender = mailSettings(settings);
  return clients.mail === undefined ? sender && openMail(sender, clients.ses) : clients.mail;
}
