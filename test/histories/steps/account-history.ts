import fc from "fast-check";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import type { QueueId } from "../cloud/aws.ts";
import type { FunctionName } from "../cloud/functions.ts";
import { castAccounts, customers, holders, logins } from "../world/account-cast.ts";
import { outServices } from "../world/outages.ts";
import type { AccountStep } from "./account-step.ts";
import { at, bury, failing, type Paced, paced, redrive, troubleKinds, wait } from "./parts.ts";
import type { History, Step } from "./step.ts";

// Histories in which two tenants connect the same accounts by turns, on a platform that loses subscriptions.

const account = fc.nat({ max: castAccounts.length - 1 });
const login = fc.nat({ max: logins.length - 1 });
const tenant = fc.nat({ max: holders.length - 1 });
const customer = fc.nat({ max: customers.length - 1 });
const customersOf = (who: number) => {
  const numbers = customers.flatMap((each, i) => (each.account === castAccounts[who] ? [i] : []));
  return fc.constantFrom(...numbers);
};

const writes = (who: fc.Arbitrary<number>): fc.Arbitrary<AccountStep> =>
  fc.record({ do: fc.constantFrom("customerWrites", "customerWrites", "accountWrites"), customer: who });
const writesTo = (who: number) => writes(customersOf(who));
const manyWrite: fc.Arbitrary<AccountStep> = fc.record({
  do: fc.constant("manyWrite"),
  platform: fc.constantFrom("instagram", "messenger"),
  isFirstUnstorable: fc.oneof(
    { weight: 3, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
});
const lateWebhook: fc.Arbitrary<AccountStep> = fc.record({
  do: fc.constant("lateWebhook"),
  customer,
  age: fc.constantFrom(HOUR, 6 * HOUR, DAY, 3 * DAY, 6 * DAY, 7 * DAY - HOUR),
});
const connect = (which: fc.Arbitrary<number>, by: fc.Arbitrary<number> = tenant): fc.Arbitrary<AccountStep> =>
  fc.record({ do: fc.constant("connectAccount"), account: which, tenant: by, login });
const connectTo = (who: number, by: number) => connect(fc.constant(who), fc.constant(by));
const disconnect = (who: number): fc.Arbitrary<AccountStep> => fc.constant({ do: "disconnectAccount", account: who });
const lose = (who: number): fc.Arbitrary<AccountStep> => fc.constant({ do: "loseSubscription", account: who });
const callback: fc.Arbitrary<AccountStep> = fc.record({ do: fc.constantFrom("deauthorize", "deleteData"), login });
const erase = (who: number): fc.Arbitrary<AccountStep> =>
  customersOf(who).map((number) => ({ do: "eraseCustomer", customer: number }));
const limit: fc.Arbitrary<AccountStep> = fc.record({
  do: fc.constant("limitHistory"),
  millis: fc.constantFrom(5 * MINUTE, 30 * MINUTE, HOUR, 5 * HOUR),
});

const outage: fc.Arbitrary<AccountStep> = fc.record({
  do: fc.constant("outage"),
  service: fc.constantFrom(...outServices),
  millis: fc.constantFrom(5 * MINUTE, 10 * MINUTE, 20 * MINUTE, HOUR, 5 * HOUR),
});

const functions: readonly FunctionName[] = [
  "account",
  "account",
  "connect",
  "ingest",
  "ingest",
  "api",
  "sweep",
  "deliver",
];
const trouble = (...names: readonly FunctionName[]) =>
  fc.record({
    do: fc.constant("trouble" as const),
    name: fc.constantFrom(...names),
    call: fc.nat({ max: 20 }),
    kind: fc.constantFrom(...troubleKinds),
    millis: fc.constantFrom(5 * SECOND, 15 * SECOND, 40 * SECOND, 3 * MINUTE),
  });
const stale = fc.record({
  do: fc.constant("stale" as const),
  source: fc.constantFrom("base", "GS1", "all"),
  writes: fc.nat({ max: 8 }),
});
const again = fc.record({
  do: fc.constant("again" as const),
  queue: fc.constantFrom<QueueId>("Accounts", "Inbound", "Events"),
  when: fc.constantFrom("running", "afterwards"),
});
const watch = fc.record({ do: fc.constant("watch" as const), person: fc.constantFrom(0, 3) });
const moment = wait(SECOND, 5 * SECOND, 30 * SECOND, MINUTE);
/** Around the wait until another tenant may connect an account. */
const release = wait(90 * SECOND, 125 * SECOND, 125 * SECOND, 3 * MINUTE, 5 * MINUTE);
const long = wait(20 * MINUTE, 2 * HOUR, 6 * HOUR, DAY);

const single: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: writes(customer) },
  { weight: 2, arbitrary: manyWrite },
  { weight: 2, arbitrary: lateWebhook },
  { weight: 4, arbitrary: connect(account) },
  { weight: 2, arbitrary: account.chain(disconnect) },
  { weight: 2, arbitrary: account.chain(lose) },
  { weight: 2, arbitrary: callback },
  { weight: 1, arbitrary: account.chain(erase) },
  { weight: 1, arbitrary: limit },
  { weight: 2, arbitrary: outage },
  { weight: 1, arbitrary: watch },
  { weight: 2, arbitrary: moment },
  { weight: 2, arbitrary: release },
  { weight: 3, arbitrary: long },
  { weight: 6, arbitrary: trouble(...functions) },
  { weight: 1, arbitrary: stale },
  { weight: 1, arbitrary: again },
  { weight: 1, arbitrary: bury("Inbound", "Accounts", "Events") },
  { weight: 1, arbitrary: redrive },
  { weight: 1, arbitrary: failing },
);

