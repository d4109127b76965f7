import { DEFAULT_METRIC_NAMESPACE } from "#base/config/metrics.ts";

/** The stage of a deployment that names none. Its stacks, exports, metrics and APIs have no suffix. */
export const DEFAULT_STAGE = "default";

export interface StackNames {
  readonly data: string;
  readonly service: string;
}

/** The names of the stacks of a stage. The templates in the assembly have the same names. */
export function stackNames(stage: string): StackNames {
  const suffix = stage === DEFAULT_STAGE ? "" : `-${stage}`;
  return { data: `ParleyData${suffix}`, service: `ParleyService${suffix}` };
}

/** Those of the default stage, which the local stack runs. */
export const stacks = stackNames(DEFAULT_STAGE);

/** The CloudWatch namespace of the metrics of a stage. */
export function metricNamespace(stage: string): string {
  return stage === DEFAULT_STAGE ? DEFAULT_METRIC_NAMESPACE : `${DEFAULT_METRIC_NAMESPACE}/${stage}`;
}

/** The name of an API in the API Gateway console, for its construct. The default stage has the construct's own name. */
export function apiName(stage: string, api: "api" | "realtime"): { readonly apiName?: string } {
  return stage === DEFAULT_STAGE ? {} : { apiName: `parley-${stage}-${api}` };
}
