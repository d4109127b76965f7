import { type Bill, computeBill, type Load, type PriceTable, readPrices } from "./bill.ts";
import { readTableCosts } from "./table-counts.ts";
import { readTemplateCounts, type TemplateCounts } from "./template-counts.ts";

const columns: readonly (Load & { readonly title: string })[] = [
  { title: "Idle", messages: 0, batch: 1, sockets: 0 },
  { title: "10 thousand", messages: 10_000, batch: 1, sockets: 1 },
  { title: "1 million", messages: 1_000_000, batch: 1, sockets: 1 },
  { title: "100 million", messages: 100_000_000, batch: 1, sockets: 1 },
  { title: "… in batches of ten", messages: 100_000_000, batch: 10, sockets: 1 },
];

/** The bill of a deployment with default settings that does nothing. */
export function idleBill(template: TemplateCounts = readTemplateCounts()): Bill {
  return computeBill({ messages: 0, batch: 1, sockets: 0 }, template, readTableCosts(), readPrices());
}

/** `docs/operate/bill.md`, from the price table, the counts of the table's units and the templates. */
export function billPage(): string {
  const table = readPrices();
  const template = readTemplateCounts();
  const costs = readTableCosts();
  const bills = columns.map((load) => computeBill(load, template, costs, table));
  return `# The bill

What AWS bills in a month, in dollars, at the list prices of ${table.region} on ${table.on}, for a deployment with default settings.
\`npm run bill\` computes this page from [the prices](../../bin/bill/prices.json), the [units of the table](../design/table-costs.md),
which are measured, and the templates. A test compares it. Other regions cost up to a half more.

Half of the messages arrive, half are replies through the API. One webhook endpoint gets both, and one console is open all the time.
Each message is alone in its batch, as it is at a low rate; the last column is the same in batches of ten.

${tableOf(table, bills)}

- **List price** is the sum without what is free. **Sum** leaves out what is free each month in every account, also an old one,
  unless another program in it uses that: ${freeTexts(table)}.
- Without messages the queues are the largest line of the sum: Lambda polls each of the ${template.polledQueues} queues that a function reads with
  ${table.assumptions.pollersOfAQueue} connections, each for ${table.assumptions.secondsOfAPoll} seconds, and a maximum concurrency does not lower that.
  AWS documents [five batches at a time by long polls](https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html), but not how
  long. The [longest of SQS](https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/best-practices-setting-up-long-polling.html) is assumed. The other lines are ${template.alarmMetrics} metrics of alarms, ${template.secrets}
  secrets and ${template.keys === 1 ? "the key" : `${template.keys} keys`}. The dead letter queues are not polled: the sweep reads them every five minutes.
- Not counted: mails, uploaded files, custom metrics ($0.30 each in a month in which all hours have one; ten are free), logs of
  faults, [lookups of profiles](../design/table-costs.md#a-profile-fetch), one a day of each person who writes, and what the
  first message of a person costs [beyond a later one](../design/table-costs.md#a-message-from-webhook-to-receiver).
- The endpoint and the account belong to one tenant. A function opens a secret of each tenant again after
  ${table.assumptions.secondsOfAnOpenedSecret / 60} minutes: many tenants with few messages cost up to one request of KMS for each delivery and each reply.
- [Decision 79](../decisions/0079-a-message-has-a-price-by-its-parts.md) has the price of one message by its parts.

## Assumptions

What no measurement of the repository says is in \`assumptions\` of the price table: how long each function runs
(${Object.entries(table.assumptions.millisecondsOf)
    .map(
      ([name, { invocation, message }]) =>
        `\`${name}\` ${invocation} ms${message > 0 ? ` and ${message} ms for each message` : ""}`,
    )
    .join(", ")}), the bytes that are stored, logged and sent.
Change them to what your deployment shows, then run \`npm run bill\`.
`;
}

function tableOf({ prices }: PriceTable, bills: readonly Bill[]): string {
  const cells = (texts: readonly string[]) => `| ${texts.join(" | ")} |`;
  const rows = (bills[0]?.lines ?? []).map(({ name }, index) => {
    const { service, what } = prices[name];
    return cells([`${service}: ${what}`, ...bills.map(({ lines }) => money(lines[index]?.due ?? 0))]);
  });
  return [
    cells(["Messages in a month", ...columns.map(({ title }) => title)]),
    cells(["---", ...columns.map(() => "--:")]),
    ...rows,
    cells(["**Sum**", ...bills.map(({ due }) => `**${money(due)}**`)]),
    cells(["List price", ...bills.map(({ list }) => money(list))]),
  ].join("\n");
}

function freeTexts({ prices }: PriceTable): string {
  return Object.values(prices)
    .filter(({ free }) => free > 0)
    .map(({ service, what, free }) => `${free.toLocaleString("en-US")} ${what.replace(/,.*/, "")} (${service})`)
    .join(", ");
}

function money(dollars: number): string {
  return dollars.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}
