// The names of the metrics that log lines have, and that an alarm watches.

/** Crashes and time-outs of the functions, from the lines that Lambda writes. */
export const FUNCTION_ERRORS = "FunctionErrors";
/** How old the webhooks are that wait for the end of an outage. */
export const POSTPONED_WEBHOOK_AGE = "PostponedWebhookAge";
/** Checks that found an account whose access a person must give back. */
export const ACCOUNTS_NEED_ATTENTION = "AccountsNeedAttention";
/** Messages in the dead letter queues, which are empty within seconds where all is well. */
export const DEAD_LETTERS_WAITING = "DeadLettersWaiting";
/** Checks that found the key disabled, or its deletion scheduled. */
export const KEY_UNUSABLE = "KeyUnusable";
/** Requests that a throttle of the gateway refused. */
export const GATEWAY_THROTTLED = "GatewayThrottled";
/** Requests to the routes of the platforms' webhooks that were refused with 403. */
export const WEBHOOKS_REFUSED = "WebhooksRefused";
