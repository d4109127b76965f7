import type { PageFile } from "#base/files/page-file.ts";
import type { ListOwnTenantPorts } from "#features/tenants/ports.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import type { CheckStatePorts } from "../flows/check-states.ts";
import type {
  InstagramLoginPorts,
  MessengerLoginPorts,
  PagePorts,
  SelectPagePorts,
  StartLoginPorts,
  UseLoginPorts,
} from "../flows/login/ports.ts";
import type { AccountDisconnectPorts } from "../ports.ts";
import type { Accounts } from "../store/accounts.ts";

/** The ports of the routes for connected accounts. */
export type AccountRoutePorts = AccountDisconnectPorts & CheckStatePorts & { readonly accounts: Accounts };

/** The ports of the routes that connect accounts. */
export type ConnectRoutePorts = StartLoginPorts &
  UseLoginPorts &
  InstagramLoginPorts &
  MessengerLoginPorts &
  PagePorts &
  ListOwnTenantPorts &
  SelectPagePorts &
  CheckStatePorts & {
    /** The origin of the console, such as `https://console.example.com`. */
    readonly consoleOrigin: string;
    readonly pageFiles: ReadonlyMap<string, PageFile>;
  };

/** The constructors of the routes for connected accounts. */
export const endpoint = endpointsFor<AccountRoutePorts>();
/** The constructors of the routes that connect accounts. */
export const connectEndpoint = endpointsFor<ConnectRoutePorts>();
