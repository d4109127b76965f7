import type { Host } from "./host.ts";

/** What a port is made from: the host of the process, and other ports. */
export interface Composition extends Host {
  /** The port that a factory makes, the same one for each caller of this composition. */
  use<T>(port: Port<T>): T;
  /** Several ports by their names. */
  all<P extends Selection>(ports: P): Composed<P>;
}

/** Makes a port. `functions/ports` has one for each name. */
export type Port<T> = (composition: Composition) => T;

/** The ports of a function or of a flow. */
export type Selection = Readonly<Record<string, Port<unknown>>>;

export type Composed<P extends Selection> = { readonly [Name in keyof P]: ReturnType<P[Name]> };

/** Makes ports from a host. Each call makes new ones, as a new process has them, with empty caches. */
export function compose<P extends Selection>(host: Host, ports: P): Composed<P> {
  const made = new Map<Port<unknown>, unknown>();
  const composition: Composition = {
    ...host,
    use<T>(port: Port<T>): T {
      if (!made.has(port)) made.set(port, port(composition));
      return made.get(port) as T;
    },
    all(selection) {
      const entries = Object.entries(selection).map(([name, port]) => [name, composition.use(port)]);
      return Object.fromEntries(entries) as Composed<typeof selection>;
    },
  };
  return composition.all(ports);
}
