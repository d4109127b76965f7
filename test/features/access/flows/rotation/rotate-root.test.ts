import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, it } from "vitest";
import { openStoredSecret } from "#base/aws/secret-values.ts";
import { SEALING_DELAY } from "#base/aws/service-keys.ts";
import { openCursor, sealCursor } from "#base/kernel/cursors.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { HOLD_LIFETIME } from "#base/kernel/limits.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, MINUTE } from "#base/kernel/time.ts";
import { authenticate } from "#features/access/authenticate.ts";
import { listKeys, revokeKey } from "#features/access/flows/key-lists.ts";
import { createOperatorKey } from "#features/access/flows/keys.ts";
import { rotateRoot } from "#features/access/flows/rotation/rotate-root.ts";
import { rotateVerifyToken } from "#features/access/flows/rotation/rotate-verify-token.ts";
import { addressHashes } from "#features/access/rules/address-hash.ts";
import { newUserId } from "#features/access/rules/team.ts";
import { openSession, sealSession } from "#features/access/sessions.ts";
import { inviteStore } from "#features/access/store/invites.ts";
import { type RotationRow, scanRotationRows } from "#features/access/store/rotation-leftovers.ts";
import { userStore } from "#features/access/store/users.ts";
import { completeHold } from "#features/holds/flows/complete.ts";
import { checkUrl } from "#features/holds/flows/create.ts";
import { createTenant } from "#features/tenants/flows/tenants.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import { sessionCredentials } from "#http/credentials/caller-credentials.ts";
import { injectFaults } from "../../../../support/faults.ts";
import { eachFault } from "../../../../support/flows/fault-injection.ts";
import {
  easyChallengeToken,
  newSourceIp,
  openHoldFixture,
  solveChallenge,
} from "../../../../support/flows/hold-fixture.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { newTenant } from "../../../../support/stores/samples.ts";
import { noJournal } from "../../../recovery/support/no-journal.ts";
import { createKey } from "../support/api-keys.ts";
import { useRootSecret } from "./support/root-secret.ts";

const { newKeys, newSecret, root, rootSecret, rootText, rotationClients, secrets, testEnv } = useRootSecret();
const queues = openedOnce(() => testEnv.newQueues());
let tenant: TenantId;
beforeEach(async () => {
  await openTenant();
  // Only this test's rows are looked for.
  const { Items = [] } = await testEnv.client.send(new ScanCommand({ TableName: testEnv.table.name }));
  earlierKeys = new Set(Items.map(({ PK, SK }) => `${PK} ${SK}`));
});
let earlierKeys: ReadonlySet<string>;

async function openTenant(): Promise<void> {
  tenant = newTenant();
  await createTenant(ports(), tenant, { name: "Shop", ownerEmail: null, author: { actor: "cli" } }, testEnv.now());
}

/** Other tests have rows in the table, too. */
function isOwn(row: RotationRow): boolean {
  if (row.kind === "user") return row.email.includes(tenant);
  if (row.kind === "invite") return row.tenant === tenant;
  return ![`T#${row.tenant}`, "OPERATORS"].some((list) => earlierKeys.has(`${list} KEY#${row.key.id}`));
}

/** The ports of a new process. */
function ports() {
  return {
    ...testEnv.apiPorts(queues),
    tenants: tenantStore(testEnv.table),
    users: userStore(testEnv.table),
    invites: inviteStore(testEnv.table),
    ...newKeys().keyPorts,
    rootSecret: rootSecret(),
    rotationRows: async function* () {
      for await (const row of scanRotationRows(testEnv.table)) if (isOwn(row)) yield row;
    },
  };
}

const settings = { scope: "live", label: "a key", author: { actor: "cli" } } as const;
const newKey = () => createKey(ports(), tenant, settings, testEnv.now());
const callerWith = ({ secret }: { secret: string }) => authenticate(ports(), `Bearer ${secret}`, testEnv.now());
const rotate = (isForced = false) => rotateRoot(ports(), { isForced, now: testEnv.now() });
/** Rotates, and waits until the new version seals. */
async function completeRotation(isForced = false): Promise<void> {
  expect(await rotate(isForced)).toEqual({ kind: "rotated" });
  testEnv.advance(SEALING_DELAY);
}

