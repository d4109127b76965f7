import type {
  InstagramLoginPorts,
  MessengerLoginPorts,
  PagePorts,
  SelectPagePorts,
  StartLoginPorts,
  UseLoginPorts,
} from "../../shared/flows/accounts/login/ports.ts";
import type { PageFile } from "../../shared/flows/holds/ports.ts";
import type { SessionCredentialPorts } from "../http/caller-credentials.ts";
import { endpointsFor } from "../http/endpoints-for.ts";

/** The ports of the Connect function: those of its flows, and what its routes read directly. */
export type ConnectRoutePorts = SessionCredentialPorts &
  StartLoginPorts &
  UseLoginPorts &
  InstagramLoginPorts &
  MessengerLoginPorts &
  PagePorts &
  SelectPagePorts & {
    /** The page that connects accounts and its assets, by path. */
    readonly pageFiles: ReadonlyMap<string, PageFile>;
  };

/** The constructors of the Connect function's routes. */
export const endpoint = endpointsFor<ConnectRoutePorts>();
