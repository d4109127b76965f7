import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, it } from "vitest";
import { SECRET_CACHE_LIFETIME } from "#base/aws/secrets.ts";
import { deriveServiceKeys, SEALING_DELAY, type ServiceKeys } from "#base/aws/service-keys.ts";
import { openCursor, sealCursor } from "#base/kernel/cursors.ts";
import { PLATFORM_LOGIN_LIFETIME, SOCKET_LIFETIME } from "#base/kernel/limits.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { authenticate } from "#features/access/authenticate.ts";
import { replaceLeakedRoot } from "#features/access/flows/rotation/replace-leaked-root.ts";
import { rotateRoot } from "#features/access/flows/rotation/rotate-root.ts";
import { createSignInLink } from "#features/access/flows/sign-in/create-link.ts";
import { signIn } from "#features/access/flows/sign-in/sign-in.ts";
import { addressHashes } from "#features/access/rules/address-hash.ts";
import { sealSession } from "#features/access/sessions.ts";
import { scanRotationRows } from "#features/access/store/rotation-leftovers.ts";
import { type SessionRow, scanSessionRows } from "#features/access/store/session-rows.ts";
import { loginCookie, newLoginState, sealLoginState, useLogin } from "#features/accounts/flows/login/use-login.ts";
import { completeHold } from "#features/holds/flows/complete.ts";
import { holdSecret } from "#features/holds/rules/holds.ts";
import { connectSocket } from "#features/realtime/flows/connect.ts";
import { createTicket } from "#features/realtime/flows/tickets.ts";
import { decodeRealtime } from "#features/realtime/queue.ts";
import { presenceKey } from "#features/realtime/store/items.ts";
import { createTenant } from "#features/tenants/flows/tenants.ts";
import { sessionCredentials } from "#http/credentials/caller-credentials.ts";
import { eachFault } from "../../../../support/flows/fault-injection.ts";
import {
  easyChallengeToken,
  newSourceIp,
  openHoldFixture,
  solveChallenge,
} from "../../../../support/flows/hold-fixture.ts";
import { openStores } from "../../../../support/stores/open-stores.ts";
import { newTenant } from "../../../../support/stores/samples.ts";
import { noStream } from "../../../realtime/flows/support/no-stream.ts";
import { noJournal } from "../../../recovery/support/no-journal.ts";
import { createKey } from "../support/api-keys.ts";
import { useRootSecret } from "./support/root-secret.ts";

const CONSOLE = "https://console.example";

const { newKeys, newSecret, root, rootSecret, rootText, rotationClients, secrets, testEnv } = useRootSecret();
beforeEach(begin);
let persons = 0;

function begin(): void {
  ownRows = new Set();
  // So that no hold of another test waits.
  testEnv.advance(DAY);
}

/** The users, tenants and links of a test, which has the table in common with others. */
let ownRows: Set<string>;
function isOwn(row: SessionRow): boolean {
  if (row.kind === "member") return ownRows.has(row.tenant);
  return ownRows.has(row.kind === "user" ? row.userId : row.loginId);
}

/** A process of a function, with the keys that it has cached. */
function newProcess() {
  const { keys, keyPorts } = newKeys();
  const ports = { ...openStores(testEnv.table), ...noStream, log: () => {}, ...keyPorts, consoleOrigin: CONSOLE };
  const { sessions } = sessionCredentials(ports);
  return {
    ports,
    keys,
    /** The caller of a session token; null when it is refused. */
    async callerOf(token: string) {
      const session = await sessions?.open(token, testEnv.now());
      const caller = session && (await sessions?.authenticate(session));
      return !caller || isRefusal(caller) ? null : caller;
    },
    authenticateKey: (secret: string) => authenticate(ports, `Bearer ${secret}`, testEnv.now()),
  };
}
type Process = ReturnType<typeof newProcess>;

/** A process that has read the secret. */
async function newWarmProcess(): Promise<Process> {
  const process = newProcess();
  await process.keys();
  return process;
}

