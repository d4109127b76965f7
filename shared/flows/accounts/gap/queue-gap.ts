import type { Queue } from "../../../aws/queues.ts";
import type { Account } from "../../../domain/accounts/accounts.ts";
import { RETENTION } from "../../../domain/limits.ts";
import { ulidTime } from "../../../kernel/ids.ts";
import type { TenantId } from "../../../kernel/tenant.ts";
import { HOUR, MINUTE, type Millis } from "../../../kernel/time.ts";
import { encodeAccountTask } from "../../../queues/accounts.ts";

/** How long before the last complete subscription the gap starts: the platforms end it after an hour of failures. */
const GAP_MARGIN: Millis = 2 * HOUR;
/** The gap is filled after this, when the webhooks of the new subscription have started to arrive. */
const GAP_DELAY: Millis = 2 * MINUTE;
/** The gap ends this much after its task was queued: the new subscription may take a while. */
const SUBSCRIBING_MAX: Millis = MINUTE;

/** A gap of an account's webhooks. */
interface Gap {
  readonly tenant: TenantId;
  readonly account: Pick<Account, "platform" | "externalId" | "connectionId">;
  /** When the subscription was last seen complete. Null: the gap starts with the connection. */
  readonly subscribedAt: Millis | null;
  readonly now: Millis;
}

/** Has the messages fetched that no webhook brought since the subscription was last seen complete. */
export function queueGap(accountWork: Pick<Queue, "send">, { tenant, account, subscribedAt, now }: Gap): Promise<void> {
  const { platform, externalId, connectionId } = account;
  const connectedAt = connectionId === "" ? 0 : ulidTime(connectionId);
  const start = subscribedAt === null ? connectedAt : subscribedAt - GAP_MARGIN;
  const body = encodeAccountTask({
    op: "fill_gap",
    tenant,
    account: { platform, externalId },
    connectionId,
    since: Math.max(start, now - RETENTION),
    until: now + SUBSCRIBING_MAX,
    after: null,
    done: 0,
  });
  return accountWork.send({ body, group: tenant, delay: GAP_DELAY });
}
