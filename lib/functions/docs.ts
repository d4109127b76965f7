import type { Construct } from "constructs";
import { NodeFunction } from "../constructs/node-function.ts";
import type { FunctionContext } from "./function-context.ts";

/** The OpenAPI document and the documentation's pages: files beside its code. It has access to nothing. */
export function createDocs(scope: Construct, { code }: FunctionContext): NodeFunction {
  return new NodeFunction(scope, "Docs", {
    description: "Parley: the documentation and the OpenAPI document",
    code: code("Docs"),
    memoryMegabytes: 512,
    environment: {},
  });
}
