const IDS_MAX = 4_096;

/** The ids of the last frames, to drop repeated ones. */
export class RecentIds {
  readonly #ids = new Set<string>();

  /** @returns whether the id is new among the last 4,096 */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > IDS_MAX) {
      const [oldest = ""] = this.#ids;
      this.#ids.delete(oldest);
    }
    return true;
  }
}
