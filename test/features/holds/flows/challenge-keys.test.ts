import { expect, it } from "vitest";
import { randomToken } from "#base/kernel/bytes.ts";
import { CHALLENGE_LIFETIME } from "#base/kernel/limits.ts";
import { DAY, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { challengeKeyReader } from "#features/holds/flows/challenge-keys.ts";
import { checkSolutions, newChallenge } from "#features/holds/rules/proof-of-work.ts";
import { challengeKeyStore } from "#features/holds/store/challenge-keys.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";

const testEnv = openedOnce(openTestEnv);
/** A day that no other test uses. */
let days = 30_000;
const newMidnight = (): Millis => {
  days += 10;
  return days * DAY;
};

/** The keys as a new process reads them, and what it reads and stores. */
function newProcess() {
  const calls: string[] = [];
  const store = challengeKeyStore(testEnv.table);
  const challengeKeys: typeof store = {
    get: (day) => {
      calls.push("get");
      return store.get(day);
    },
    create: (day, sealed) => {
      calls.push("create");
      return store.create(day, sealed);
    },
  };
  return { keysAt: challengeKeyReader({ challengeKeys, vault: testEnv.newVault(), random: randomToken }), calls };
}
type Process = ReturnType<typeof newProcess>;

const holdId = "hold_01JZ0000000000000000000000";

/** What a process says of a challenge that another one issued: `opened`, or why not. */
async function verdict(issuer: Process, issuedAt: Millis, verifier: Process, now: Millis) {
  const input = {
    holdId,
    scope: "test",
    nonce: randomToken(16),
    now: issuedAt,
    holdExpiresAt: issuedAt + DAY,
  } as const;
  const { token } = newChallenge(input, await issuer.keysAt(issuedAt));
  const verdict = checkSolutions({ holdId, token, solutions: [], now }, await verifier.keysAt(now));
  // Solving it would take a second.
  return verdict === "invalid_solutions" ? "opened" : verdict;
}

it("processes that need the key of a day at once have the same one, and read it once", async () => {
  const now = newMidnight() + DAY / 2;
  const processes = Array.from({ length: 5 }, newProcess);
  const rings = await Promise.all(processes.flatMap(({ keysAt }) => [keysAt(now), keysAt(now)]));
  expect(new Set(rings.map(({ current }) => current.key.toString("hex"))).size).toBe(1);
  for (const { keysAt, calls } of processes) {
    await keysAt(now + 6 * MINUTE);
    expect(calls.filter((call) => call === "get")).toHaveLength(1);
  }
  expect(await verdict(newProcess(), now, newProcess(), now + SECOND)).toBe("opened");
});

it("each day has another key, which the table has sealed", async () => {
  const midnight = newMidnight();
  const { keysAt } = newProcess();
  const [today, tomorrow] = [await keysAt(midnight + DAY / 2), await keysAt(midnight + DAY + DAY / 2)];
  expect(today.current.key).not.toEqual(tomorrow.current.key);
  expect(today.current.key).toHaveLength(32);
  const sealed = await challengeKeyStore(testEnv.table).get(midnight / DAY);
  expect(Buffer.from(sealed ?? []).includes(today.current.key)).toBe(false);
  expect(Buffer.from(sealed ?? []).toString("latin1")).not.toContain(today.current.key.toString("base64url"));
});

it("a challenge from before midnight opens for its ten minutes, in any process", async () => {
  const midnight = newMidnight();
  const issuedAt = midnight - SECOND;
  for (const later of [0, 2 * SECOND, CHALLENGE_LIFETIME - 1]) {
    expect(await verdict(newProcess(), issuedAt, newProcess(), issuedAt + later)).toBe("opened");
  }
  expect(await verdict(newProcess(), issuedAt, newProcess(), issuedAt + CHALLENGE_LIFETIME)).toBe("challenge_expired");
});

it("a challenge of a process whose clock is half a minute ahead of midnight, or behind it, opens", async () => {
  const midnight = newMidnight();
  expect(await verdict(newProcess(), midnight + SECOND, newProcess(), midnight - 29 * SECOND)).toBe("opened");
  expect(await verdict(newProcess(), midnight - SECOND, newProcess(), midnight + 29 * SECOND)).toBe("opened");
});

it("who knows the key of the day before issues nothing with it", async () => {
  const midnight = newMidnight();
  const { current, ...others } = await newProcess().keysAt(midnight - DAY / 2);
  const forger: Process = { keysAt: async () => ({ current, ...others }), calls: [] };
  for (const after of [2 * MINUTE, CHALLENGE_LIFETIME, DAY / 2]) {
    expect(await verdict(forger, midnight + after, newProcess(), midnight + after)).toBe("invalid_token");
  }
});

it("a key whose storing has a lost answer is the key of every process", async () => {
  const now = newMidnight() + DAY / 2;
  const store = challengeKeyStore(testEnv.table);
  const lost = {
    ...store,
    create: async (day: number, sealed: Uint8Array) => {
      await store.create(day, sealed);
      throw new Error("The answer is lost.");
    },
  };
  const keysAt = challengeKeyReader({ challengeKeys: lost, vault: testEnv.newVault(), random: randomToken });
  await expect(keysAt(now)).rejects.toThrow("The answer is lost.");
  expect((await keysAt(now)).current.key).toEqual((await newProcess().keysAt(now)).current.key);
});

it("a process that cannot open the key issues no challenge, and does once it can", async () => {
  const now = newMidnight() + DAY / 2;
  const process = newProcess();
  await testEnv.disableKey();
  await expect(process.keysAt(now)).rejects.toMatchObject({ name: "DisabledException" });
  await testEnv.enableKey();
  expect(await verdict(process, now, newProcess(), now)).toBe("opened");
});
