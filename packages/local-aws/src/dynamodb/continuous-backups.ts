interface Answer {
  readonly status: number;
  readonly content: object;
}

type Operation = (body: string, tableExists: () => Promise<boolean>) => Promise<Answer>;

interface Recovery {
  readonly isEnabled: boolean;
  readonly days: number;
}

/** DynamoDB's own, and the longest. */
const DAYS_MAX = 35;

/** The settings of point-in-time recovery, which the engines lack. They end with the process, and nothing can be restored. */
export class ContinuousBackups {
  readonly #recoveries = new Map<string, Recovery>();

  /** @returns what answers a request with this target. Null: the engine does */
  operation(target: string | string[] | undefined): Operation | null {
    if (target === "DynamoDB_20120810.DescribeContinuousBackups") return (...call) => this.#describe(...call);
    if (target === "DynamoDB_20120810.UpdateContinuousBackups") return (...call) => this.#update(...call);
    return null;
  }

  async #describe(body: string, tableExists: () => Promise<boolean>): Promise<Answer> {
    const { TableName = "" } = JSON.parse(body) as { TableName?: string };
    if (!(await tableExists())) return notFound(TableName);
    return { status: 200, content: this.#toDescription(TableName) };
  }

  async #update(body: string, tableExists: () => Promise<boolean>): Promise<Answer> {
    const { TableName = "", PointInTimeRecoverySpecification: recovery } = JSON.parse(body) as {
      TableName?: string;
      PointInTimeRecoverySpecification?: { PointInTimeRecoveryEnabled?: boolean; RecoveryPeriodInDays?: number };
    };
    const days = recovery?.RecoveryPeriodInDays ?? DAYS_MAX;
    if (typeof recovery?.PointInTimeRecoveryEnabled !== "boolean" || !(days >= 1 && days <= DAYS_MAX)) {
      return error("ValidationException", `Give PointInTimeRecoveryEnabled, and 1 to ${DAYS_MAX} days.`);
    }
    if (!(await tableExists())) return notFound(TableName);
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
  return error("TableNotFoundException", `Table not found: ${table}`);
}

function error(type: string, message: string): Answer {
  return { status: 400, content: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message } };
}
