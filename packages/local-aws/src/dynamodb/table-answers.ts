/** An answer of DynamoDB. */
export interface Answer {
  readonly status: number;
  readonly content: object;
}

/** Asks the engine for the table of a request. */
export type DescribeTable = () => Promise<Answer>;

/** Answers a request in place of the engine. */
export type Operation = (describe: DescribeTable) => Promise<Answer>;

export function refuseTable(message: string, type = "ValidationException"): Answer {
  return { status: 400, content: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message } };
}
