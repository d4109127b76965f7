import type { Connection } from "../../domain/accounts/accounts.ts";
import type { Platform, Upstream } from "../platform.ts";
import type { PlatformHttp } from "./http.ts";
import { instagramLogin } from "./instagram-login.ts";
import { instagramPage } from "./instagram-page.ts";
import { messenger } from "./messenger.ts";

const connectors = {
  instagram_login: instagramLogin,
  instagram_page: instagramPage,
  messenger,
} as const satisfies Record<Connection, (upstream: Upstream, http: PlatformHttp) => Platform>;

/** The platform for accounts of this connection. */
export function platformFor(connection: Connection, upstream: Upstream, http: PlatformHttp): Platform {
  return connectors[connection](upstream, http);
}
