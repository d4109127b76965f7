import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createGate } from "#base/net/egress-gate.ts";

const publicGate = createGate({ mode: "public", ownHosts: ["API.parley.example", "uploads.s3.example.com"] });
const openGate = createGate({ mode: "open", ownHosts: ["localhost", "127.0.0.1", "api.parley.example"] });

const urlOfLength = (length: number) => "https://example.com/".padEnd(length, "a");
const host253 = `${"a.".repeat(125)}com`;
const host254 = `${"a.".repeat(125)}info`;

test.each([
  ["https://example.com", "https://example.com/"],
  ["HTTPS://Hooks.Example.COM/a?b=c", "https://hooks.example.com/a?b=c"],
  ["https://example.com:443/", "https://example.com/"],
  ["https://example.com:8443/x", "https://example.com:8443/x"],
  ["https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"],
  ["https://example.com/@user", "https://example.com/@user"],
  ["https://mylocal.example/", "https://mylocal.example/"],
  ["https://notapi.parley.example/", "https://notapi.parley.example/"],
  [urlOfLength(2048), urlOfLength(2048)],
  [`${urlOfLength(2042)}é`, `${urlOfLength(2042)}%C3%A9`],
  [`https://${host253}/`, `https://${host253}/`],
])("a deployment's gate, before any lookup allows %s", (raw, href) => {
  const checked = publicGate.checkUrl(raw);
  expect(checked.ok && checked.url.href).toBe(href);
});

test.each([
  [urlOfLength(2049), "at most 2048"],
  [`https://example.com/${"é".repeat(400)}`, "at most 2048"],
  [`${urlOfLength(2042)}é/`, "at most 2048"],
  ["", "Invalid URL"],
  ["example.com/hooks", "Invalid URL"],
  ["https:example.com", "Invalid URL"],
  ["https:/example.com", "Invalid URL"],
  ["https:///example.com", "Invalid URL"],
  ["https://", "Invalid URL"],
  ["https://%00example.com", "Invalid URL"],
  ["https://exa mple.com", "spaces, control"],
  ["https://example.com\t/", "spaces, control"],
  ["https://exam\nple.com/", "spaces, control"],
  [" https://example.com/", "spaces, control"],
  ["https://example.com\\@evil.example/", "spaces, control"],
  ["https://example.com/\u007f", "spaces, control"],
  ["https://example.com/\u0000", "spaces, control"],
  ["http://example.com/", "must use https"],
  ["ftp://example.com/", "must use https"],
  ["file://example.com/etc/passwd", "must use https"],
  ["https://user@example.com/", "user name"],
  ["https://user:word@example.com/", "user name"],
  ["https://@example.com/", "user name"],
  ["https://:@example.com/", "user name"],
  ["https://example.com/#part", "fragment"],
  ["https://example.com/#", "fragment"],
  ["https://example.com:80/", "443 or 8443"],
  ["https://example.com:22/", "443 or 8443"],
  ["https://example.com:0/", "443 or 8443"],
  ["https://example.com:65536/", "Invalid URL"],
  ["https://8.8.8.8/", "IP addresses"],
  ["https://2130706433/", "IP addresses"],
  ["https://0x7f.1/", "IP addresses"],
  ["https://0177.0.0.1/", "IP addresses"],
  ["https://127.1/", "IP addresses"],
  ["https://１２７.０.０.１/", "IP addresses"],
  ["https://%31%32%37.0.0.1/", "IP addresses"],
  ["https://127.0.0.1./", "IP addresses"],
  ["https://[::1]/", "IP addresses"],
  ["https://[::ffff:7f00:1]/", "IP addresses"],
  ["https://[2606:4700:4700::1111]/", "IP addresses"],
  ["https://[fe80::1%25eth0]/", "Invalid URL"],
  ["https://example.com./", "end with a dot"],
  ["https://example.com。/", "end with a dot"],
  ["https://ex_ample.com/", "DNS name"],
  ["https://-example.com/", "DNS name"],
  ["https://example-.com/", "DNS name"],
  ["https://a..example.com/", "DNS name"],
  ["https://*.example.com/", "DNS name"],
  [`https://${"a".repeat(64)}.com/`, "DNS name"],
  [`https://${host254}/`, "DNS name"],
  ["https://intranet/", "full name"],
  ["https://localhost/", "reserved"],
  ["https://ⓛocalhost/", "reserved"],
  ["https://a.localhost/", "reserved"],
  ["https://printer.local/", "reserved"],
  ["https://metadata.google.internal/", "reserved"],
  ["https://router.home.arpa/", "reserved"],
  ["https://1.0.0.127.in-addr.arpa/", "reserved"],
  ["https://nas.lan/", "reserved"],
  ["https://wiki.corp/", "reserved"],
  ["https://a.test/", "reserved"],
  ["https://a.invalid/", "reserved"],
  ["https://a.onion/", "reserved"],
  ["https://a.alt/", "reserved"],
  ["https://api.parley.example/v1/ping", "point to this service"],
  ["https://API.Parley.Example/", "point to this service"],
  ["https://x.uploads.s3.example.com/", "point to this service"],
])("a deployment's gate, before any lookup refuses %j", (raw, words) => {
  const checked = publicGate.checkUrl(raw);
  expect(checked).toMatchObject({ ok: false, cause: "url" });
  expect(!checked.ok && checked.reason).toContain(words);
});