it("a rotation of the root secret makes a secret of 64 characters current, and the current one the previous one", async () => {
  const before = await rootText();
  await completeRotation();
  expect(await rootText()).toMatch(/^[\w-]{64}$/);
  expect(await rootText("AWSPREVIOUS")).toBe(before);
});

it("a rotation of the root secret keeps every key, also one that is used, created or revoked while the new secret does not seal yet", async () => {
  const [first, second, third] = [await newKey(), await newKey(), await newKey()];
  const operator = await createOperatorKey(ports(), [tenant], settings, testEnv.now());
  expect(await rotate()).toEqual({ kind: "rotated" });
  const during = await newKey();
  for (const key of [first, during]) expect(await callerWith(key)).toMatchObject({ keyId: key.id });
  await revokeKey(ports(), { tenant, keyId: third.id, author: { actor: "cli" }, now: testEnv.now() });
  testEnv.advance(SEALING_DELAY);
  for (const _ of [1, 2]) {
    for (const key of [first, second, during, operator]) expect(await callerWith(key)).toMatchObject({ keyId: key.id });
    expect(await callerWith(third)).toMatchObject({ refused: "unauthorized" });
  }
});

it("a rotation of the root secret in the middle of a cursor walk, a session and their repetition is not seen", async () => {
  const position = "1790000000000#abc";
  const cursors = [sealCursor(await ports().cursorKeys(), "inbox", position, testEnv.now())];
  const session = { userId: newUserId(testEnv.now()), epoch: 0, now: testEnv.now() };
  const tokens = [(await sealSession(await ports().sessionKeys(), session)).token];
  expect(await rotate()).toEqual({ kind: "rotated" });
  const stale = ports();
  await stale.cursorKeys();
  for (const wait of [0, SEALING_DELAY, HOUR]) {
    testEnv.advance(wait);
    cursors.push(sealCursor(await ports().cursorKeys(), "inbox", position, testEnv.now()));
    tokens.push((await sealSession(await ports().sessionKeys(), session)).token);
    for (const cursor of cursors)
      expect(openCursor(await ports().cursorKeys(), "inbox", cursor, testEnv.now())).toBe(position);
    for (const token of tokens) {
      expect(await openSession(await ports().sessionKeys(), token, testEnv.now())).toMatchObject({ epoch: 0 });
    }
  }
  // The first two were sealed at the same instant.
  expect(new Set(cursors).size).toBe(3);
  // A second rotation ends what only the first version opens.
  testEnv.advance(12 * HOUR);
  await completeRotation();
  expect(openCursor(await ports().cursorKeys(), "inbox", cursors.at(-1) ?? "", testEnv.now())).toBe(position);
  expect(openCursor(await ports().cursorKeys(), "inbox", cursors[0] ?? "", testEnv.now())).toBeNull();
});

it("a rotation of the root secret is seen at once by a process that meets a session of the new version", async () => {
  const open = ports();
  const sessions = sessionCredentials({ ...open, consoleOrigin: "https://console.example" }).sessions;
  await open.sessionKeys();
  expect(await rotate()).toEqual({ kind: "rotated" });
  expect((await open.sessionKeys()).next).toBeNull();
  const newest = (await ports().sessionKeys()).next;
  if (!newest) throw new Error("There is no new version.");
  const session = { userId: newUserId(testEnv.now()), epoch: 0, now: testEnv.now() };
  const { token } = await sealSession({ current: newest, previous: null, next: null }, session);
  expect(await sessions?.open(token, testEnv.now())).toMatchObject({ userId: session.userId });
});

