const notCalled = () => Promise.reject(new Error("No task of this test is a backfill."));

/** The ports of a backfill, for tests that run none. */
export const noBackfillPorts = {
  renderWebhook: () => Buffer.alloc(0),
  queueWebhook: notCalled,
  wait: notCalled,
  mails: { send: async () => {} },
};
