import fc from "fast-check";
import { expect, test } from "vitest";
import { DueHeap } from "#local-aws/emulators/sqs/heap.ts";
import { ReadyList } from "#local-aws/emulators/sqs/ready-list.ts";

const timer = (at: number, epoch = 0) => ({ at, id: "m", epoch });

function drain(heap: DueHeap): number[] {
  const order: number[] = [];
  for (let item = heap.pop(); item; item = heap.pop()) order.push(item.at);
  return order;
}

test("timers are returned by time, in any order of insertion", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), (times) => {
      const heap = new DueHeap();
      for (const at of times) heap.push(timer(at));
      expect(heap.first()?.at).toBe(times.length > 0 ? Math.min(...times) : undefined);
      expect(drain(heap)).toEqual(times.toSorted((a, b) => a - b));
    }),
  );
});

test("timers that are not retained are removed, and the others stay in order", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), (times) => {
      const heap = new DueHeap();
      for (const at of times) heap.push(timer(at));
      heap.retain((item) => item.at % 2 === 0);
      expect(drain(heap)).toEqual(times.filter((at) => at % 2 === 0).toSorted((a, b) => a - b));
    }),
  );
});

test("the ready list returns every entry once: in order, or in random order", () => {
  const draw = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.nat(2_500), fc.option(draw), (count, seed) => {
      const list = new ReadyList();
      const pushed = Array.from({ length: count }, (_, epoch) => epoch);
      for (const epoch of pushed) list.push({ id: "m", epoch });
      const random = seed === null ? null : () => seed;
      const order: number[] = [];
      for (let entry = list.shift(random); entry; entry = list.shift(random)) order.push(entry.epoch);
      expect(random ? order.toSorted((a, b) => a - b) : order).toEqual(pushed);
    }),
    { numRuns: 30 },
  );
});
