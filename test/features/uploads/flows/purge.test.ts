import { expect, it } from "vitest";
import { DAY, HOUR } from "#base/kernel/time.ts";
import { purgeUploads } from "#features/uploads/flows/purge.ts";
import { copyKey, newUploadId, postedKey } from "#features/uploads/rules/uploads.ts";

const NOW = Date.UTC(2026, 10, 22, 20);
const [OLD, NEW] = [NOW - DAY, NOW - HOUR];

/** Pages of two keys. */
function openFiles(keys: readonly string[], refuses: { readonly list?: string; readonly key?: string }) {
  const left = new Set(keys);
  const list = async (prefix: string, after: string | null) => {
    if (prefix === refuses.list) throw new Error("injected: the listing failed");
    const rest = [...left].filter((key) => key.startsWith(prefix) && key > (after ?? "")).sort();
    return { keys: rest.slice(0, 2), next: rest.length > 2 ? (rest[1] ?? null) : null };
  };
  const removeAll = async (page: readonly string[]) => {
    for (const key of page) if (key !== refuses.key) left.delete(key);
    if (page.some((key) => key === refuses.key)) throw new Error("injected: a file stays");
  };
  return { left, list, removeAll };
}

const ids = Array.from({ length: 20 }, () => newUploadId(OLD)).sort();
const [first = ""] = ids;
const newId = newUploadId(NEW);
const keys = [...ids, newId].flatMap((id) => [postedKey(id), copyKey({ id, random: "random", name: `${id}.png` })]);
const copies = (id: string) => keys.filter((key) => key.startsWith("h/") && key.includes(id));

it.each([
  ["a file cannot be deleted", { key: postedKey(first) }, [postedKey(first)], "a file stays"],
  ["the posted files cannot be listed", { list: "u/" }, ids.map(postedKey), "the listing failed"],
])("a purge deletes what else is due, and fails, although %s", async (_name, refuses, stays, message) => {
  const files = openFiles(keys, refuses);
  const lines: object[] = [];
  const ports = { uploadFiles: files, log: (line: object) => void lines.push(line) };
  await expect(purgeUploads(ports, NOW, () => true)).rejects.toThrow(message);
  expect([...files.left].sort()).toEqual([...stays, postedKey(newId), ...copies(newId)].sort());
  expect(lines).toEqual([]);
});
