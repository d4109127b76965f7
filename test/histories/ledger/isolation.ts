import type { TenantId } from "#base/kernel/tenant.ts";
import { findPerson } from "../world/people.ts";
import { type Evidence, wordsIn } from "./evidence.ts";

/** The words of each tenant: of the people who write to it and of its agents. */
export function owners({ messages, sends }: Evidence): Map<string, TenantId> {
  return new Map([...messages, ...sends].map(({ text, person }) => [text, findPerson(person).account.tenant]));
}

/** Nothing of one tenant is in the events, the reads, the rows or the sends of another, and no caller gets there. */
export function judgeIsolation(evidence: Evidence): string[] {
  const { posts, items, reads, calls, endpoints, trespasses } = evidence;
  const ownerOf = owners(evidence);
  const foreign = (words: readonly string[], tenant: string | undefined, place: () => string): string[] =>
    tenant === undefined
      ? []
      : words.filter((word) => ownerOf.get(word) !== tenant).map((word) => `${word} is in ${place()} of ${tenant}`);
  const tenantOf = new Map(endpoints.map(({ id, tenant }) => [id, tenant]));
  return [
    ...posts.flatMap((post) =>
      foreign(
        wordsIn(post, () => post.body),
        tenantOf.get(post.endpointId),
        () => "a post",
      ),
    ),
    ...items.flatMap((item) => {
      const [tenant] = /tenant-[ab]/.exec(`${item.PK} ${item.SK}`) ?? [];
      return foreign(wordsIn(item), tenant, () => `the row ${item.PK} ${item.SK}`);
    }),
    ...reads.flatMap((read) => foreign(wordsIn(read), read.tenant, () => "a read")),
    ...calls.flatMap((call) => {
      const tenant = call.person.startsWith("person-") ? findPerson(call.person).account.tenant : "unknown";
      return foreign([call.text], tenant, () => "a send");
    }),
    ...trespasses.flatMap(({ name, response }) =>
      response.status < 400 ? [`${name} was answered ${response.status}`] : [],
    ),
  ];
}

/** A send of a test key never reaches the platform, the conversation's head or a read without test messages. */
export function judgeTestSends({ sends, calls, items, reads }: Evidence): string[] {
  const tests = sends.filter(({ scope }) => scope === "test");
  if (tests.length === 0) return [];
  const heads = items.filter(({ SK }) => SK === "~HEAD");
  return tests.flatMap(({ text, response }) => {
    const name = `the test send ${text}`;
    const id: string = response?.status === 200 ? response.body.data.platform_message_id : "mock_mid_";
    return [
      ...(calls.some((call) => call.text === text) ? [`${name} reached the platform`] : []),
      ...(heads.some((head) => wordsIn(head).includes(text)) ? [`${name} is on its conversation's head`] : []),
      ...(reads.some((read) => wordsIn(read).includes(text)) ? [`${name} is in a read of live messages`] : []),
      ...(id.startsWith("mock_mid_") ? [] : [`${name} was answered 200 with ${id}`]),
    ];
  });
}
