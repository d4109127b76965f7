import { tenantKey } from "#features/access/store/items.ts";
import type { TenantDeletion } from "../deeds.ts";
import { findPerson } from "../world/people.ts";
import type { Evidence, StoredItem } from "./evidence.ts";

/** Whether the operator asked to delete a tenant, at any time. */
export function mayBeDeleted({ deletions }: Pick<Evidence, "deletions">, tenant: string): boolean {
  return deletions.some((deletion) => deletion.tenant === tenant);
}

/** Once a deletion has ended, nothing is stored, sent or delivered for its tenant, and its keys are unknown. */
export function judgeDeletions(evidence: Evidence): string[] {
  return evidence.deletions.flatMap((deletion) => {
    const { tenant, endedAt } = deletion;
    if (endedAt === null) return [];
    const ids = new Set(evidence.endpoints.flatMap(({ id, tenant: of }) => (of === tenant ? [id] : [])));
    return [
      ...evidence.items
        .filter((item) => isAbout(item, deletion))
        .map((item) => `a row of the deleted ${tenant} is stored: ${JSON.stringify(item).slice(0, 300)}`),
      ...evidence.posts
        .filter(({ at, endpointId }) => at > endedAt && ids.has(endpointId))
        .map(({ at, type }) => `${type} was posted ${at - endedAt} ms after the deletion of ${tenant}`),
      ...evidence.calls
        .filter(({ at, person }) => at > endedAt && tenantOf(person) === tenant)
        .map(({ at, text }) => `${text} was sent ${at - endedAt} ms after the deletion of ${tenant}`),
      ...evidence.requests
        .filter(({ at, tenant: of, caller }) => at > endedAt && of === tenant && caller === "key")
        .flatMap(({ name, response }) =>
          !response || response.status === 401 || response.status >= 500
            ? []
            : [`${tenant} is deleted, and ${name} was answered ${response.status}`],
        ),
    ];
  });
}

/** Whether the row is the tenant's, and not the one that keeps the slug taken. */
function isAbout(item: StoredItem, { tenant }: TenantDeletion): boolean {
  const stone = tenantKey(tenant);
  return !(item.PK === stone.PK && item.SK === stone.SK) && textOf(item).includes(tenant);
}

const texts = new WeakMap<StoredItem, string>();

function textOf(item: StoredItem): string {
  const text = texts.get(item) ?? JSON.stringify(item, (_name, part) => (part instanceof Set ? [...part] : part));
  texts.set(item, text);
  return text;
}

function tenantOf(person: string): string | null {
  return person.startsWith("person-") ? findPerson(person).account.tenant : null;
}
