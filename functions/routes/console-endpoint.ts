import type {
  ReadLinkPorts,
  SignInPorts,
  SignInRequestPorts,
  SignOutPorts,
} from "../../shared/flows/access/sign-in/ports.ts";
import type { InvitePorts, MemberPorts, OwnInvitePorts, OwnTenantPorts } from "../../shared/flows/access/team/ports.ts";
import type { PageFile } from "../../shared/flows/holds/ports.ts";
import type { TicketPorts } from "../../shared/flows/realtime/ports.ts";
import type { SessionCredentialPorts } from "../http/caller-credentials.ts";
import { endpointsFor } from "../http/endpoints-for.ts";

/** The ports of the Console function: those of its flows, and what its routes read directly. */
export type ConsolePorts = SignInRequestPorts &
  ReadLinkPorts &
  SignInPorts &
  SignOutPorts &
  SessionCredentialPorts &
  MemberPorts &
  InvitePorts &
  OwnInvitePorts &
  OwnTenantPorts &
  TicketPorts & {
    /** The public URL of the API, whose host sets the cookies. */
    readonly baseUrl: string;
    /** The sign-in page and its assets, by name. */
    readonly pageFiles: ReadonlyMap<string, PageFile>;
  };

/** The constructors of the Console function's routes. */
export const endpoint = endpointsFor<ConsolePorts>();