describe("the URLs that a gate allows", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.constantFrom(
      "/",
      "..",
      ".",
      "%2e",
      "%2E%2e",
      "%zz",
      "?",
      "'",
      '"',
      "|",
      "é",
      "☕",
      ":",
      "@",
      "[",
      "]",
      "^",
      "`",
    ),
  );
  const host = fc.oneof(
    fc
      .array(fc.stringMatching(/^[a-zA-Z0-9-]{1,9}$/), { minLength: 1, maxLength: 4 })
      .map((labels) => labels.join(".")),
    fc.constantFrom("bücher.example", "ex%61mple.com", "faß.de", "例え。テスト.example", "127.1", "0x7f.1", "[::1]"),
    piece,
  );
  const raws = fc
    .record({
      scheme: fc.constantFrom("https://", "HTTPS://", "http://"),
      host,
      port: fc.constantFrom("", ":443", ":0443", ":8443", ":80"),
      path: fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join("")),
      end: fc.tuple(piece, fc.integer({ min: 0, max: 700 })).map(([text, times]) => text.repeat(times)),
    })
    .map(({ scheme, host, port, path, end }) => `${scheme}${host}${port}/${path}${end}`.slice(0, 2100));

  test.each([
    ["a deployment's", publicGate],
    ["the local stack's", openGate],
  ])("%s gate allows its own normalized URL again, unchanged", (_name, gate) => {
    let allowed = 0;
    fc.assert(
      fc.property(raws, (raw) => {
        const once = gate.checkUrl(raw);
        if (!once.ok) return;
        allowed += 1;
        expect(once.url.href.length).toBeLessThanOrEqual(2048);
        const again = gate.checkUrl(once.url.href);
        expect(again.ok && again.url.href).toBe(once.url.href);
      }),
      { numRuns: 2_000 },
    );
    expect(allowed).toBeGreaterThan(100);
  });
});

test.each([
  ...["http://localhost:3000/hooks", "http://127.0.0.1:1/", "https://127.1:9999/", "http://[::1]:80/"],
  ...["http://receiver:8080/", "https://example.com:1234/", "http://8.8.8.8/", "http://a.localhost/"],
])("the local stack's gate, before any lookup allows %s", (raw) => {
  expect(openGate.checkUrl(raw).ok).toBe(true);
});

