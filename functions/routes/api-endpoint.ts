import type { ApiPorts } from "../../shared/flows/ports.ts";
import { endpointFor } from "../http/endpoint.ts";

/** The `endpoint()` of every route of the API function. */
export const endpoint = endpointFor<ApiPorts>();