const episode: fc.Arbitrary<Paced[]> = account.chain((who) =>
  fc.oneof(
    // An account goes to the other tenant, and then its subscription is lost.
    at(
      connectTo(who, 0),
      writesTo(who),
      disconnect(who),
      release,
      connectTo(who, 1),
      long,
      lose(who),
      writesTo(who),
      long,
    ),
    // A webhook waits while its account goes to the other tenant.
    at(
      connectTo(who, 0),
      trouble("ingest"),
      writesTo(who),
      moment,
      disconnect(who),
      release,
      connectTo(who, 1),
      moment,
    ),
    at(connectTo(who, 0), trouble("ingest"), writesTo(who), disconnect(who), writesTo(who), release, long),
    // Each account of the page misses messages while the subscription is lost.
    at(
      connectTo(0, 0),
      connectTo(1, 1),
      long,
      lose(0),
      writesTo(0),
      writesTo(1),
      trouble("account"),
      long,
      writesTo(who),
    ),
    at(connectTo(0, 0), connectTo(1, 0), lose(1), writesTo(0), writesTo(1), connectTo(1, 0), trouble("account"), long),
    at(connectTo(who, 0), lose(who), writesTo(who), trouble("connect"), connectTo(who, 0), moment, writesTo(who), long),
    at(connectTo(who, 0), long, lose(who), writesTo(who), limit, long, connectTo(who, 0), moment, writesTo(who), long),
    // A person removes the app, and somebody connects the account again.
    at(
      connectTo(who, 0),
      writesTo(who),
      trouble("account", "connect"),
      callback,
      moment,
      connectTo(who, 0),
      writesTo(who),
      long,
    ),
    at(
      connectTo(who, 0),
      connectTo(who, 0),
      writesTo(who),
      callback,
      writesTo(who),
      release,
      connectTo(who, 1),
      writesTo(who),
    ),
    at(connectTo(who, 0), writesTo(who), trouble("account", "connect", "sweep"), callback, long, callback, long),
    // An outage, with messages and other requests in it.
    at(connectTo(who, 0), outage, writesTo(who), moment, writesTo(who), long, writesTo(who)),
    at(connectTo(who, 0), writesTo(who), outage, manyWrite, long, callback, long),
    at(connectTo(who, 0), writesTo(who), callback, moment, outage, long, callback, long),
    at(connectTo(who, 0), writesTo(who), outage, disconnect(who), release, connectTo(who, 1), long, writesTo(who)),
    at(connectTo(who, 0), long, lose(who), writesTo(who), outage, long, writesTo(who), long),
    // A disconnection meets a connection.
    at(
      connectTo(who, 0),
      trouble("api", "account"),
      disconnect(who),
      connectTo(who, 0),
      writesTo(who),
      moment,
      writesTo(who),
    ),
    at(connectTo(who, 0), long, lose(who), trouble("account"), disconnect(who), long, connectTo(who, 0), writesTo(who)),
  ),
);

/** Histories of up to so many parts. */
export function accountHistories(length: number): fc.Arbitrary<History> {
  const part = fc.oneof(
    { weight: 3, arbitrary: paced(single).map((step) => [step]) },
    { weight: 1, arbitrary: episode },
  );
  return fc.record({
    kind: fc.constant("accounts" as const),
    seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    steps: fc
      .tuple(
        paced(connect(account, fc.constant(0))),
        paced(connect(account)),
        fc.array(part, { minLength: 3, maxLength: length, size: "max" }),
      )
      .map(([first, second, parts]) => [first, second, ...parts.flat()]),
  });
}
