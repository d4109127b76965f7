import { expect, it } from "vitest";
import { computeBill, messageUnits, type PriceName, readPrices } from "../../bin/bill/bill.ts";
import { billPage, idleBill } from "../../bin/bill/page.ts";
import { readTableCosts } from "../../bin/bill/table-counts.ts";
import { readTemplateCounts } from "../../bin/bill/template-counts.ts";
import { readPage } from "../docs/markdown.ts";

/** Dollars in a month. */
const IDLE_MAX = 5;

const template = readTemplateCounts();
const oneQueue = readTemplateCounts({ "parley:deadLetterQueues": "one" });
const costs = readTableCosts();
const prices = readPrices();
const billOf = (messages: number, batch = 1, sockets = 0) =>
  computeBill({ messages, batch, sockets }, template, costs, prices);
const quantityOf = (name: PriceName, ...load: Parameters<typeof billOf>) =>
  billOf(...load).lines.find((line) => line.name === name)?.quantity;

it("the page of the bill is what the prices, the units and the templates give", () => {
  expect(readPage("docs/operate/bill.md"), "run npm run bill").toBe(billPage());
});

it("an idle deployment whose queues have one dead letter queue costs no more", () => {
  const one = idleBill(oneQueue);
  expect(one.list).toBeLessThanOrEqual(idleBill(template).list);
  expect(one.due).toBeGreaterThan(0);
});

it(`an idle deployment costs at most $${IDLE_MAX} a month, with all its alarms`, () => {
  const { due, list } = idleBill(template);
  expect(due).toBeLessThanOrEqual(IDLE_MAX);
  expect(due).toBeGreaterThan(0);
  expect(list).toBeGreaterThan(due);
});

it("a bill has the units of one message that the measured table of costs has", () => {
  const { inbound } = messageUnits(costs, 10);
  const measured = costs("… the account's tenant not cached");
  expect(inbound.wcu).toBeCloseTo(measured.wcu, 10);
  expect(inbound.rcu).toBeCloseTo(measured.rcu, 10);
});

it("a bill counts the polls of each queue that a function reads, also without a message", () => {
  // Five connections poll for 20 seconds each, all month. Every five minutes a check reads ten dead letter queues and counts the messages of five queues.
  expect(quantityOf("queueRequests", 0)).toBe((template.polledQueues * 5 * 30 * 86_400) / 20 + 30 * 288 * 15);
  const one = idleBill(oneQueue).lines.find(({ name }) => name === "queueRequests");
  expect(one?.quantity).toBe((10 * 5 * 30 * 86_400) / 20 + 30 * 288 * 6);
  expect(quantityOf("keyRequests", 0)).toBe(30 * 288);
  const more = computeBill(
    { messages: 0, batch: 1, sockets: 0 },
    { ...template, polledQueues: template.polledQueues + 1 },
    costs,
    prices,
  );
  expect(more.list - billOf(0).list).toBeCloseTo(0.2592, 6);
});

it("a bill counts the queue requests of a message that the measured table of costs has", () => {
  const requests = (quantityOf("queueRequests", 20, 10) ?? 0) - (quantityOf("queueRequests", 0) ?? 0);
  // Ten that arrive cost 1.5 each. Ten replies cost two sends each, of the event and of the echo, and 0.4.
  expect(requests).toBeCloseTo(10 * 1.5 + 10 * 2.4, 6);
});

it("a bill counts a secret once in five minutes of each process, and no more often than it is used", () => {
  const opened = (messages: number, batch = 1) => (quantityOf("keyRequests", messages, batch) ?? 0) - 30 * 288;
  const windows = 30 * 288;
  // Each of a thousand deliveries and five hundred replies finds it closed.
  expect(opened(1_000)).toBe(1_000 + 500);
  expect(opened(1_000_000)).toBe(2 * windows);
  // 205 ms of each delivery and 600 ms of each reply: 7.9 and 11.6 processes at once.
  const processes = (100e6 * 0.205 + 50e6 * 0.6) / (30 * 86_400);
  expect(opened(100e6)).toBeCloseTo(processes * windows, 6);
});

it("a bill leaves out what is free in a month, and no more than was used", () => {
  for (const messages of [0, 10_000, 1_000_000]) {
    for (const { name, quantity, list, due } of billOf(messages).lines) {
      const { dollars, per, free } = prices.prices[name];
      expect([name, list - due]).toEqual([name, expect.closeTo((Math.min(quantity, free) / per) * dollars, 6)]);
    }
  }
});

it("a bill counts the metrics of the alarms as docs/operate/monitoring.md does", () => {
  const metrics = quantityOf("alarms", 0);
  expect(readPage("docs/operate/monitoring.md")).toContain(
    `AWS bills an alarm by the metrics that it watches: ${metrics} metrics`,
  );
});

it("a bill counts the dashboard of the template, and a fourth one of an account is the first that is not free", () => {
  expect(quantityOf("dashboards", 0)).toBe(1);
  const dueWith = (dashboards: number) =>
    computeBill({ messages: 0, batch: 1, sockets: 0 }, { ...template, dashboards }, costs, prices).due;
  expect(dueWith(3)).toBe(dueWith(0));
  expect(dueWith(4) - dueWith(0)).toBeCloseTo(3, 6);
});

it("a bill uses each price of the table", () => {
  for (const { name, quantity } of billOf(1_000_000, 1, 1).lines) expect([name, quantity > 0]).toEqual([name, true]);
});

it("a pattern that the table of costs does not list stops the bill", () => {
  expect(() => costs("Store a massage")).toThrow("table-costs.md has 0 rows");
});
