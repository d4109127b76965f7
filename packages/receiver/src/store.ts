/**
 * - `claimed`: the event is new, or an earlier claim ended without success. The caller processes it now.
 * - `processing`: another delivery of the event is processed at the moment.
 * - `processed`: the event was processed.
 */
export type ClaimState = "claimed" | "processing" | "processed";

/**
 * Remembers which events were processed. Parley delivers at least once, so an event may come again, also while its first
 * delivery is still processed. Processes that share the work share the store.
 */
export interface EventStore {
  /**
   * Claims an event, atomically: of several callers at the same time one gets `claimed`.
   * @param seconds after which the claim ends by itself, in case its process died
   */
  claim(eventId: string, seconds: number): ClaimState | Promise<ClaimState>;
  /** Stores that the event was processed. @param seconds for which the store must remember it */
  complete(eventId: string, seconds: number): unknown;
  /** Removes the claim of an event whose processing failed, so that its retry is processed. */
  release(eventId: string): unknown;
}
