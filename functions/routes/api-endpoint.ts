import type { KeyPorts } from "../../shared/flows/access/ports.ts";
import type { ReplayPorts } from "../../shared/flows/delivery/ports.ts";
import type { ErasePorts } from "../../shared/flows/erasure/ports.ts";
import type { HoldPorts } from "../../shared/flows/holds/ports.ts";
import type { InboxPorts } from "../../shared/flows/inbox/ports.ts";
import type { IdempotencyPorts, SendPorts } from "../../shared/flows/sending/ports.ts";
import type { StatsPorts } from "../../shared/flows/stats/ports.ts";
import type { WebhookPorts } from "../../shared/flows/webhooks/ports.ts";
import type { Audit } from "../../shared/stores/access/audit.ts";
import type { Accounts } from "../../shared/stores/accounts/accounts.ts";
import type { DueAttempts } from "../../shared/stores/delivery/due-attempts.ts";
import { endpointFor } from "../http/endpoint.ts";

/** What the routes of the API function need: the ports of their flows, and what the routes read themselves. */
export type ApiPorts = KeyPorts &
  InboxPorts &
  SendPorts &
  IdempotencyPorts &
  HoldPorts &
  ErasePorts &
  WebhookPorts &
  ReplayPorts &
  StatsPorts & {
    readonly accounts: Accounts;
    readonly audit: Audit;
    readonly due: Pick<DueAttempts, "putTask">;
    readonly cursorKey: () => Promise<Uint8Array>;
    readonly siteUrl: string | null;
  };

/** The `endpoint()` of every route of the API function. */
export const endpoint = endpointFor<ApiPorts>();
