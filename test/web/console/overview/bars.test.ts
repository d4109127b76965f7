import { expect, it } from "vitest";
import { barHeights, deliveryHours } from "../../../../web/console/hours/hours.ts";
import { hoursLine } from "../../../../web/console/hours/texts.ts";
import { messageBars } from "../../../../web/console/overview/message-bars.ts";
import { emptyHours } from "./stats.ts";

const NOW = Date.parse("2026-11-29T12:20:00Z");
const hours = emptyHours(NOW);
const at = (index: number, more: object) => Object.assign(hours[index] ?? {}, more);
const counts = (endpoint_id: string, delivered: number, failed: number, dlq: number) => ({
  endpoint_id,
  delivered,
  failed,
  dlq,
});
at(3, { endpoints: [counts("end_1", 90, 4, 6), counts("end_2", 1, 0, 0)] });
at(24, { endpoints: [counts("end_1", 1, 0, 0)] });

it("an endpoint has the deliveries of each hour, and none where the hour has no row of it", () => {
  const own = deliveryHours(hours, "end_1");
  expect(own).toHaveLength(25);
  expect(own[3]).toEqual({ startsAt: Date.parse("2026-11-28T15:00:00Z"), delivered: 90, undelivered: 10 });
  expect(own[24]).toMatchObject({ delivered: 1, undelivered: 0 });
  expect(deliveryHours(hours, "end_3").every(({ delivered, undelivered }) => delivered + undelivered === 0)).toBe(true);
});

it("the largest hour of an endpoint fills its drawing, and one delivery is still seen beside it", () => {
  const heights = barHeights(deliveryHours(hours, "end_1"));
  expect(heights[3]).toEqual({ undelivered: 10, delivered: 90 });
  expect(heights[24]?.delivered).toBeGreaterThanOrEqual(5);
  expect(heights[0]).toEqual({ undelivered: 0, delivered: 0 });
  const rare = barHeights([{ startsAt: 0, delivered: 9_999, undelivered: 1 }]);
  expect(rare[0]?.undelivered).toBeGreaterThanOrEqual(5);
  expect((rare[0]?.undelivered ?? 0) + (rare[0]?.delivered ?? 0)).toBeLessThanOrEqual(100);
});

it("the words of an endpoint's bars count the hours with failures and name the last one", () => {
  expect(hoursLine(deliveryHours(hours, "end_1"))).toMatch(
    /^Deliveries by hour, with failures in 1 of 25, the last in the hour from \S+/,
  );
  expect(hoursLine(deliveryHours(hours, "end_2"))).toBe("Deliveries by hour, without a failure");
  expect(hoursLine(deliveryHours(hours, "end_3"))).toBe("No deliveries in any hour");
});

it("received and sent messages have one scale, and their bars never leave the drawing", () => {
  const series = [
    { starts_at: "2026-11-29T10:00:00Z", received: 60, sent: 0 },
    { starts_at: "2026-11-29T11:00:00Z", received: 30, sent: 30 },
    { starts_at: "2026-11-29T12:00:00Z", received: 1, sent: 1 },
  ];
  const [first, second, third] = messageBars(series);
  expect(first?.up.y).toBeCloseTo(0);
  expect(second?.up.height).toBeCloseTo(second?.down.height ?? 0);
  expect(first?.up.height).toBeCloseTo(2 * (second?.up.height ?? 0));
  expect((second?.down.y ?? 0) + (second?.down.height ?? 0)).toBeCloseTo(100);
  expect(third?.up.height).toBeGreaterThan(1);
  for (const { up, down } of messageBars(series)) {
    expect(up.y).toBeGreaterThanOrEqual(0);
    expect(down.y + down.height).toBeLessThanOrEqual(100.001);
  }
  const nothing = messageBars([{ starts_at: "2026-11-29T10:00:00Z", received: 0, sent: 0 }]);
  expect(nothing[0]).toMatchObject({ up: { height: 0 }, down: { height: 0 } });
});
