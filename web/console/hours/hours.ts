import type { Data } from "#client";

/** The statistics of the last 24 hours, as the API returns them. */
export type Stats = Data<"GET /v1/stats">;

/** The counts of an hour. */
export type StatsHour = NonNullable<Stats["series"]>[number];

/** The deliveries of an endpoint that reached their last status in an hour. */
export interface DeliveryHour {
  /** Epoch milliseconds of its start. */
  readonly startsAt: number;
  readonly delivered: number;
  /** Failed, blocked, or abandoned after the last attempt. */
  readonly undelivered: number;
}

/** The deliveries of an endpoint in each hour, the earliest first. An endpoint without a row had none. */
export function deliveryHours(series: readonly StatsHour[], endpointId: string): readonly DeliveryHour[] {
  return series.map(({ starts_at, endpoints }) => {
    const { delivered = 0, failed = 0, dlq = 0 } = endpoints.find((each) => each.endpoint_id === endpointId) ?? {};
    return { startsAt: Date.parse(starts_at), delivered, undelivered: failed + dlq };
  });
}

/** Where a bar stands in a drawing of 100 by 100. The parts of a bar are above each other. */
export interface Bar {
  readonly delivered: number;
  readonly undelivered: number;
}

/** A count of one is still seen beside thousands. */
const HEIGHT_MIN = 7;

/** The heights of the bars in hundredths of the drawing: the largest hour fills it. */
export function barHeights(hours: readonly DeliveryHour[]): readonly Bar[] {
  const most = Math.max(1, ...hours.map(({ delivered, undelivered }) => delivered + undelivered));
  const height = (count: number) => (count === 0 ? 0 : Math.max(HEIGHT_MIN, (count / most) * 100));
  return hours.map(({ delivered, undelivered }) => {
    const bad = Math.min(height(undelivered), 100);
    return { undelivered: bad, delivered: Math.min(height(delivered), 100 - bad) };
  });
}
