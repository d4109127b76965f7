import type { ReadKeyRing } from "#base/kernel/key-ring.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { pageEndpointFor } from "#http/page.ts";
import type { DonePorts, InboxPorts } from "../ports.ts";

/** The ports of the routes for conversations and messages. */
export type InboxRoutePorts = InboxPorts & DonePorts & { readonly cursorKeys: ReadKeyRing };

/** The constructors of the routes for conversations and messages. */
export const endpoint = { ...endpointsFor<InboxRoutePorts>(), page: pageEndpointFor<InboxRoutePorts>() };
