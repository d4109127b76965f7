/** The pool alone. Through its index undici brings fetch, WebSockets and caches, 280 KB of Deliver's bundle. */
declare module "undici/lib/dispatcher/pool.js" {
  import { Pool } from "undici";

  export = Pool;
}