let pushedHolds: string[] = [];
let queued: { readonly tenant: TenantId; readonly connectionIds: readonly string[] }[] = [];
function leakPorts() {
  [queued, pushedHolds] = [[], []];
  const stores = openStores(testEnv.table);
  return {
    ...stores,
    realtime: {
      send: async ({ body }: { body: string }) => {
        const message = decodeRealtime(body);
        if (message?.kind === "close") queued.push(message);
        if (message?.kind === "hold") pushedHolds.push(message.holdId);
      },
    },
    log: () => {},
    rootSecret: rootSecret(),
    readNewestKeys: () => newKeys().keys(),
    cacheLifetime: SECRET_CACHE_LIFETIME,
    sessionRows: async function* () {
      for await (const page of scanSessionRows(testEnv.table)) yield page.filter(isOwn);
    },
  };
}
const replaceLeaked = (isForced = false) => replaceLeakedRoot(leakPorts(), { isForced, now: testEnv.now() });
async function replaceOnce() {
  const result = await replaceLeaked();
  if (result.kind !== "ended") throw new Error(result.kind);
  return result;
}
/** What someone who has the leaked root secret derives from it. */
const leakedKeys = () => deriveServiceKeys({ current: { text: root.text, createdAt: 0 }, previous: null })(0);
const rotate = (isForced = false) => {
  const { peppers, addressKeys, sessionKeys, users, invites } = newProcess().ports;
  const rows = { rotationRows: () => scanRotationRows(testEnv.table), rootSecret: rootSecret() };
  return rotateRoot(
    { ...noJournal, peppers, addressKeys, sessionKeys, users, invites, ...rows },
    { isForced, now: testEnv.now() },
  );
};

/** A person who is an owner of a tenant, and has opened a link in a process. */
async function newSignedInPerson(process = newProcess()) {
  const address = `leaked-${++persons}@example.com`;
  const tenant = newTenant();
  ownRows.add(tenant);
  await createTenant(
    process.ports,
    tenant,
    { name: "Shop", ownerEmail: address, author: { actor: "cli" } },
    testEnv.now(),
  );
  return { address, tenant, ...(await signInByLink(process, address)) };
}

async function newLink(process: Process, address: string) {
  const link = await createSignInLink(process.ports, { address, redirect: "/", now: testEnv.now() });
  ownRows.add(link.loginId);
  return link;
}

/** @returns null when the link is refused */
async function openLink(process: Process, { token }: { readonly token: string }) {
  const result = await signIn(process.ports, { token, ip: null, now: testEnv.now() });
  if (isRefusal(result)) return null;
  const [, payload = ""] = result.session.token.split(".");
  const { sub: userId, sv: epoch } = JSON.parse(Buffer.from(payload, "base64url").toString());
  ownRows.add(userId);
  return { token: result.session.token, userId: userId as string, epoch: epoch as number };
}

async function signInByLink(process: Process, address: string) {
  const session = await openLink(process, await newLink(process, address));
  if (!session) throw new Error("The link does not open.");
  return session;
}

/** A login of a platform that a person starts at a time, with the keys of anyone. */
function startedLogin(
  keys: ServiceKeys,
  { tenant, userId }: { readonly tenant: TenantId; readonly userId: string },
  at: number,
) {
  const state = newLoginState({ tenant, userId, redirect: "/" }, at);
  return { state: sealLoginState(keys.loginState, "instagram", state), cookie: loginCookie(state) };
}

/** Whether a login that comes back to a process is accepted. A refused session refuses it, too. */
async function finishesLogin(process: Process, token: string, { state, cookie }: ReturnType<typeof startedLogin>) {
  const caller = await process.callerOf(token);
  if (!caller) return false;
  const read = (name: string) => (name === cookie.name ? cookie.value : null);
  const login = { platform: "instagram", state, caller, cookie: read, now: testEnv.now() } as const;
  return !isRefusal(await useLogin(process.ports, login));
}

it("the replacement of a leaked root secret ends every session at the next request, also in a process that has the leaked one cached", async () => {
  const warm = await newWarmProcess();
  const person = await newSignedInPerson(warm);
  expect(await warm.callerOf(person.token)).toMatchObject({ userId: person.userId });
  expect(await replaceOnce()).toMatchObject({ isReplaced: true, ended: { people: 1 } });
  for (const process of [warm, newProcess()]) expect(await process.callerOf(person.token)).toBeNull();
});

