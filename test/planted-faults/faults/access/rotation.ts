import type { PlantedFault } from "../../planted-fault.ts";

const flow = "test/features/access/flows/rotation/rotate-root.test.ts";
const leak = "test/features/access/flows/rotation/replace-leaked-root.test.ts";
const sealed = "test/features/access/flows/rotation/sealed-things.test.ts";
const rings = "test/base/kernel/key-ring.test.ts";
const keys = "test/base/aws/service-keys.test.ts";

export const rotationFaults: readonly PlantedFault[] = [
  {
    name: "who has the replaced root secret can issue new things",
    file: "shared/base/kernel/key-ring.ts",
    search: "return sealsUntil === undefined || issuedAt < sealsUntil;",
    replacement: "return sealsUntil === undefined || issuedAt >= 0;",
    killedBy: {
      file: "test/features/access/flows/rotation/sealed-things.test.ts",
      title: "a sealed thing is refused if it says that it was issued since the new secret seals",
    },
  },
  {
    name: "a session of the previous root secret is refused",
    file: "shared/features/access/sessions.ts",
    search: "openingKeys(ring).find((candidate) =>",
    replacement: "[ring.current].find((candidate) =>",
    killedBy: {
      file: flow,
      title: "a rotation of the root secret in the middle of a cursor walk, a session and their repetition is not seen",
    },
  },
  {
    name: "a cursor of the previous root secret is refused",
    file: "shared/base/kernel/cursors.ts",
    search: "return openWith(keys, (version) => {",
    replacement: "return openWith({ ...keys, previous: null }, (version) => {",
    killedBy: { file: rings, title: "a cursor sealed on either side of a rotation opens on both" },
  },
  {
    name: "the link of a hold changes with the root secret",
    file: "shared/features/holds/rules/holds.ts",
    search: "const { key } = sealingKeyAt(keys, ulidTime(holdId.slice(HOLD_ID_PREFIX.length)));",
    replacement: "const { key } = keys.current;",
    killedBy: {
      file: flow,
      title:
        "a rotation of the root secret in the middle of a hold changes neither its link nor its check, %i ms before them",
    },
  },
  {
    name: "a challenge of the previous root secret is refused",
    file: "shared/features/holds/rules/proof-of-work.ts",
    search: "openWith(keys, (version) => {",
    replacement: "openToken(submission.token, keys.current.key)",
    killedBy: {
      file: flow,
      title:
        "a rotation of the root secret in the middle of a hold changes neither its link nor its check, %i ms before them",
    },
  },
  {
    name: "a sign-in link of the previous root secret is refused",
    file: "shared/base/kernel/text/sealed-text.ts",
    search: "return openWith(ring, (version) => {",
    replacement: "return openWith({ ...ring, previous: null }, (version) => {",
    killedBy: {
      file: "test/base/kernel/sealed-text.test.ts",
      title: "a sealed text opens with the key that sealed it, also after a rotation, and not after the next one",
    },
  },
  {
    name: "a new root secret seals at once",
    file: "shared/base/aws/service-keys.ts",
    search: "previous === null ? 0 : newestAt + SEALING_DELAY",
    replacement: "previous === null ? 0 : newestAt",
    killedBy: {
      file: keys,
      title: "no process seals with a key that another process does not open, whenever each of them read the secret",
    },
  },
  {
    name: "the versions of the root secret are read in the other order",
    file: "shared/base/aws/service-keys.ts",
    search: `    const current = await readVersion(client, secretId, "AWSCURRENT");
    if (current === null) throw new Error("The root secret has no value.");
    const previous = await readVersion(client, secretId, "AWSPREVIOUS");`,
    replacement: `    const previous = await readVersion(client, secretId, "AWSPREVIOUS");
    const current = await readVersion(client, secretId, "AWSCURRENT");
    if (current === null) throw new Error("The root secret has no value.");`,
    killedBy: {
      file: keys,
      title: "a rotation between the reads of the two versions never hides the key that seals",
    },
  },
  {
    name: "an unknown kid does not read the root secret again",
    file: "shared/base/aws/service-keys.ts",
    search: "if (kid === undefined || keyOfKid(keys.pepper, kid) !== null) return keys;",
    replacement: "if (kid === undefined || keyOfKid(keys.pepper, kid) !== null || now > 0) return keys;",
    killedBy: {
      file: flow,
      title: "a rotation of the root secret is seen at once by a process that meets a session of the new version",
    },
  },
  {
    name: "each unknown kid reads the root secret again",
    file: "shared/base/aws/service-keys.ts",
    search: "memoize(readVersions, String, MINUTE)",
    replacement: "memoize(readVersions, String, 0)",
    killedBy: {
      file: keys,
      title: "an unknown kid causes a read at once, at most once a minute, and a known one none",
    },
  },
  {
    name: "a key that is found under the previous pepper is not moved",
    file: "shared/features/access/flows/find-key.ts",
    search: `storedKey?.key.status === "active" && isReplaced`,
    replacement: `storedKey?.key.status === "active" && isReplaced && storedKey.kid === ""`,
    killedBy: {
      file: "test/features/access/flows/moved-keys.test.ts",
      title:
        "a key from before a rotation is moved to the new pepper within its first request, and then costs one read again",
    },
  },
  {
    name: "a key that another request moves between the two reads is refused",
    file: "shared/features/access/flows/find-key.ts",
    search: "if (!storedKey && others.length > 0) return findUnder(ports, [current]);",
    replacement: "",
    killedBy: {
      file: "test/features/access/flows/moved-keys.test.ts",
      title: "a key from before a rotation is found when another request moves it between the two reads",
    },
  },
  {
    name: "a counter of a window restarts with a rotation inside the window",
    file: "shared/features/access/rules/address-hash.ts",
    search: "sealingKeyAt(keys, windowStart).key",
    replacement: "sealingKeyAt(keys, Math.max(windowStart, keys.current.sealsFrom)).key",
    killedBy: { file: rings, title: "a window that began before the rotation keeps its hash until it ends" },
  },
  {
    name: "a second rotation does not ask for --force",
    file: "shared/features/access/flows/rotation/rotate-root.ts",
    search: "if (!isForced && (keys.length > 0 || sessionsUntil !== null))",
    replacement: "if (!isForced && keys.length > 0 && now < 0)",
    killedBy: {
      file: flow,
      title: "a second rotation names the keys that were not used since, and ends them only with force",
    },
  },
  {
    name: "a second rotation ends sessions without asking",
    file: "shared/features/access/flows/rotation/rotate-root.ts",
    search: "keys.length > 0 || sessionsUntil !== null",
    replacement: "keys.length > 0",
    killedBy: {
      file: flow,
      title: "a rotation of the root secret is refused until the last new secret seals, also with force",
    },
  },
  {
    name: "a rotation starts while the last one is not complete",
    file: "shared/features/access/flows/rotation/rotate-root.ts",
    search: `if (peppers.next) return { kind: "too_early", sealsFrom: peppers.next.sealsFrom };`,
    replacement: "",
    killedBy: {
      file: flow,
      title: "a rotation of the root secret is refused until the last new secret seals, also with force",
    },
  },
  {
    name: "a second rotation loses the users and invites that were not found by their address since",
    file: "shared/features/access/flows/rotation/rotate-root.ts",
    search: "    await moveAddresses(ports, addresses);\n",
    replacement: "",
    killedBy: {
      file: flow,
      title:
        "a rotation of the root secret keeps users and pending invites that are found by their address, however often it is repeated",
    },
  },
  {
    name: "after a leak a function opens what the leaked root secret sealed",
    file: "shared/base/aws/service-keys.ts",
    search: "const afterLeak = parseTextAfterLeak(current.text);",
    replacement: 'const afterLeak = current.text === "" ? parseTextAfterLeak(current.text) : null;',
    killedBy: {
      file: sealed,
      title: "the new root secret opens nothing that a leaked version sealed, regardless of its time",
    },
  },
  {
    name: "after a leak API keys move before every function knows the new pepper",
    file: "shared/base/aws/service-keys.ts",
    search: "const newest = versionKeys(text, newestAt + SEALING_DELAY);",
    replacement: "const newest = versionKeys(text, newestAt);",
    killedBy: {
      file: leak,
      title:
        "the replacement of a leaked root secret leaves every API key and every address, used or not, whichever version each process has read",
    },
  },
  {
    name: "a leak ends the API keys that were not used since the rotation before",
    file: "shared/base/kernel/text/root-texts.ts",
    search: "return [current, next, previous, ...earlier].filter((version) => version !== null);",
    replacement: "return [current, ...earlier.slice(0, 0)];",
    killedBy: {
      file: leak,
      title:
        "the replacement of a leaked root secret leaves every API key and every address, used or not, whichever version each process has read",
    },
  },
  {
    name: "a leak raises the epoch of sessions by one",
    file: "shared/features/access/flows/rotation/replace-leaked-root.ts",
    search: "epoch: randomToken(EPOCH_BYTES).readUIntBE(0, EPOCH_BYTES)",
    replacement: "epoch: EPOCH_BYTES - 5",
    killedBy: {
      file: leak,
      title: "the replacement of a leaked root secret refuses a session that is forged with it, issued %i ms after it",
    },
  },
  {
    name: "a function with the leaked root secret in its cache accepts what it sealed",
    file: "shared/features/access/sessions.ts",
    search: "return hasRead(ring) && keyOfKid(ring, kid) !== null;",
    replacement: "return hasRead(ring) || kid !== rootKid;",
    killedBy: {
      file: leak,
      title: "the replacement of a leaked root secret refuses a session that is forged with it, issued %i ms after it",
    },
  },
  {
    name: "a function does not read the version that a user's row names",
    file: "shared/features/access/sessions.ts",
    search: "const isOpen = user.root === undefined || (await opensSince(ports, kid, user.root));",
    replacement: "const isOpen = user.root === undefined || kid.length > 0;",
    killedBy: {
      file: leak,
      title:
        "the replacement of a leaked root secret refuses every login in progress, also a forged one, and also for a person who signs in again",
    },
  },
  {
    name: "the calls after a read for an unknown kid have the earlier keys",
    file: "shared/base/aws/service-keys.ts",
    search: "const keys = (latest ?? ordinaryRead).keysAt(now);",
    replacement: "const keys = ordinaryRead.keysAt(now);",
    killedBy: {
      file: leak,
      title:
        "the replacement of a leaked root secret refuses every login in progress, also a forged one, and also for a person who signs in again",
    },
  },
  {
    name: "a repeated command signs people out again",
    file: "shared/features/access/store/users.ts",
    search: "allOf(itemExists, absentOr(differs, A.rootKid, root.kid))",
    replacement: "allOf(itemExists)",
    killedBy: {
      file: leak,
      title:
        "the replacement of a leaked root secret counts what it ended, and repeated within an hour ends nothing of the new secret and replaces nothing",
    },
  },
  {
    name: "a leak ends the held messages of the new root secret, too",
    file: "shared/features/access/flows/rotation/replace-leaked-root.ts",
    search: "if (isHoldSecret(holdSecret(keys.holdSecret, id), secretHash)) return;",
    replacement: "",
    killedBy: {
      file: leak,
      title:
        "the replacement of a leaked root secret ends every held message that waits, and none that is being sent or was sent",
    },
  },
  {
    name: "a leak leaves the sockets of sessions",
    file: "shared/features/realtime/cut-off.ts",
    search: "if (!(await ports.sockets.isGranted(tenant, grant))) connectionIds.push(connectionId);",
    replacement: "if (await ports.sockets.isGranted(tenant, grant)) connectionIds.push(connectionId);",
    killedBy: {
      file: leak,
      title:
        "the replacement of a leaked root secret closes the sockets of the ended sessions, and no others, and refuses their tickets",
    },
  },
];