it.each([0, MINUTE, SEALING_DELAY])(
  "a rotation of the root secret in the middle of a hold changes neither its link nor its check, %i ms before them",
  async (wait) => {
    const fixture = await openHoldFixture(testEnv);
    const api = () => ({ ...fixture.apiPorts(), holdKeys: ports().holdKeys });
    const check = () => fixture.checkPagePorts();
    const create = () => fixture.tryCreateHold({ idempotencyKey: "a hold" }, api());
    const hold = await create();
    if (isRefusal(hold)) throw new Error(hold.refused);
    const url = await checkUrl(api(), hold.id);
    const request = { holdId: hold.id, secret: url.split("#t=")[1] ?? "", sourceIp: newSourceIp() };
    const token = easyChallengeToken({ holdId: hold.id, expires: hold.expiresAt }, await check().challengeKeys());
    expect(wait).toBeLessThan(HOLD_LIFETIME);
    expect(await rotate()).toEqual({ kind: "rotated" });
    testEnv.advance(wait);
    expect(await create()).toEqual(hold);
    expect(await checkUrl(api(), hold.id)).toBe(url);
    const answer = { ...request, token, solutions: solveChallenge(token) };
    const completed = await completeHold(check(), answer, startRequestTime(testEnv.now));
    expect(completed).toMatchObject({ state: { status: "sent" } });
    expect(fixture.calls).toHaveLength(1);
  },
);

it("a rotation of the root secret is refused until the last new secret seals, also with force", async () => {
  expect(await rotate()).toEqual({ kind: "rotated" });
  const [text, sealsFrom] = [await rootText(), testEnv.now() + SEALING_DELAY];
  testEnv.advance(SEALING_DELAY - 1);
  for (const isForced of [false, true]) expect(await rotate(isForced)).toEqual({ kind: "too_early", sealsFrom });
  expect(await rootText()).toBe(text);
  testEnv.advance(1);
  expect(await rotate()).toMatchObject({ kind: "confirm" });
});

it("a second rotation names the keys that were not used since, and ends them only with force", async () => {
  const [used, unused, revoked] = [await newKey(), await newKey(), await newKey()];
  const operator = await createOperatorKey(ports(), [tenant], settings, testEnv.now());
  await completeRotation();
  const later = await newKey();
  await callerWith(used);
  await revokeKey(ports(), { tenant, keyId: revoked.id, author: { actor: "cli" }, now: testEnv.now() });
  const sessionsUntil = testEnv.now() + 12 * HOUR;
  testEnv.advance(12 * HOUR - 1);
  const named = await rotate();
  expect(named).toMatchObject({ kind: "confirm", sessionsUntil });
  const ids = (result: typeof named) => (result.kind === "confirm" ? result.keys.map(({ key }) => key.id).sort() : []);
  expect(ids(named)).toEqual([unused.id, operator.id].sort());
  testEnv.advance(1);
  expect(await rotate()).toMatchObject({ kind: "confirm", sessionsUntil: null });
  await callerWith(operator);
  expect(ids(await rotate())).toEqual([unused.id]);
  expect(await callerWith(unused)).toMatchObject({ keyId: unused.id });
  testEnv.advance(DAY);
  expect(await rotate()).toEqual({ kind: "rotated" });
  testEnv.advance(SEALING_DELAY);
  await callerWith(used);
  expect(ids(await rotate())).toEqual([unused.id, operator.id, later.id].sort());
  await completeRotation(true);
  for (const key of [unused, operator, later]) expect(await callerWith(key)).toMatchObject({ refused: "unauthorized" });
  expect(await callerWith(used)).toMatchObject({ keyId: used.id });
  // What does not work any more is still listed, and can be revoked.
  expect(await listKeys(ports(), tenant, testEnv.now())).toHaveLength(4);
  expect(
    await revokeKey(ports(), { tenant, keyId: unused.id, author: { actor: "cli" }, now: testEnv.now() }),
  ).toBeNull();
});