it.each([1, 0, -1, -HOUR])(
  "the replacement of a leaked root secret refuses a session that is forged with it, issued %i ms after it",
  async (after) => {
    const { userId, epoch } = await newSignedInPerson();
    const warm = await Promise.all([1, 2, 3, 4].map(newWarmProcess));
    const replacedAt = testEnv.now();
    await replaceOnce();
    testEnv.advance(SECOND);
    const newEpoch = (await openStores(testEnv.table).users.get(userId))?.sessionEpoch ?? 0;
    expect(newEpoch).toBeGreaterThan(2 ** 16);
    for (const [index, forgedEpoch] of [newEpoch, epoch, epoch + 1, epoch + 2].entries()) {
      const forged = { userId, epoch: forgedEpoch, now: replacedAt + after };
      const { token } = await sealSession(leakedKeys().session, forged);
      for (const process of [warm[index] ?? newProcess(), newProcess()])
        expect(await process.callerOf(token)).toBeNull();
    }
  },
);

it("the replacement of a leaked root secret refuses a forged session of any guessable epoch in a process that cannot read the new secret", async () => {
  const warm = await newWarmProcess();
  const { userId, epoch, token } = await newSignedInPerson(warm);
  await replaceOnce();
  secrets.middlewareStack.add(
    () => async () => {
      throw new Error("injected: no answer");
    },
    { name: "outage", step: "finalizeRequest" },
  );
  const tokens = [token];
  for (const each of [epoch, epoch + 1, epoch + 2])
    tokens.push((await sealSession(leakedKeys().session, { userId, epoch: each, now: testEnv.now() })).token);
  const callers = await Promise.all(tokens.map((each) => warm.callerOf(each)));
  secrets.middlewareStack.remove("outage");
  expect(callers).toEqual(tokens.map(() => null));
});

it("the replacement of a leaked root secret ends every sign-in link, with its row, and what a process with the leaked one makes later is refused by others", async () => {
  const warm = await newWarmProcess();
  const { address } = await newSignedInPerson(warm);
  const links = [await newLink(warm, address), await newLink(warm, address)];
  const used = await newLink(warm, address);
  await openLink(warm, used);
  expect(await replaceOnce()).toMatchObject({ ended: { signInLinks: 2 } });
  for (const link of links)
    for (const process of [warm, newProcess()]) expect(await openLink(process, link)).toBeNull();
  const later = await newLink(warm, address);
  expect(await openLink(newProcess(), later)).toBeNull();
  expect(await openLink(newProcess(), await newLink(newProcess(), address))).toMatchObject({});
});

it("the replacement of a leaked root secret refuses every login in progress, also a forged one, and also for a person who signs in again", async () => {
  const warm = await newWarmProcess();
  const person = await newSignedInPerson(warm);
  const started = startedLogin(await warm.keys(), person, testEnv.now());
  const control = startedLogin(await warm.keys(), person, testEnv.now());
  expect(await finishesLogin(warm, person.token, control)).toBe(true);
  const [cachedConsole, cachedLogin] = [await newWarmProcess(), await newWarmProcess()];
  await replaceOnce();
  testEnv.advance(SECOND);
  // A function with the leaked secret signs the person in, who comes back to another one with it.
  const signedWithLeaked = await signInByLink(cachedConsole, person.address);
  expect(await finishesLogin(cachedLogin, signedWithLeaked.token, started)).toBe(false);
  const fresh = newProcess();
  const again = await signInByLink(fresh, person.address);
  const forged = [-PLATFORM_LOGIN_LIFETIME + MINUTE, -2 * SECOND, 0, SECOND].map((after) =>
    startedLogin(leakedKeys(), person, testEnv.now() + after),
  );
  for (const process of [warm, fresh, newProcess()]) {
    for (const login of [started, ...forged]) {
      expect(await finishesLogin(process, person.token, login)).toBe(false);
      expect(await finishesLogin(process, again.token, login)).toBe(false);
    }
    const login = startedLogin(await fresh.keys(), person, testEnv.now());
    expect(await finishesLogin(process, again.token, login)).toBe(true);
  }
});

