import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { env } from "#base/config/names.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { describeClock } from "../../bin/admin/upkeep/restore.ts";
import { readRestorePoint } from "../../functions/admin/restore-ports.ts";

it("a restore does not start with a clock that differs from that of AWS by more than a minute", () => {
  const at = Date.parse("2026-11-29T08:00:00Z");
  expect([at - MINUTE, at, at + MINUTE].map((now) => describeClock(now, at))).toEqual([null, null, null]);
  const late = "the clock of this computer shows 2026-11-29T07:00:00.000Z, and that of AWS 2026-11-29T08:00:00.000Z.";
  expect(describeClock(at - 60 * MINUTE, at)).toContain(late);
  expect(describeClock(at + MINUTE + 1, at)).toContain("Set it, and start again");
  expect(describeClock(at, Number.NaN)).toContain("has no time");
});

it("the time of a copy is read with the clock of the service that answers", async () => {
  const [point, date] = [Date.parse("2026-11-28T08:00:00Z"), "Sun, 29 Nov 2026 08:00:00 GMT"];
  const server = createServer((_request, response) => {
    response.setHeader("date", date).setHeader("content-type", "application/x-amz-json-1.0");
    response.end(JSON.stringify({ Table: { RestoreSummary: { RestoreDateTime: point / 1000 } } }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const environment = {
    ...{ AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, AWS_REGION: "eu-central-1" },
    ...{ AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "key", [env.table]: "copy" },
  };
  expect(await readRestorePoint(environment)).toEqual({ point, answeredAt: Date.parse(date) });
  server.close();
});
