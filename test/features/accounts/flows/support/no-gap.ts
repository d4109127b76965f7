const notCalled = () => Promise.reject(new Error("No task of this test fills a gap of webhooks."));

/** The ports of a gap of webhooks, for tests whose tasks fill none. */
export const noGapPorts = { renderWebhook: () => Buffer.alloc(0), queueWebhook: notCalled, wait: notCalled };
