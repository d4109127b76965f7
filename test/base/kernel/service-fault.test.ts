import { expect, it } from "vitest";
import { isServiceFault, ServiceUnavailable } from "#base/kernel/service-fault.ts";

const error = (name: string, fields: object = {}) => Object.assign(new Error("text"), { name, ...fields });

it.each([
  error("ProvisionedThroughputExceededException", { $metadata: { httpStatusCode: 400 } }),
  error("InternalServerError", { $metadata: { httpStatusCode: 500 } }),
  error("DisabledException", { $metadata: { httpStatusCode: 400 } }),
  error("AccessDeniedException", { $metadata: { httpStatusCode: 400 } }),
  error("Error", { code: "ECONNREFUSED" }),
  error("TimeoutError"),
  error("UnknownOutcome"),
  error("TransactionCanceledException", {
    $metadata: { httpStatusCode: 400 },
    CancellationReasons: [{ Code: "None" }, { Code: "ThrottlingError" }],
  }),
  new ServiceUnavailable("text"),
])("a service that does not work for us is a service fault: %s", (fault) => {
  expect(isServiceFault(fault)).toBe(true);
});

it.each([
  error("ValidationException", { $metadata: { httpStatusCode: 400 } }),
  error("InvalidCiphertextException", { $metadata: { httpStatusCode: 400 } }),
  error("TransactionCanceledException", {
    $metadata: { httpStatusCode: 400 },
    CancellationReasons: [{ Code: "ThrottlingError" }, { Code: "ValidationError" }],
  }),
  error("TransactionCanceledException", { $metadata: { httpStatusCode: 400 } }),
  new TypeError("text"),
  new Error("The endpoint has no signing secret."),
  "text",
  null,
])("a request that never succeeds, and an error of ours, are none: %s", (other) => {
  expect(isServiceFault(other)).toBe(false);
});
