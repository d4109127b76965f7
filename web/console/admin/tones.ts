/** How a state is shown: good, needs attention, failed, off. */
export type Tone = "ok" | "warn" | "bad" | "off";
