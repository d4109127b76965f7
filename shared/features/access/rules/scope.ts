/** Whether a key, a message or a connection is real, or a rehearsal that reaches no platform. */
export type Scope = "live" | "test";