test.each([
  ...[
    "http://10.0.0.1/",
    "http://169.254.169.254/",
    "http://[::ffff:7f00:1]/",
    "http://0.0.0.0/",
    "http://[fd00:ec2::254]/",
  ],
  ...[
    "ftp://localhost/",
    "http://user@localhost/",
    "http://localhost/#x",
    "http://localhost./",
    "http://a.internal/",
    "https://api.parley.example/",
  ],
])("the local stack's gate, before any lookup refuses %s", (raw) => {
  expect(openGate.checkUrl(raw).ok).toBe(false);
});

const resolving = (...addresses: string[]) =>
  createGate({ mode: "public", resolver: async () => addresses }).checkAndResolve("https://hooks.example.com/");

test("the lookup returns every address when all are public", async () => {
  const addresses = ["93.184.215.14", "2606:4700:4700::1111"];
  expect(await resolving(...addresses)).toMatchObject({ ok: true, addresses });
});

test.each([
  ["10.0.0.1"],
  ["93.184.215.14", "10.0.0.1"],
  ["169.254.169.254", "93.184.215.14"],
  ["93.184.215.14", "::ffff:7f00:1"],
  ["not an address"],
  [...Array.from({ length: 100 }, (_, i) => `93.184.215.${i}`), "127.0.0.1"],
])("the lookup refuses a host when one address is not public, and names no address", async (...addresses) => {
  const checked = await resolving(...addresses);
  expect(checked).toEqual({ ok: false, cause: "address", reason: "The host does not resolve to a public address." });
});

test("the lookup fails for a host without addresses or a host that is unknown", async () => {
  expect(await resolving()).toMatchObject({ ok: false, cause: "dns" });
  const failing = createGate({ mode: "public", resolver: () => Promise.reject(new Error("ENOTFOUND")) });
  expect(await failing.checkAndResolve("https://hooks.example.com/")).toMatchObject({ ok: false, cause: "dns" });
});

test("the lookup ends when its signal aborts, even if the resolver hangs", async () => {
  const hanging = createGate({ mode: "public", resolver: () => new Promise(() => {}) });
  const stop = new AbortController();
  const checked = hanging.checkAndResolve("https://hooks.example.com/", stop.signal);
  stop.abort();
  expect(await checked).toMatchObject({ ok: false, cause: "dns" });
  expect(await hanging.checkAndResolve("https://hooks.example.com/", AbortSignal.abort())).toMatchObject({
    ok: false,
  });
});

test("the lookup is not made for a URL that is already refused", async () => {
  const lookups: string[] = [];
  const gate = createGate({
    mode: "public",
    resolver: async (host) => {
      lookups.push(host);
      return ["93.184.215.14"];
    },
  });
  expect((await gate.checkAndResolve("https://localhost/")).ok).toBe(false);
  expect(lookups).toEqual([]);
  await gate.checkAndResolve("https://Hooks.Example.com:8443/");
  expect(lookups).toEqual(["hooks.example.com"]);
});

test("the lookup of localhost and of IP addresses needs no name server in mode open", async () => {
  const gate = createGate({ mode: "open", resolver: () => Promise.reject(new Error("must not be called")) });
  expect(await gate.checkAndResolve("http://localhost:1/")).toMatchObject({ addresses: ["127.0.0.1", "::1"] });
  expect(await gate.checkAndResolve("http://[::1]:1/")).toMatchObject({ addresses: ["::1"] });
  expect(await gate.checkAndResolve("http://127.1:1/")).toMatchObject({ addresses: ["127.0.0.1"] });
});

test("the lookup allows loopback and public addresses in mode open, and no other", async () => {
  const open = (...addresses: string[]) =>
    createGate({ mode: "open", resolver: async () => addresses }).checkAndResolve("http://receiver:8080/");
  expect((await open("127.0.0.1", "93.184.215.14")).ok).toBe(true);
  expect((await open("127.0.0.1", "10.0.0.1")).ok).toBe(false);
  expect((await open("172.17.0.2")).ok).toBe(false);
});
