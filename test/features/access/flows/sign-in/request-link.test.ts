import { expect, it } from "vitest";
import { SECOND } from "#base/kernel/time.ts";
import { requestSignInLink } from "#features/access/flows/sign-in/request-link.ts";
import { decodeMail } from "#features/access/queue.ts";
import { signInWindow } from "#features/access/rules/sign-in-window.ts";
import { type Fault, injectFaults } from "../../../../support/faults.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { openSignInFixture } from "../support/sign-in-fixture.ts";

const testEnv = openedOnce(openTestEnv);
const fixture = openedOnce(() => openSignInFixture(testEnv));

const request = (address: string, ip: string, redirect = "/") =>
  requestSignInLink(fixture.ports(), { address, redirect, ip, now: testEnv.now() });

/** The calls of a request to AWS, in order, as the SDK sends them. What is random or hashed is replaced by its length. */
async function callsOf(work: () => Promise<unknown>): Promise<string[]> {
  const calls: string[] = [];
  const record = ({ command, input }: { command: string; input: unknown }): Fault => {
    // The bytes of a Buffer, or of another array.
    const bytes = /\{"type":"Buffer","data":\[[\d,]*\]\}|\{"0":\d+(?:,"\d+":\d+)*\}/g;
    const text = JSON.stringify(input).replace(bytes, (each) => `${each.split(",").length} numbers`);
    calls.push(`${command} ${text.replace(/[\w-]{10,}/g, (random) => `${random.length} characters`)}`);
    return "pass";
  };
  const ends = [testEnv.client, testEnv.sqs].map((client) => injectFaults(client as never, record));
  await work();
  for (const end of ends) end();
  return calls;
}

it("a request for a sign-in link makes the same calls in the same order for a member, an invited, an unknown and a suppressed address", async () => {
  const addresses = ["memberxx", "invitedx", "stranger", "suppress"].map((name) => `${name}@example.com`);
  await fixture.newUser(addresses[0] as string);
  await fixture.newInvite(addresses[1] as string);
  const calls: string[][] = [];
  for (const [index, address] of addresses.entries()) {
    calls.push(await callsOf(() => request(address, `203.0.113.${100 + index}`)));
  }
  const commands = calls[0]?.map((call) => call.split(" ")[0]);
  expect(commands).toEqual(["UpdateItem", "UpdateItem", "PutItem", "SendMessage"]);
  for (const ofAddress of calls) expect(ofAddress).toEqual(calls[0]);
});

it("a request for a sign-in link lets five of many requests at once for an address pass, and names the seconds until the next window", async () => {
  const { address } = fixture.newPerson();
  const results = await Promise.all(Array.from({ length: 12 }, (_, i) => request(address, `198.18.0.${i}`)));
  const retryAfter = Math.ceil((signInWindow(testEnv.now()).end - testEnv.now()) / SECOND);
  expect(results.filter((result) => result === null)).toHaveLength(5);
  expect(results.filter((result) => result !== null)).toEqual(
    Array.from({ length: 7 }, () => ({ refused: "sign_in_limit", retryAfter })),
  );
});

it.each([
  ["an IPv4 address", () => "198.18.1.1"],
  ["an IPv6 network", (i: number) => `2001:db8:1:2:${i.toString(16)}::1`],
])(
  "a request for a sign-in link lets twenty of many at once from %s pass, and those above consume the cap of no address",
  async (_, ip) => {
    const addresses = Array.from({ length: 30 }, () => fixture.newPerson().address);
    const results = await Promise.all(addresses.map((address, i) => request(address, ip(i))));
    expect(results.filter((result) => result === null)).toHaveLength(20);
    const refused = addresses[results.findIndex((result) => result !== null)] as string;
    for (let i = 0; i < 5; i++) expect(await request(refused, `2001:db8:2:${i}::1`)).toBeNull();
  },
);

it("a request for a sign-in link counts a request once that loses the answer of any of its calls", async () => {
  const { address } = fixture.newPerson();
  for (let index = 0; index < 5; index++) {
    const end = injectFaults(testEnv.client, (call) => (call.index === index ? "lost" : "pass"));
    expect(await request(address, `198.18.3.${index}`)).toBeNull();
    end();
  }
  expect(await request(address, "198.18.3.9")).toMatchObject({ refused: "sign_in_limit" });
});

it("a request for a sign-in link stores and queues neither the address, the source nor the token", async () => {
  const address = "canary.person@canary-domain.example";
  const token = await fixture.newToken(address, "/inbox");
  await request(address, "192.0.2.77");
  const bodies = await fixture.queuedBodies();
  expect(bodies.length).toBeGreaterThan(0);
  for (const body of bodies) {
    expect(decodeMail(body)).toEqual({ kind: "sign_in", loginId: expect.stringMatching(/^[0-9a-f]{64}$/) });
  }
  const stored = await fixture.wholeTable();
  expect(stored).toContain("TOK#");
  for (const canary of [address, "canary", token, "192.0.2.77"]) {
    expect(bodies.join()).not.toContain(canary);
    expect(stored).not.toContain(canary);
  }
  expect(testEnv.lines).toEqual([]);
});
