// The names of the metrics that log lines have, and that an alarm watches.

/** Crashes and time-outs of the functions, from the lines that Lambda writes. */
export const FUNCTION_ERRORS = "FunctionErrors";
/** How old the webhooks are that wait for the end of an outage. */
export const POSTPONED_WEBHOOK_AGE = "PostponedWebhookAge";
/** Checks that found an account whose access a person must give back. */
export const ACCOUNTS_NEED_ATTENTION = "AccountsNeedAttention";
/** Messages that failed ten times and were stored as dead letters. */
export const DEAD_LETTERS_ARRIVED = "DeadLettersArrived";
/** What a look of the sweep found: dead letters that it could not store, or a key that is disabled or will be deleted. */
export const WATCH_FINDINGS = "WatchFindings";
/** Queues of background work in which a look of the sweep found messages that their worker had not received. */
export const QUEUES_WAITING = "QueuesWaiting";
/** Requests that a throttle of the gateway refused. */
export const GATEWAY_THROTTLED = "GatewayThrottled";
/** Requests to the routes of the platforms' webhooks that were refused with 403. */
export const WEBHOOKS_REFUSED = "WebhooksRefused";
