import type { ReadKeyRing } from "#base/kernel/key-ring.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { pageEndpointFor } from "#http/page.ts";
import type { ReplayPorts } from "../ports.ts";

/** The ports of the routes for deliveries. */
export type DeliveryRoutePorts = ReplayPorts & { readonly cursorKeys: ReadKeyRing };

/** The constructors of the routes for deliveries. */
export const endpoint = { ...endpointsFor<DeliveryRoutePorts>(), page: pageEndpointFor<DeliveryRoutePorts>() };
