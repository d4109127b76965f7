import type { Endpoint } from "./endpoint.ts";

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** The ports of all routes of a list together. */
export type PortsOf<Routes extends readonly Endpoint<never>[]> = Intersection<
  Routes[number] extends infer Route ? (Route extends Endpoint<infer Ports> ? Ports : never) : never
>;