it("the replacement of a leaked root secret ends every held message that waits, and none that is being sent or was sent", async () => {
  const warm = await newWarmProcess();
  const fixture = await openHoldFixture(testEnv);
  const api = { ...fixture.apiPorts(), holdKeys: warm.ports.holdKeys };
  const check = fixture.checkPagePorts();
  const create = async () => {
    const hold = await fixture.tryCreateHold({}, api);
    if (isRefusal(hold)) throw new Error(hold.refused);
    return hold;
  };
  const [waiting, sent] = [await create(), await create()];
  const answer = async ({ id, expiresAt }: typeof waiting) => {
    const token = easyChallengeToken({ holdId: id, expires: expiresAt });
    const secret = holdSecret((await warm.keys()).holdSecret, id);
    return { holdId: id, secret, sourceIp: newSourceIp(), token, solutions: solveChallenge(token) };
  };
  const time = () => startRequestTime(testEnv.now);
  expect(await completeHold(check, await answer(sent), time())).toMatchObject({ state: { status: "sent" } });
  const solved = await answer(waiting);
  const presence = { n: 1, un: testEnv.now() + HOUR, o: "a socket" };
  const Item = { ...presenceKey(fixture.tenant), ...presence };
  await testEnv.table.client.send(new PutCommand({ TableName: testEnv.table.name, Item }));
  expect(await replaceOnce()).toMatchObject({ ended: { holds: 1 } });
  // Clients of the stream see its end.
  expect(pushedHolds).toEqual([waiting.id]);
  expect(await completeHold(check, solved, time())).toMatchObject({ refused: "hold_expired" });
  expect(fixture.calls).toHaveLength(1);
  expect(await fixture.read(waiting.id)).toMatchObject({ state: { status: "expired" }, hold: { content: null } });
  expect(await fixture.read(sent.id)).toMatchObject({ state: { status: "sent" } });
  // A hold of a function that has read the new secret goes on when the command is repeated, and its check passes.
  const later = await fixture.tryCreateHold({}, { ...api, holdKeys: newProcess().ports.holdKeys });
  if (isRefusal(later)) throw new Error(later.refused);
  const cached = await create();
  expect(await replaceOnce()).toMatchObject({ isReplaced: false, ended: { holds: 1 } });
  expect(await fixture.read(cached.id)).toMatchObject({ state: { status: "expired" } });
  const fresh = newProcess();
  const passed = { ...(await answer(later)), secret: holdSecret((await fresh.keys()).holdSecret, later.id) };
  expect(await completeHold(check, passed, time())).toMatchObject({ state: { status: "sent" } });
});

it("the replacement of a leaked root secret closes the sockets of the ended sessions, and no others, and refuses their tickets", async () => {
  const { ports } = newProcess();
  const person = await newSignedInPerson();
  const { tenant } = person;
  const now = testEnv.now();
  const key = await createKey(ports, tenant, { scope: "live", label: "a key", author: { actor: "cli" } }, now);
  const session = await newProcess().callerOf(person.token);
  const member = await ports.memberships.get(tenant, person.userId);
  if (!session || !member) throw new Error("The person has no session.");
  const grants = [
    { kind: "session", userId: person.userId, epoch: session.epoch, memberSince: member.createdAt },
    { kind: "tenant_key", keyId: key.id },
  ] as const;
  for (const grant of grants) {
    const socket = {
      connectionId: `${grant.kind}-${tenant}`,
      grant,
      connectedAt: now,
      expiresAt: now + SOCKET_LIFETIME,
    };
    expect(await ports.sockets.connect(tenant, socket)).toBe("connected");
  }
  const ticket = await createTicket(ports, { caller: session, tenant, now });
  if (isRefusal(ticket)) throw new Error(ticket.refused);
  const result = await replaceLeaked();
  expect(result).toMatchObject({ ended: { sockets: 1 } });
  expect(queued).toMatchObject([{ tenant, kind: "close", connectionIds: [`session-${tenant}`] }]);
  const handshake = { connectionId: `late-${tenant}`, connectedAt: now, ticket: ticket.ticket, origin: CONSOLE, now };
  expect(await connectSocket(ports, handshake)).toBe("unauthorized");
});

