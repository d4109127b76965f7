import type { PlantedFault } from "../../planted-fault.ts";

const flow = "test/shared/flows/access/rotation/rotate-root.test.ts";
const rings = "test/shared/kernel/key-ring.test.ts";
const keys = "test/shared/aws/service-keys.test.ts";

export const rotationFaults: readonly PlantedFault[] = [
  {
    name: "who has the replaced root secret can issue new things",
    file: "shared/kernel/key-ring.ts",
    search: "return sealsUntil === undefined || issuedAt < sealsUntil;",
    replacement: "return sealsUntil === undefined || issuedAt >= 0;",
    killedBy: {
      file: "test/shared/flows/access/rotation/sealed-things.test.ts",
      title: "is refused if it says that it was issued since",
    },
  },
  {
    name: "a session of the previous root secret is refused",
    file: "shared/flows/access/sessions.ts",
    search: "openingKeys(ring).find((candidate) =>",
    replacement: "[ring.current].find((candidate) =>",
    killedBy: { file: flow, title: "in the middle of a cursor walk, a session and their repetition is not seen" },
  },
  {
    name: "a cursor of the previous root secret is refused",
    file: "shared/kernel/cursors.ts",
    search: "return openWith(keys, (version) => {",
    replacement: "return openWith({ ...keys, previous: null }, (version) => {",
    killedBy: { file: rings, title: "a cursor sealed on either side of a rotation opens on both" },
  },
  {
    name: "the link of a hold changes with the root secret",
    file: "shared/domain/holds/holds.ts",
    search: "const { key } = sealingKeyAt(keys, ulidTime(holdId.slice(HOLD_ID_PREFIX.length)));",
    replacement: "const { key } = keys.current;",
    killedBy: {
      file: flow,
      title: "in the middle of a hold changes neither its link nor its check, %i ms before them",
    },
  },
  {
    name: "a challenge of the previous root secret is refused",
    file: "shared/domain/holds/proof-of-work.ts",
    search: "openWith(keys, (version) => {",
    replacement: "openToken(submission.token, keys.current.key)",
    killedBy: {
      file: flow,
      title: "in the middle of a hold changes neither its link nor its check, %i ms before them",
    },
  },
  {
    name: "a sign-in link of the previous root secret is refused",
    file: "shared/kernel/sealed-text.ts",
    search: "return openWith(ring, (version) => {",
    replacement: "return openWith({ ...ring, previous: null }, (version) => {",
    killedBy: {
      file: "test/shared/kernel/sealed-text.test.ts",
      title: "a sealed text opens with the key that sealed it, also after a rotation, and not after the next one",
    },
  },
  {
    name: "a new root secret seals at once",
    file: "shared/aws/service-keys.ts",
    search: "current.createdAt + SEALING_DELAY",
    replacement: "current.createdAt",
    killedBy: {
      file: keys,
      title: "no process seals with a key that another process does not open, whenever each of them read the secret",
    },
  },
  {
    name: "the versions of the root secret are read in the other order",
    file: "shared/aws/service-keys.ts",
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
    file: "shared/aws/service-keys.ts",
    search: "if (kid === undefined || keyOfKid(keys.pepper, kid) !== null) return keys;",
    replacement: "if (kid === undefined || keyOfKid(keys.pepper, kid) !== null || now > 0) return keys;",
    killedBy: { file: flow, title: "is seen at once by a process that meets a session of the new version" },
  },
  {
    name: "each unknown kid reads the root secret again",
    file: "shared/aws/service-keys.ts",
    search: "memoize(readVersions, String, MINUTE)",
    replacement: "memoize(readVersions, String, 0)",
    killedBy: {
      file: keys,
      title: "an unknown kid causes a read at once, at most once a minute, and a known one none",
    },
  },
  {
    name: "a key that is found under the previous pepper is not moved",
    file: "shared/flows/access/find-key.ts",
    search: `storedKey?.key.status === "active" && storedKey.kid === ring.previous?.kid`,
    replacement: `storedKey?.key.status === "active" && storedKey.kid === ""`,
    killedBy: {
      file: "test/shared/flows/access/moved-keys.test.ts",
      title: "is moved to the new pepper within its first request, and then costs one read again",
    },
  },
  {
    name: "a key that another request moves between the two reads is refused",
    file: "shared/flows/access/find-key.ts",
    search: "if (!storedKey && others.length > 0) return findUnder(ports, [current]);",
    replacement: "",
    killedBy: {
      file: "test/shared/flows/access/moved-keys.test.ts",
      title: "is found when another request moves it between the two reads",
    },
  },
  {
    name: "a counter of a window restarts with a rotation inside the window",
    file: "shared/domain/access/address-hash.ts",
    search: "sealingKeyAt(keys, windowStart).key",
    replacement: "sealingKeyAt(keys, Math.max(windowStart, keys.current.sealsFrom)).key",
    killedBy: { file: rings, title: "a window that began before the rotation keeps its hash until it ends" },
  },
  {
    name: "a second rotation does not ask for --force",
    file: "shared/flows/access/rotation/rotate-root.ts",
    search: "if (!isForced && (keys.length > 0 || sessionsUntil !== null))",
    replacement: "if (!isForced && keys.length > 0 && now < 0)",
    killedBy: {
      file: flow,
      title: "a second time names the keys that were not used since, and ends them only with force",
    },
  },
  {
    name: "a second rotation ends sessions without asking",
    file: "shared/flows/access/rotation/rotate-root.ts",
    search: "keys.length > 0 || sessionsUntil !== null",
    replacement: "keys.length > 0",
    killedBy: {
      file: flow,
      title: "is refused until the last new secret seals, also with force",
    },
  },
  {
    name: "a rotation starts while the last one is not complete",
    file: "shared/flows/access/rotation/rotate-root.ts",
    search: `if (peppers.next) return { kind: "too_early", sealsFrom: peppers.next.sealsFrom };`,
    replacement: "",
    killedBy: { file: flow, title: "is refused until the last new secret seals, also with force" },
  },
  {
    name: "a second rotation loses the users and invites that were not found by their address since",
    file: "shared/flows/access/rotation/rotate-root.ts",
    search: "    await moveAddresses(ports, addresses);\n",
    replacement: "",
    killedBy: {
      file: flow,
      title: "keeps users and pending invites that are found by their address, however often it is repeated",
    },
  },
];
