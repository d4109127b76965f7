import type { KeyPorts, KeyRevocationPorts } from "../../shared/flows/access/ports.ts";
import type { MissingSincePorts } from "../../shared/flows/accounts/missing-since.ts";
import type { LetGoPorts } from "../../shared/flows/accounts/ports.ts";
import type { ReplayPorts } from "../../shared/flows/delivery/ports.ts";
import type { ErasePorts } from "../../shared/flows/erasure/ports.ts";
import type { HoldPorts } from "../../shared/flows/holds/ports.ts";
import type { InboxPorts } from "../../shared/flows/inbox/ports.ts";
import type { TicketPorts } from "../../shared/flows/realtime/ports.ts";
import type { AttachmentPorts, IdempotencyPorts, SendPorts } from "../../shared/flows/sending/ports.ts";
import type { StatsPorts } from "../../shared/flows/stats/ports.ts";
import type { UploadPorts } from "../../shared/flows/uploads/ports.ts";
import type { WebhookPorts } from "../../shared/flows/webhooks/ports.ts";
import type { ReadKeyRing } from "../../shared/kernel/key-ring.ts";
import type { Audit } from "../../shared/stores/access/audit.ts";
import type { Accounts } from "../../shared/stores/accounts/accounts.ts";
import type { DueAttempts } from "../../shared/stores/delivery/due-attempts.ts";
import type { SessionCredentialPorts } from "../http/caller-credentials.ts";
import { endpointsFor } from "../http/endpoints-for.ts";
import { pageEndpointFor } from "../http/page.ts";

/** The ports of the API function: those of its flows, and the stores that its routes read directly. */
export type ApiPorts = KeyPorts &
  KeyRevocationPorts &
  TicketPorts &
  SessionCredentialPorts &
  InboxPorts &
  SendPorts &
  IdempotencyPorts &
  AttachmentPorts &
  HoldPorts &
  UploadPorts &
  ErasePorts &
  WebhookPorts &
  ReplayPorts &
  LetGoPorts &
  MissingSincePorts &
  StatsPorts & {
    readonly accounts: Accounts;
    readonly audit: Audit;
    readonly due: Pick<DueAttempts, "putTask">;
    readonly cursorKeys: ReadKeyRing;
    readonly siteUrl: string | null;
  };

/** The constructors of the API function's routes: `endpoint.tenant`, `.page`, `.caller` and `.public`. */
export const endpoint = { ...endpointsFor<ApiPorts>(), page: pageEndpointFor<ApiPorts>() };