it("the replacement of a leaked root secret refuses the page cursors of before in a function that has read the new secret, also a forged earlier one", async () => {
  const warm = await newWarmProcess();
  const sealedCursors = [sealCursor(await warm.ports.cursorKeys(), "inbox", "50", testEnv.now())];
  for (const after of [-DAY, 0, MINUTE])
    sealedCursors.push(sealCursor(leakedKeys().cursor, "inbox", "50", testEnv.now() + after));
  await replaceOnce();
  testEnv.advance(5 * MINUTE - 1);
  const open = async (process: Process, cursor: string) =>
    openCursor(await process.ports.cursorKeys(), "inbox", cursor, testEnv.now());
  for (const cursor of sealedCursors) expect(await open(newProcess(), cursor)).toBeNull();
  // A function that serves no session reads the new secret when its five minutes are over.
  expect(await open(warm, sealedCursors[0] ?? "")).toBe("50");
  testEnv.advance(1);
  for (const cursor of sealedCursors) expect(await open(warm, cursor)).toBeNull();
});

it("the replacement of a leaked root secret leaves every API key and every address, used or not, whichever version each process has read", async () => {
  const warm = await newWarmProcess();
  const person = await newSignedInPerson(warm);
  const { tenant, address, userId } = person;
  const keys = await Promise.all(
    [1, 2, 3, 4].map(() =>
      createKey(warm.ports, tenant, { scope: "live", label: "a key", author: { actor: "cli" } }, testEnv.now()),
    ),
  );
  const [first, second] = keys;
  const expectAll = async (processes: readonly Process[]) => {
    for (const process of processes) {
      for (const key of [first, second])
        expect(await process.authenticateKey(key?.secret ?? "")).toMatchObject({ keyId: key?.id });
      const hashes = addressHashes(await process.ports.addressKeys(), address);
      expect(await process.ports.users.getByAddress(hashes)).toMatchObject({ id: userId });
    }
  };
  // An ordinary rotation, and the command in each of its states: `next`, `previous`, and again while it is new.
  expect(await rotate()).toEqual({ kind: "rotated" });
  const middle = await newWarmProcess();
  testEnv.advance(MINUTE);
  expect(await replaceOnce()).toMatchObject({ isReplaced: true });
  const fresh = await newWarmProcess();
  await expectAll([warm, middle, fresh]);
  expect(await replaceLeaked(true)).toMatchObject({ isReplaced: true });
  await expectAll([middle, fresh, await newWarmProcess()]);
  testEnv.advance(SEALING_DELAY);
  await expectAll([middle, fresh, await newWarmProcess()]);
  testEnv.advance(2 * HOUR);
  expect(await replaceOnce()).toMatchObject({ isReplaced: true });
  await expectAll([middle, fresh, await newWarmProcess()]);
  testEnv.advance(SEALING_DELAY);
  await expectAll([newProcess()]);
  // The last two keys were not used in all that time.
  expect(await newProcess().authenticateKey(keys[2]?.secret ?? "")).toMatchObject({ keyId: keys[2]?.id });
  expect((await signInByLink(newProcess(), address)).userId).toBe(userId);
  // The next ordinary rotation moves what was not used, and asks for no session from before.
  const result = await rotate();
  expect(result).toMatchObject({ kind: "confirm", sessionsUntil: null });
  const unused = result.kind === "confirm" ? result.keys.filter((row) => row.tenant === tenant) : [];
  expect(unused.map(({ key }) => key.id)).toEqual([keys[3]?.id]);
  expect(await rotate(true)).toEqual({ kind: "rotated" });
  testEnv.advance(SEALING_DELAY);
  expect((await signInByLink(newProcess(), address)).userId).toBe(userId);
});

