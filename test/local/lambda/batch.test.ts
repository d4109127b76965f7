import { describe, expect, it } from "vitest";
import { parseBatchItemFailures } from "../../../local/lambda/batch.ts";

const all = new Set(["a", "b", "c"]);

describe("a worker's response", () => {
  it.each([
    ["nothing", null],
    ["an empty object", {}],
    ["no list", { batchItemFailures: null }],
    ["an empty list", { batchItemFailures: [] }],
  ])("with %s completes the whole batch", (_what, answer) => {
    expect(parseBatchItemFailures(answer, all)).toEqual(new Set());
  });

  it("with some ids leaves only those messages in the queue", () => {
    const answer = { batchItemFailures: [{ itemIdentifier: "a" }, { itemIdentifier: "c" }] };
    expect(parseBatchItemFailures(answer, all)).toEqual(new Set(["a", "c"]));
  });

  it.each([
    ["an id that is not in the batch", { batchItemFailures: [{ itemIdentifier: "a" }, { itemIdentifier: "z" }] }],
    ["an empty id", { batchItemFailures: [{ itemIdentifier: "" }] }],
    ["no id", { batchItemFailures: [{ itemId: "a" }] }],
    ["null in the list", { batchItemFailures: [null] }],
    ["no list at all", { batchItemFailures: "a" }],
    ["another structure", { failures: [] }],
    ["a text", "done"],
  ])("with %s fails the whole batch", (_what, answer) => {
    expect(parseBatchItemFailures(answer, all)).toEqual(all);
  });
});
