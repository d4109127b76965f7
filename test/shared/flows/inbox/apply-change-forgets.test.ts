import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { IngestPorts } from "../../../../shared/flows/ports.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { MINUTE } from "../../../../shared/kernel/time.ts";
import { earlyChangeStore } from "../../../../shared/stores/inbox/pending-changes.ts";
import { profileStore } from "../../../../shared/stores/inbox/profiles.ts";
import { edited, type Happening, ingestOf, said, unsent } from "../support/changes.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";
import { newConversation } from "../support/new-conversation.ts";

let house: House;
let lane: Lane;
beforeAll(async () => {
  house = await openHouse();
  lane = await house.newLane();
});
afterAll(() => house.close());

let tenant: TenantId;
let account: string;
let conversation: string;
let at: number;
beforeEach(async () => {
  ({ tenant, account, conversation } = await newConversation(house));
  at = house.now() - MINUTE;
});

const take = (happening: Happening, ports: IngestPorts = house.ingestPorts(lane)) =>
  ingestOf(ports, account, [happening], house.now());

/** The tenant's conversations and the bodies of its events. */
async function rows(): Promise<{ conversations: string; bodies: string }> {
  const { Items = [] } = await house.table.client.send(
    new ScanCommand({ TableName: house.table.name, ConsistentRead: true }),
  );
  const of = (kind: string) =>
    JSON.stringify(Items.filter(({ PK }) => new RegExp(`^${kind}#${tenant}(#|$)`).test(PK as string)));
  return { conversations: of("CONV"), bodies: of("E") };
}

describe("of a message that has not come yet, its unsending forgets", () => {
  it("the text of an edit that waits for it", async () => {
    await take(edited("m1", "secret", 1, at + 1));
    expect((await rows()).conversations).toContain("secret");
    await take(unsent("m1", at + 2));
    expect((await rows()).conversations).not.toContain("secret");
    const early = await earlyChangeStore(house.table).get(conversation, "m1");
    expect(early).toEqual({ unsentAt: at + 2, edit: { text: "", count: 1 } });
  });

  it("the bodies of all its edits, at once", async () => {
    for (const count of [1, 2, 3]) await take(edited("m1", `secret ${count}`, count, at + count));
    for (const count of [1, 2, 3]) expect((await rows()).bodies).toContain(`secret ${count}`);
    await take(unsent("m1", at + 5));
    expect((await rows()).bodies).not.toContain("secret");
  });

  it("the body of an edit that comes after it, at once", async () => {
    await take(unsent("m1", at + 5));
    const { announcements } = await take(edited("m1", "secret", 1, at + 1));
    expect(announcements).toEqual([]);
    expect((await rows()).bodies).not.toContain("secret");
  });

  it("the bodies of its edits with the message, where whoever brought the unsending died before", async () => {
    await take(edited("m1", "secret", 2, at + 1));
    const ports = house.ingestPorts(lane);
    const dying = { ...ports.eventBodies, forget: () => Promise.reject(new Error("died")) };
    await expect(take(unsent("m1", at + 2), { ...ports, eventBodies: dying })).rejects.toThrow("died");
    expect((await rows()).bodies).toContain("secret");
    const { announcements } = await take(said("m1", "zero", at));
    expect(announcements).toEqual([]);
    expect((await rows()).bodies).not.toContain("secret");
  });
});

describe("an edit that comes while a message does, whose unsending waits for it, leaves no text and is not told", () => {
  const comes = () => take(said("m1", "zero", at));
  const dies = async () => {
    const ports = house.ingestPorts(lane);
    const messageChanges = { ...ports.messageChanges, unsend: () => Promise.reject(new Error("died")) };
    await expect(
      ingestOf({ ...ports, messageChanges }, account, [said("m1", "zero", at)], house.now()),
    ).rejects.toThrow();
  };
  /** Ports at which the message comes once they were asked whether it is there, or told of the edit. */
  function meanwhile(after: "find" | "edit", come: () => Promise<unknown>): IngestPorts {
    const ports = house.ingestPorts(lane);
    const { find } = ports.messageChanges;
    const { edit } = ports.earlyChanges;
    const then = async <T>(result: Promise<T>): Promise<T> => {
      const known = await result;
      await come();
      return known;
    };
    return after === "find"
      ? { ...ports, messageChanges: { ...ports.messageChanges, find: (...of) => then(find(...of)) } }
      : { ...ports, earlyChanges: { ...ports.earlyChanges, edit: (...of) => then(edit(...of)) } };
  }

  it.each([
    ["before it is left for it", "find", comes],
    ["after it was left for it", "edit", comes],
    ["before it is left for it, and its worker dies", "find", dies],
    ["after it was left for it, and its worker dies", "edit", dies],
  ] as const)("%s", async (_when, after, come) => {
    await take(unsent("m1", at + 5));
    const { announcements } = await take(edited("m1", "secret", 1, at + 1), meanwhile(after, come));
    expect(announcements).toEqual([]);
    const { conversations, bodies } = await rows();
    expect(bodies).not.toContain("secret");
    expect(conversations).not.toMatch(/secret|zero/);
  });
});

describe("the row of an unsent message", () => {
  it("holds nothing of the person or of what they said, and is known by its id", async () => {
    await take(said("m0", "hello", at - 1));
    const profile = { state: "complete", handle: "Ada Canary", username: "ada.canary", picture: null } as const;
    await profileStore(house.table).keep(conversation, profile, house.now());
    const { content } = said("m1", "secret", at) as { content: { message: object } };
    await take({ at, content: { message: { ...content.message, reply_to: { mid: "m0" } } } });
    const row = async () => {
      const { Items = [] } = await house.table.client.send(
        new ScanCommand({ TableName: house.table.name, ConsistentRead: true }),
      );
      return Items.find(({ i }) => i === `${tenant}#m1`) ?? {};
    };
    expect(await row()).toMatchObject({ h: "Ada Canary", u: "ada.canary", r: "m0", t: "secret" });
    await take(edited("m1", "secret still", 1, at + 1));
    await take(unsent("m1", at + 2));
    expect(Object.keys(await row()).sort()).toEqual(["PK", "SK", "d", "e", "ec", "i", "s", "un", "v", "x"]);
  });
});
