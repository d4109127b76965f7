/** A message that the simulator asks its host about. */
export interface InspectedMessage {
  mid: string;
  /** When its webhooks were first and last sent, in milliseconds by the simulator's clock. */
  from: number;
  to: number;
}

/** What the app made of a message, each part as the app itself shows it. */
export interface AppReport {
  /** The stored message; null if the app has none. */
  message: unknown;
  deliveries: readonly AppDelivery[];
  /** Why the report is incomplete, as a sentence; null if it is not. */
  problem: string | null;
  /** How to add an endpoint, which the page shows for a message without deliveries. Commands are in backticks. */
  endpoint_hint?: string;
}

/** One event of the message for one endpoint. */
export interface AppDelivery {
  /** The endpoint's URL. */
  endpoint: string;
  endpoint_id: string;
  delivery: unknown;
}

/** An endpoint that the app added with the secret that signs its events, or the reason why it did not. */
export type AddedEndpoint = { id: string; secret: string; problem: null } | { id: null; secret: null; problem: string };

/** The program that the simulator runs in. A simulator that runs alone has none. */
export interface SimulatorHost {
  /** Advances every clock, the simulator's included, by milliseconds. */
  advanceClock(by: number): Promise<void>;
  /** Reports what the app made of a message. */
  inspect(message: InspectedMessage): Promise<AppReport>;
  /** Delivers an event to its endpoint again, through the app's own API. Returns why the app refused, or null. */
  replay?(delivery: { endpoint_id: string; delivery_id: string }): Promise<string | null>;
  /** Adds an endpoint for events to the app. */
  addEndpoint?(url: string): Promise<AddedEndpoint>;
}