it("the replacement of a leaked root secret counts what it ended, and repeated within an hour ends nothing of the new secret and replaces nothing", async () => {
  const leaked = newProcess();
  const [ann, ben] = [await newSignedInPerson(leaked), await newSignedInPerson(leaked)];
  testEnv.advance(12 * HOUR);
  const cat = await newSignedInPerson(leaked);
  await signInByLink(leaked, ben.address);
  await newLink(leaked, cat.address);
  const first = await replaceOnce();
  expect(first).toMatchObject({
    isReplaced: true,
    replacedAt: testEnv.now(),
    cachedUntil: testEnv.now() + 5 * MINUTE,
  });
  expect(first.ended).toEqual({ people: 2, sockets: 0, signInLinks: 1, holds: 0 });
  const text = await rootText();
  const again = await signInByLink(newProcess(), ann.address);
  const link = await newLink(newProcess(), cat.address);
  for (const wait of [0, 5 * MINUTE, SEALING_DELAY]) {
    testEnv.advance(wait);
    const repeated = await replaceOnce();
    expect(repeated).toMatchObject({ isReplaced: false, replacedAt: first.replacedAt });
    expect(repeated.ended).toEqual({ people: 0, sockets: 0, signInLinks: 0, holds: 0 });
    expect(await newProcess().callerOf(again.token)).toMatchObject({ userId: ann.userId });
  }
  expect(await openLink(newProcess(), link)).toMatchObject({ userId: cat.userId });
  expect(await rootText()).toBe(text);
  testEnv.advance(HOUR);
  expect(await replaceOnce()).toMatchObject({ isReplaced: true, ended: { people: 3 } });
  expect(await rootText()).not.toBe(text);
  expect(await newProcess().callerOf(again.token)).toBeNull();
});

it("the replacement of a leaked root secret by two commands at the same time makes one new secret, and the other command says so", async () => {
  const { token } = await newSignedInPerson();
  const results = await Promise.all([replaceLeaked(), replaceLeaked(), rotate()]);
  const changes = results.filter(
    (result) => result.kind === "rotated" || (result.kind === "ended" && result.isReplaced),
  );
  expect(changes).toHaveLength(1);
  await replaceOnce();
  expect(await newProcess().callerOf(token)).toBeNull();
});

eachFault(
  "the replacement of a leaked root secret despite a fault (%s) at any call ends everything when it is repeated",
  rotationClients,
  async (interrupt, { faultPoint }) => {
    await newSecret();
    begin();
    const warm = await newWarmProcess();
    const person = await newSignedInPerson(warm);
    const { tenant } = person;
    const key = await createKey(
      warm.ports,
      tenant,
      { scope: "live", label: "a key", author: { actor: "cli" } },
      testEnv.now(),
    );
    const link = await newLink(warm, person.address);
    const fixture = await openHoldFixture(testEnv);
    const hold = await fixture.tryCreateHold({}, { ...fixture.apiPorts(), holdKeys: warm.ports.holdKeys });
    if (isRefusal(hold)) throw new Error(hold.refused);
    const first = await interrupt(() => replaceLeaked());
    const repeated = await replaceOnce();
    // A response that was lost may hide an end from the count, and counts none twice.
    const people = [first, repeated].map((each) => (each?.kind === "ended" ? each.ended.people : 0));
    expect((people[0] ?? 0) + (people[1] ?? 0)).toBeLessThanOrEqual(1);
    if (faultPoint === "lost") expect(first).toMatchObject({ kind: "ended", ended: { people: 1 } });
    for (const process of [warm, newProcess()]) {
      expect(await process.callerOf(person.token)).toBeNull();
      expect(await openLink(process, link)).toBeNull();
      expect(await process.authenticateKey(key.secret)).toMatchObject({ keyId: key.id });
    }
    expect(await fixture.read(hold.id)).toMatchObject({ state: { status: "expired" } });
    const again = await signInByLink(newProcess(), person.address);
    expect(again.userId).toBe(person.userId);
    expect(await newProcess().callerOf(again.token)).toMatchObject({ userId: person.userId });
  },
);
