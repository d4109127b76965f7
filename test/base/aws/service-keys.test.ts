import { CreateSecretCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { deriveServiceKeys, SEALING_DELAY, serviceKeysReader } from "#base/aws/service-keys.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { type KeyRing, RootSecretTooShort } from "#base/kernel/key-ring.ts";
import { setRuntimeOverrides } from "#base/kernel/runtime.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import {
  type EmulatorFixture,
  startEmulatorFixture,
} from "../../packages/local-aws/emulators/support/emulator-fixture.ts";
import { openedOnce } from "../../support/opened.ts";

let secretId: string;
const fixture = openedOnce(startEmulatorFixture);
beforeAll(async () => {
  setRuntimeOverrides({ now: fixture.now });
});
afterAll(async () => {
  setRuntimeOverrides({});
});
beforeEach(async () => {
  secretId = `root-${newUlid(fixture.now())}`;
  await fixture.secrets.send(new CreateSecretCommand({ Name: secretId, SecretString: root(1) }));
});

const root = (version: number) => `the root secret, version ${version}`.padEnd(40, ".");
const rotate = (version: number) =>
  fixture.secrets.send(new PutSecretValueCommand({ SecretId: secretId, SecretString: root(version) }));
const newProcess = () => serviceKeysReader(secretId, fixture.secrets);
const kids = ({ current, previous, next }: KeyRing) => [current.kid, previous?.kid ?? null, next?.kid ?? null];
const kidOf = (version: number) =>
  deriveServiceKeys({ current: { text: root(version), createdAt: 0 }, previous: null })(0).cursor.current.kid;

/** The reads of the secret while `work` runs. */
async function countReads(work: () => Promise<unknown>): Promise<number> {
  let reads = 0;
  const stack = fixture.secrets.middlewareStack as EmulatorFixture["kms"]["middlewareStack"];
  stack.add(
    (next) => (args) => {
      reads++;
      return next(args);
    },
    { name: "count", step: "finalizeRequest" },
  );
  await work();
  stack.remove("count");
  return reads;
}

test("a version of less than 32 characters seals and opens nothing, also as the previous one", async () => {
  const short = "x".repeat(31);
  await fixture.secrets.send(new PutSecretValueCommand({ SecretId: secretId, SecretString: short }));
  const read = newProcess();
  for (const _ of [1, 2]) await expect(read()).rejects.toMatchObject({ name: "RootSecretTooShort" });
  // The fix of it needs no second change: the same process works with the next value, at once.
  await rotate(2);
  const { session } = await read();
  expect(session).toMatchObject({ current: { kid: kidOf(2), sealsFrom: 0 }, previous: null, next: null });
});

test("each purpose has its own key of 32 bytes, and a version of less than 32 characters is refused", () => {
  const derive = (text: string, previous: string | null = null) =>
    deriveServiceKeys({ current: { text, createdAt: 0 }, previous })(0);
  expect(() => derive("x".repeat(31))).toThrow(RootSecretTooShort);
  expect(() => derive("x".repeat(31), "y".repeat(32))).toThrow("32 characters");
  const rings = Object.values(derive("x".repeat(32)));
  const keys = rings.map(({ current }) => current.key.toString("hex"));
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set(keys).size).toBe(keys.length);
  expect(Object.values(derive("x".repeat(32)))).toEqual(rings);
});

test("a new version opens at once, and seals when every process has read it, to the millisecond", async () => {
  await newProcess()();
  await rotate(2);
  const readAt = async (milliseconds: number) => {
    fixture.advance(milliseconds);
    const [cursor, pepper] = [(await newProcess()()).cursor, (await newProcess()()).pepper];
    expect(kids(pepper)).toEqual(kids(cursor));
    return kids(cursor);
  };
  expect(await readAt(0)).toEqual([kidOf(1), null, kidOf(2)]);
  expect(await readAt(SEALING_DELAY - 1)).toEqual([kidOf(1), null, kidOf(2)]);
  expect(await readAt(1)).toEqual([kidOf(2), kidOf(1), null]);
  await rotate(3);
  expect(await readAt(0)).toEqual([kidOf(2), null, kidOf(3)]);
  expect(await readAt(SEALING_DELAY)).toEqual([kidOf(3), kidOf(2), null]);
});

test("no process seals with a key that another process does not open, whenever each of them read the secret", async () => {
  const readers = Array.from({ length: 8 }, newProcess);
  let rotated = false;
  for (let step = 0; step < 40; step++) {
    // The processes read at different times, because each starts when its turn comes.
    const rings = await Promise.all(readers.slice(0, step + 1).map(async (read) => (await read()).session));
    for (const sealing of rings) {
      for (const opening of rings) expect(kids(opening), `step ${step}`).toContain(sealing.current.kid);
    }
    if (step === 12) {
      await rotate(2);
      rotated = true;
    }
    fixture.advance(40 * SECOND);
  }
  expect(rotated).toBe(true);
  for (const read of readers) expect(kids((await read()).session)).toEqual([kidOf(2), kidOf(1), null]);
});

test("a process sees a new version within five minutes, and reads both versions once in that time", async () => {
  const read = newProcess();
  expect(await countReads(() => Promise.all([read(), read(), read()]))).toBe(2);
  await rotate(2);
  fixture.advance(5 * MINUTE - 1);
  expect(await countReads(read)).toBe(0);
  expect(kids((await read()).cursor)).toEqual([kidOf(1), null, null]);
  fixture.advance(1);
  expect(await countReads(read)).toBe(2);
  expect(kids((await read()).cursor)).toEqual([kidOf(1), null, kidOf(2)]);
});

test("an unknown kid causes a read at once, at most once a minute, and a known one none", async () => {
  const read = newProcess();
  await read();
  expect(await countReads(() => read(kidOf(1)))).toBe(0);
  await rotate(2);
  expect(kids((await read(kidOf(2))).session)).toContain(kidOf(2));
  expect(await countReads(() => Promise.all([read("unknown"), read(kidOf(2)), read(kidOf(1))]))).toBe(0);
  fixture.advance(MINUTE - 1);
  expect(await countReads(() => read("unknown"))).toBe(0);
  fixture.advance(1);
  expect(await countReads(() => read("unknown"))).toBe(2);
});

test("an unknown kid is answered with the cached keys while the secret cannot be read", async () => {
  const read = newProcess();
  await read();
  const stack = fixture.secrets.middlewareStack as EmulatorFixture["kms"]["middlewareStack"];
  stack.add(
    () => async () => {
      throw new Error("injected: no answer");
    },
    { name: "outage", step: "finalizeRequest" },
  );
  expect(kids((await read("unknown")).session)).toEqual([kidOf(1), null, null]);
  stack.remove("outage");
  await rotate(2);
  expect(kids((await read(kidOf(2))).session)).toContain(kidOf(2));
});

test("a rotation between the reads of the two versions never hides the key that seals", async () => {
  await rotate(2);
  fixture.advance(SEALING_DELAY);
  const read = newProcess();
  let reads = 0;
  const stack = fixture.secrets.middlewareStack as EmulatorFixture["kms"]["middlewareStack"];
  stack.add(
    (next, context) => async (args) => {
      if (context.commandName === "GetSecretValueCommand" && ++reads === 2) await rotate(3);
      return next(args);
    },
    { name: "rotate", step: "finalizeRequest" },
  );
  const { cursor } = await read();
  stack.remove("rotate");
  expect(kids(cursor)).toEqual([kidOf(2), null, null]);
  expect(kids((await newProcess()()).cursor)).toEqual([kidOf(2), null, kidOf(3)]);
});
