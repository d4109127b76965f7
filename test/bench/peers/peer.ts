/** A running system that gets events and delivers them to endpoints. */
export interface Peer {
  /** The processes whose CPU time and memory count, without those of the bench. */
  pids(): number[];
  /** Creates an endpoint that gets every event. */
  createEndpoint(url: string): Promise<void>;
  /** Publishes one event. `id` must be a part of the body that each endpoint gets. Resolves when the system has accepted it. */
  publish(id: string): Promise<void>;
  stop(): Promise<void>;
}

/** How the bench starts a system. A file with another one as its default export: `npm run bench:peers -- --peer FILE`. */
export interface PeerAdapter {
  readonly name: string;
  start(): Promise<Peer>;
}
