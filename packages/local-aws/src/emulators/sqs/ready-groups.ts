import type { NoisyGroups } from "./noisy-groups.ts";
import { type ReadyEntry, ReadyList } from "./ready-list.ts";

/** The messages that are ready for delivery, by message group. Messages without a group are served in order of arrival. */
export class ReadyGroups {
  readonly #lists = new Map<string | null, ReadyList>();

  push(group: string | null, entry: ReadyEntry): void {
    const list = this.#lists.get(group) ?? new ReadyList();
    this.#lists.set(group, list);
    list.push(entry);
  }

  /** The groups with a message. Drops entries that are not current. */
  waiting(isCurrent: (entry: ReadyEntry) => boolean): Set<string | null> {
    for (const [group, list] of this.#lists) {
      for (let first = list.first(); first && !isCurrent(first); first = list.first()) list.shift(null);
      if (!list.first()) this.#lists.delete(group);
    }
    return new Set(this.#lists.keys());
  }

  /**
   * Takes the message that arrived first, of the quiet groups before the noisy ones, and of the noisy group with the
   * fewest messages in flight. With `random`, a number in [0, 1), takes any message of such a group.
   */
  shift(noisy: NoisyGroups, random: (() => number) | null): ReadyEntry | undefined {
    const inFlightIfNoisy = (group: string | null): number =>
      group !== null && noisy.isNoisy(group) ? noisy.inFlight(group) : 0;
    const fewest = Math.min(...[...this.#lists.keys()].map(inFlightIfNoisy));
    const lists = [...this.#lists].filter(([group]) => inFlightIfNoisy(group) === fewest).map(([, list]) => list);
    if (random) return lists[Math.floor(random() * lists.length)]?.shift(random);
    const [oldest] = lists.sort((a, b) => (a.first()?.epoch ?? 0) - (b.first()?.epoch ?? 0));
    return oldest?.shift(null);
  }
}
