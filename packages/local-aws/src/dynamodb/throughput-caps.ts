import { type Answer, type DescribeTable, type Operation, refuseTable } from "./table-answers.ts";

interface Cap {
  readonly MaxReadRequestUnits?: number;
  readonly MaxWriteRequestUnits?: number;
}

interface TableCaps {
  readonly table: Cap | undefined;
  readonly indexes: ReadonlyMap<string, Cap>;
}

interface UpdateTable {
  readonly TableName?: string;
  readonly OnDemandThroughput?: Cap;
  readonly GlobalSecondaryIndexUpdates?: readonly {
    readonly Update?: { readonly IndexName?: string; readonly OnDemandThroughput?: Cap };
  }[];
}

interface TableDescription {
  readonly GlobalSecondaryIndexes?: readonly { readonly IndexName: string }[];
}

/** The caps on throughput that an update gave a table and its indexes, which the engines lack. They end with the process, and limit nothing. */
export class ThroughputCaps {
  readonly #tables = new Map<string, TableCaps>();

  /** @returns what answers a request with this target and body. Null: the engine does */
  operation(target: unknown, body: Buffer): Operation | null {
    if (target === "DynamoDB_20120810.UpdateTable" && body.includes('"OnDemandThroughput"')) {
      return (describe) => this.#update(JSON.parse(body.toString()) as UpdateTable, describe);
    }
    if (target === "DynamoDB_20120810.DescribeTable" && this.#tables.size > 0) {
      const { TableName = "" } = JSON.parse(body.toString()) as UpdateTable;
      return async (describe) => {
        const answer = await describe();
        const { Table } = answer.content as { Table?: TableDescription };
        return Table === undefined ? answer : { ...answer, content: { Table: this.#withCaps(TableName, Table) } };
      };
    }
    return null;
  }

  async #update(update: UpdateTable, describe: DescribeTable): Promise<Answer> {
    const { TableName = "", OnDemandThroughput, GlobalSecondaryIndexUpdates: ofIndexes = [], ...others } = update;
    const answer = await describe();
    const { Table } = answer.content as { Table?: TableDescription };
    if (Table === undefined) return answer;
    if (Object.keys(others).length > 0) return refuseTable("Update caps on throughput alone.");
    const before = this.#tables.get(TableName);
    const indexes = new Map(before?.indexes);
    for (const { Update: { IndexName = "", OnDemandThroughput: cap } = {} } of ofIndexes) {
      const exists = Table.GlobalSecondaryIndexes?.some((index) => index.IndexName === IndexName);
      if (!exists || !isCap(cap))
        return refuseTable(`Give the index ${IndexName}, which must exist, OnDemandThroughput.`);
      indexes.set(IndexName, { ...indexes.get(IndexName), ...cap });
    }
    if (OnDemandThroughput !== undefined && !isCap(OnDemandThroughput)) {
      return refuseTable("Give OnDemandThroughput the most units, or -1 for no cap.");
    }
    this.#tables.set(TableName, { table: { ...before?.table, ...OnDemandThroughput }, indexes });
    return { status: 200, content: { TableDescription: this.#withCaps(TableName, Table) } };
  }

  #withCaps(name: string, description: TableDescription): TableDescription {
    const caps = this.#tables.get(name);
    if (caps === undefined) return description;
    return {
      ...description,
      ...withCap(description, caps.table),
      ...(description.GlobalSecondaryIndexes === undefined
        ? {}
        : {
            GlobalSecondaryIndexes: description.GlobalSecondaryIndexes.map((index) => ({
              ...index,
              ...withCap(index, caps.indexes.get(index.IndexName)),
            })),
          }),
    };
  }
}

/** @returns the cap over that which the engine knows */
function withCap(described: object, cap: Cap | undefined): { readonly OnDemandThroughput?: Cap } {
  const { OnDemandThroughput } = described as { readonly OnDemandThroughput?: Cap };
  const whole = { ...OnDemandThroughput, ...cap };
  return Object.keys(whole).length === 0 ? {} : { OnDemandThroughput: whole };
}

/** At least one limit, each at least 1, or -1 for none. */
function isCap(cap: Cap | undefined): boolean {
  const units = Object.values(cap ?? {});
  return units.length > 0 && units.every((each) => Number.isInteger(each) && (each >= 1 || each === -1));
}