it("a rotation of the root secret keeps users and pending invites that are found by their address, however often it is repeated", async () => {
  const [email, invited] = [`ann-${tenant}@example.com`, `ben-${tenant}@example.com`];
  const hashesOf = async (address: string) => addressHashes(await ports().addressKeys(), address);
  const now = testEnv.now();
  const newUser = { addressHashes: await hashesOf(email), email, newUserId: newUserId(now), now };
  const user = await ports().users.recordSignIn(newUser);
  const audit = { action: "invite.create", resource: "invite", actor: "cli", ip: null, detail: {}, at: now } as const;
  const invite = {
    id: `inv_${newUlid(now)}`,
    tenant,
    email: invited,
    role: "agent",
    status: "pending",
    invitedBy: "cli",
    createdAt: now,
    expiresAt: null,
    acceptedAt: null,
  } as const;
  const by = { audit, actor: null, memberId: null, addressHashes: await hashesOf(invited) };
  expect(await ports().invites.create(invite, by)).toBe("created");
  for (let round = 0; round < 3; round++) {
    await completeRotation(true);
    expect(await ports().users.getByAddress(await hashesOf(email))).toMatchObject({ id: user.id });
    expect(await ports().invites.pendingFor(await hashesOf(invited), testEnv.now())).toMatchObject([
      { tenant, inviteId: invite.id, role: "agent" },
    ]);
  }
});

it("a rotation of the root secret by two commands at the same time happens once, and nothing ends", async () => {
  const key = await newKey();
  const text = await rootText();
  const results = await Promise.all([rotate(), rotate(), rotate()]);
  expect(results.filter(({ kind }) => kind === "rotated")).toHaveLength(1);
  for (const { kind } of results) expect(["rotated", "overtaken", "too_early"]).toContain(kind);
  expect(await rootText("AWSPREVIOUS")).toBe(text);
  testEnv.advance(SEALING_DELAY);
  expect(await callerWith(key)).toMatchObject({ keyId: key.id });
});

eachFault(
  "a rotation of the root secret despite a fault (%s) at any call happens once or not at all, and is repeated",
  rotationClients,
  async (interrupt, { faultPoint }) => {
    await newSecret();
    const first = root.text;
    await openTenant();
    const email = `cat-${tenant}@example.com`;
    const hashes = async () => addressHashes(await ports().addressKeys(), email);
    const now = testEnv.now();
    await ports().users.recordSignIn({ addressHashes: await hashes(), email, newUserId: newUserId(now), now });
    await completeRotation();
    const second = await rootText();
    const key = await newKey();
    const result = await interrupt(() => rotate(true));
    if (faultPoint === "lost") expect(result).toEqual({ kind: "rotated" });
    const isRotated = (await rootText()) !== second;
    if (result?.kind === "rotated") expect(isRotated).toBe(true);
    expect(await rootText("AWSPREVIOUS")).toBe(isRotated ? second : first);
    testEnv.advance(SEALING_DELAY);
    expect(await callerWith(key)).toMatchObject({ keyId: key.id });
    expect(await ports().users.getByAddress(await hashes())).toMatchObject({ email });
    if (!isRotated) await completeRotation(true);
    expect(await ports().users.getByAddress(await hashes())).toMatchObject({ email });
  },
);

it("a rotation of the verify token replaces the token and leaves the app secrets, also when it is repeated after a lost response", async () => {
  const Name = `platforms-${newUlid(testEnv.now())}`;
  const before = { meta: ["new", "old"], instagram: "i", verify_token: "first" };
  await secrets.send(new CreateSecretCommand({ Name, SecretString: JSON.stringify(before) }));
  const platformSecret = openStoredSecret(Name, secrets);
  const read = async () => JSON.parse((await platformSecret.current()).text);
  const token = await rotateVerifyToken({ ...noJournal, platformSecret }, testEnv.now());
  expect(token).toMatch(/^[\w-]{40}$/);
  expect(await read()).toEqual({ ...before, verify_token: token });
  for (let at = 0; at < 3; at++) {
    const removeFaults = injectFaults(secrets as never, ({ index }) => (index === at ? "lost" : "pass"));
    const next = await rotateVerifyToken({ ...noJournal, platformSecret }, testEnv.now());
    removeFaults();
    expect(await read()).toEqual({ ...before, verify_token: next });
  }
});
