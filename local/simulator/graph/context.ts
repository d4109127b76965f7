import type { Call } from "../http/http-server.ts";
import type { Deliveries } from "../webhooks/deliveries.ts";
import type { Faults } from "../world/faults.ts";
import type { SecretName } from "../world/model.ts";
import type { World } from "../world/world.ts";

export interface Context {
  world: World;
  deliveries: Deliveries;
  faults: Faults;
  secrets: Record<SecretName, string>;
  verifyToken: string;
  webhookBase: string;
  /** The simulator's own origin, known once it listens. */
  url(): string;
  /** The shape in which a login code is exchanged on Instagram: all of them were seen in the wild. */
  tokenShape: TokenShape;
}

export const tokenShapes = ["wrapped", "flat", "numeric"] as const;
type TokenShape = (typeof tokenShapes)[number];

/** Which Graph host a call came to. */
export type GraphHost = "facebook" | "instagram";

/** A parameter from the body or, failing that, the query; Graph takes both. */
export function parameter(call: Call, name: string): string | undefined {
  const value = call.body[name];
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  return call.query.get(name) ?? undefined;
}

/** Who logs in with Facebook on the simulator: there is one such user, and every Page is theirs. */
export const facebookUserId = "10150000000000001";
