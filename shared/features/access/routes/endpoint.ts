import type { PageFile } from "#base/files/page-file.ts";
import type { ReadKeyRing } from "#base/kernel/key-ring.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { pageEndpointFor } from "#http/page.ts";
import type {
  ReadLinkPorts,
  RenamePorts,
  SignInPorts,
  SignInRequestPorts,
  SignOutPorts,
} from "../flows/sign-in/ports.ts";
import type { InvitePorts, MemberPorts, OwnInvitePorts } from "../flows/team/ports.ts";
import type { KeyPorts, KeyRevocationPorts } from "../ports.ts";
import type { Audit } from "../store/audit.ts";

/** The ports of the routes for keys and the audit log. */
export type KeyRoutePorts = KeyPorts & KeyRevocationPorts & { readonly audit: Audit; readonly cursorKeys: ReadKeyRing };

/** The ports of the console's routes: signing in, the team and invites. */
export type ConsoleRoutePorts = SignInRequestPorts &
  ReadLinkPorts &
  SignInPorts &
  SignOutPorts &
  RenamePorts &
  MemberPorts &
  InvitePorts &
  OwnInvitePorts & {
    /** The origin of the console, such as `https://console.example.com`. */
    readonly consoleOrigin: string;
    /** The public URL of the API, whose host sets the cookies. */
    readonly baseUrl: string;
    /** The sign-in page and its assets, by name. */
    readonly pageFiles: ReadonlyMap<string, PageFile>;
  };

/** The constructors of the routes for keys and the audit log. */
export const endpoint = { ...endpointsFor<KeyRoutePorts>(), page: pageEndpointFor<KeyRoutePorts>() };
/** The constructors of the console's routes. */
export const consoleEndpoint = endpointsFor<ConsoleRoutePorts>();
