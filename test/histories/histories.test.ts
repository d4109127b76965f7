import { describe, expect, inject, test } from "vitest";
import { synthesizeTemplates } from "../lib/synth-templates.ts";
import { usedPermissions } from "./cloud/permissions.ts";
import { grantedPermissions, isGranted } from "./granted-permissions.ts";
import { reportSeed } from "./report-seed.ts";
import { type HistoryKind, historyKinds } from "./seed-history.ts";

const seeds: Readonly<Record<HistoryKind, number>> = inject("fullRun")
  ? { service: 500, stream: 200, accounts: 500 }
  : { service: 25, stream: 25, accounts: 25 };
const SEEDS_PER_TEST = 25;

describe.for(historyKinds)("random histories of the %s", (kind) => {
  const firsts = Array.from({ length: seeds[kind] / SEEDS_PER_TEST }, (_, i) => 1 + i * SEEDS_PER_TEST);
  test.for(firsts)(
    "nothing is lost, sent twice or counted wrong from seed %i on",
    { timeout: 120_000 },
    async (first) => {
      for (let seed = first; seed < first + SEEDS_PER_TEST; seed++) {
        const report = await reportSeed(seed, kind);
        if (report) expect.fail(`Seed ${seed}\n${report.story}\n${report.history}`);
      }
    },
  );
});

// The local stack checks no permissions. All histories above count.
test("the role of each function allows all that the function used", () => {
  const { service } = synthesizeTemplates();
  for (const [name, used] of usedPermissions) {
    const granted = grantedPermissions(service, name);
    expect(used.size, `${name} was used`).toBeGreaterThan(0);
    expect(
      [...used].filter((permission) => !isGranted(granted, permission)),
      name,
    ).toEqual([]);
  }
});
