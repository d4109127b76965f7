import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import type { AuditEntry } from "#client";
import { waitUntilLive } from "../../../e2e/console/console-visit.ts";
import { openClient } from "../../../e2e/support/api-calls.ts";
import { openSharedStack } from "../../../e2e/support/local-stack.ts";
import { openedOnce } from "../../../support/opened.ts";
import { bothHands, openFromRail } from "../support/hands.ts";
import { openedOwner } from "../support/walker.ts";

// The owner reads what was done, filters it and saves it. The tests of each way of working continue one another.

const HEADER = "\ufeffat,actor,name,action,resource,ip,detail,id";

describe.each(bothHands)("the audit log at the console by $how", (hands) => {
  const stack = openedOnce(openSharedStack);
  const makeKey = async (label: string): Promise<string> =>
    (await openClient(stack).keys.create({ label, scope: "test" })).id;
  // Before the person comes, whose session ends after 12 hours.
  beforeAll(async () => {
    await makeKey("Till");
    await stack.clock("PT25H");
  });
  const owner = openedOwner(stack, hands);

  const rows = () => owner.page.getByRole("table", { name: "Audit log" }).locator("tbody tr");
  const select = (label: string, option: string) =>
    hands.select(owner.page, owner.page.getByLabel(label, { exact: true }), option);
  /** What the API lists, newest first. */
  const list = async (): Promise<readonly AuditEntry[]> => (await openClient(stack).audit.list({ limit: 100 })).audit;
  const expectRows = (count: number) => expect.poll(() => rows().count(), { timeout: 20_000 }).toBe(count);

  /** Presses the button, and reads the file. @returns its lines after the header */
  async function save(): Promise<string[]> {
    const saved = owner.page.waitForEvent("download");
    await hands.press(owner.page, owner.page.getByRole("button", { name: "Download CSV" }));
    const file = await saved;
    expect(file.suggestedFilename()).toBe("audit-demo.csv");
    const [header, ...lines] = readFileSync(await file.path(), "utf8")
      .trimEnd()
      .split("\r\n");
    expect(header).toBe(HEADER);
    return lines;
  }
  const ids = (lines: readonly string[]) => lines.map((line) => line.split(",").at(-1));

  it("what people and programs did is read in sentences, newest first", async () => {
    const key = await makeKey("Kiosk");
    await stack.api("DELETE", `/v1/keys/${key}`);
    await waitUntilLive(owner.visit);
    await openFromRail(hands, owner.page, "Audit");
    await rows().first().waitFor();
    await expectRows((await list()).length);
    const sentences = async () => (await rows().allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
    // The names of people and keys come after the rows.
    await expect
      .poll(async () => (await sentences()).slice(0, 2), { timeout: 20_000 })
      .toEqual([expect.stringContaining("revoked a test key"), expect.stringContaining("created a test key")]);
    // A sign-in accepts an invite at the same time, so that either may be the newer one.
    const signIn = ["You accepted an invite as owner", "You signed in"].map((sentence) =>
      expect.stringContaining(sentence),
    );
    await expect
      .poll(async () => (await sentences()).slice(2, 4), { timeout: 20_000 })
      .toEqual(expect.arrayContaining(signIn));
    const earlier = (await sentences()).filter((text) => text.includes("created a test key")).at(1);
    expect(earlier).not.toMatch(/^today/);
  });

  it("the file has exactly what is shown, also after a filter by action, by person and by time", async () => {
    const everything = await list();
    const fileOf = (entries: readonly AuditEntry[]) => entries.map(({ id }) => id);
    expect(ids(await save())).toEqual(fileOf(everything));

    await select("Action", "key: create");
    const created = everything.filter(({ action }) => action === "key.create");
    await expectRows(created.length);
    const lines = await save();
    expect(ids(lines)).toEqual(fileOf(created));
    expect(lines.every((line) => line.includes(",key.create,"))).toBe(true);

    await select("Time", "Last 24 hours");
    await expectRows(1);
    expect(ids(await save())).toEqual(fileOf(created.slice(0, 1)));

    await select("Action", "Any action");
    await select("Who", "You");
    const own = everything.filter(({ actor }) => actor.startsWith("console:"));
    await expectRows(own.length);
    expect(ids(await save())).toEqual(fileOf(own));
    await select("Time", "Last 30 days");
    await select("Who", "Anyone");
    await expectRows(everything.length);
    expect(ids(await save())).toEqual(fileOf(everything));
    expect(owner.visit.complaints).toEqual([]);
  });
});
