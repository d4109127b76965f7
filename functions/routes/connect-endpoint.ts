import type { ListOwnTenantPorts } from "../../shared/flows/access/team/ports.ts";
import type {
  InstagramLoginPorts,
  MessengerLoginPorts,
  PagePorts,
  SelectPagePorts,
  StartLoginPorts,
  UseLoginPorts,
} from "../../shared/flows/accounts/login/ports.ts";
import type { MissingSincePorts } from "../../shared/flows/accounts/missing-since.ts";
import type { SessionCredentialPorts } from "../http/caller-credentials.ts";
import { endpointsFor } from "../http/endpoints-for.ts";
import type { DutyPorts } from "./accounts/duties.ts";

/** The ports of the Connect function: those of its flows, and what its routes read directly. */
export type ConnectRoutePorts = SessionCredentialPorts &
  StartLoginPorts &
  UseLoginPorts &
  InstagramLoginPorts &
  MessengerLoginPorts &
  PagePorts &
  ListOwnTenantPorts &
  SelectPagePorts &
  MissingSincePorts &
  DutyPorts;

/** The constructors of the Connect function's routes. */
export const endpoint = endpointsFor<ConnectRoutePorts>();
