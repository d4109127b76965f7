/**
 * The metrics that functions embed in their log, with their units. They have no dimension: one of a tenant would be a metric of
 * its own for each tenant, which AWS bills.
 */
export const metricUnits = {
  /** Webhooks of the platforms that were queued, each before its 200. */
  Accepted: "Count",
  /** Live messages that were stored and counted. */
  Stored: "Count",
  /** Deliveries that an endpoint accepted. */
  Delivered: "Count",
  /** From the arrival of a webhook, or the storing of another event, to the answer of the endpoint that accepted it. */
  DeliveryLatency: "Milliseconds",
  /** Attempts of a delivery after its first one. */
  Retries: "Count",
  CircuitsOpened: "Count",
  HoldsCreated: "Count",
  /** Messages that a platform refused to send. */
  SendsRefused: "Count",
  /** Queue messages that this release cannot read, at their first receive. */
  Unreadable: "Count",
  /** Attempts of requests to the table, or one of its indexes, that DynamoDB throttled. */
  TableThrottles: "Count",
} as const;

export type MetricName = keyof typeof metricUnits;
/** Values of a time: one, or those of up to 100 measurements. Counts are sums. */
type Times = { readonly DeliveryLatency?: number | readonly number[] };
export type Metrics = Times & Readonly<Partial<Record<Exclude<MetricName, keyof Times>, number>>>;

/** The namespace of a deployment whose environment names none. */
export const DEFAULT_METRIC_NAMESPACE = "Parley";
