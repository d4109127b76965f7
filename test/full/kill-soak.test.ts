import { expect, it } from "vitest";
import { COUNTED_MESSAGES, runSoak } from "./soak/run-soak.ts";

/** `SOAK_SECONDS` selects a shorter run, `SOAK_SEED` the choices of another one. */
const SECONDS = Number(process.env.SOAK_SECONDS ?? 600);
const SEED = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 1_000_000));

it(
  "ten minutes of kills under traffic break no promise",
  async () => {
    process.stdout.write(`kill soak: ${SECONDS} s, SOAK_SEED=${SEED}\n`);
    const { ledger, violations, gained } = await runSoak({ seconds: SECONDS, seed: SEED });
    const { kills, written, sends, platformCalls, posts, erasures } = ledger;
    process.stdout.write(
      `${kills.length} kills, ${written.length} messages written, ${sends.length} sends (${platformCalls.length} calls of the platform), ` +
        `${posts.length} deliveries, ${erasures.length} erasures\n`,
    );
    expect(violations).toEqual([]);
    expect(gained.messages).toBe(COUNTED_MESSAGES);
    for (const [endpointId, delivered] of Object.entries(gained.delivered))
      expect(delivered, endpointId).toBe(COUNTED_MESSAGES);
    // Without these the run has shown nothing.
    for (const happened of [
      kills,
      written,
      platformCalls,
      posts,
      erasures,
      sends.filter(({ kind }) => kind === "hold"),
    ])
      expect(happened.length).toBeGreaterThan(0);
  },
  (SECONDS + 900) * 1_000,
);
