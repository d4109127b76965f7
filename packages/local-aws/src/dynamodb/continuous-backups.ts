import { type Answer, type DescribeTable, type Operation, refuseTable } from "./table-answers.ts";

interface Recovery {
  readonly isEnabled: boolean;
  readonly days: number;
}

/** DynamoDB's own, and the longest. */
const DAYS_MAX = 35;

/** The settings of point-in-time recovery, which the engines lack. They end with the process, and nothing can be restored. */
export class ContinuousBackups {
  readonly #recoveries = new Map<string, Recovery>();

  /** @returns what answers a request with this target and body. Null: the engine does */
  operation(target: unknown, body: Buffer): Operation | null {
    if (target === "DynamoDB_20120810.DescribeContinuousBackups")
      return (describe) => this.#describe(body.toString(), describe);
    if (target === "DynamoDB_20120810.UpdateContinuousBackups")
      return (describe) => this.#update(body.toString(), describe);
    return null;
  }

  async #describe(body: string, describe: DescribeTable): Promise<Answer> {
    const { TableName = "" } = JSON.parse(body) as { TableName?: string };
    if ((await describe()).status !== 200) return notFound(TableName);
    return { status: 200, content: this.#toDescription(TableName) };
  }

  async #update(body: string, describe: DescribeTable): Promise<Answer> {
    const { TableName = "", PointInTimeRecoverySpecification: recovery } = JSON.parse(body) as {
      TableName?: string;
      PointInTimeRecoverySpecification?: { PointInTimeRecoveryEnabled?: boolean; RecoveryPeriodInDays?: number };
    };
    const days = recovery?.RecoveryPeriodInDays ?? DAYS_MAX;
    if (typeof recovery?.PointInTimeRecoveryEnabled !== "boolean" || !(days >= 1 && days <= DAYS_MAX)) {
      return refuseTable(`Give PointInTimeRecoveryEnabled, and 1 to ${DAYS_MAX} days.`);
    }
    if ((await describe()).status !== 200) return notFound(TableName);
    this.#recoveries.set(TableName, { isEnabled: recovery.PointInTimeRecoveryEnabled, days });
    return { status: 200, content: this.#toDescription(TableName) };
  }

  #toDescription(table: string): object {
    const recovery = this.#recoveries.get(table);
    const PointInTimeRecoveryDescription = recovery?.isEnabled
      ? { PointInTimeRecoveryStatus: "ENABLED", RecoveryPeriodInDays: recovery.days }
      : { PointInTimeRecoveryStatus: "DISABLED" };
    return { ContinuousBackupsDescription: { ContinuousBackupsStatus: "ENABLED", PointInTimeRecoveryDescription } };
  }
}

function notFound(table: string): Answer {
  return refuseTable(`Table not found: ${table}`, "TableNotFoundException");
}
