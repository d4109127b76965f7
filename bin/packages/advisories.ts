import type { LockedPackage } from "./lock-file.ts";

/** An advisory that is accepted for a time. */
export interface AdvisoryException {
  /** Such as `GHSA-jf85-cpcp-j695`. */
  readonly advisory: string;
  /** The package that the advisory is about. */
  readonly package: string;
  /** Why it does no harm here, and what is awaited. */
  readonly reason: string;
  /** The last day of the exception in UTC: `2027-01-31`. */
  readonly until: string;
}

/** An advisory about an installed package. */
export interface Advisory {
  readonly id: string;
  readonly package: string;
  readonly severity: string;
  readonly title: string;
}

const DAY_MS = 86_400_000;
const LONGEST_DAYS = 180;
const SHORTEST_REASON = 40;

/** What is wrong with the form or the date of the exceptions. */
export function exceptionProblems(exceptions: unknown, packages: readonly LockedPackage[], now: number): string[] {
  if (!Array.isArray(exceptions)) return ["The exceptions are no list."];
  const identities = exceptions.map((entry) => `${entry?.advisory} ${entry?.package}`);
  return exceptions.flatMap((entry: Partial<Record<string, unknown>>, index) => {
    const name = `Exception ${index + 1} (${entry?.advisory})`;
    const problems = [
      ...formProblems(entry, packages),
      ...(identities.indexOf(identities[index] as string) < index ? ["is there twice."] : []),
      ...dateProblems(entry?.until, now),
    ];
    return problems.map((problem) => `${name} ${problem}`);
  });
}

function formProblems(entry: Partial<Record<string, unknown>>, packages: readonly LockedPackage[]): string[] {
  const { advisory, package: name, reason } = entry ?? {};
  const fields = Object.keys(entry ?? {}).sort();
  return [
    ...(fields.join() === "advisory,package,reason,until" ? [] : ["needs advisory, package, reason, until alone."]),
    ...(/^GHSA(-[0-9a-z]{4}){3}$/.test(String(advisory)) ? [] : ["needs an advisory like GHSA-jf85-cpcp-j695."]),
    ...(packages.some((entry) => entry.name === name) ? [] : [`is about ${name}, which is not in the lock file.`]),
    ...(String(reason ?? "").length >= SHORTEST_REASON ? [] : [`needs a reason of ${SHORTEST_REASON} characters.`]),
  ];
}

function dateProblems(until: unknown, now: number): string[] {
  const lastDay = /^\d{4}-\d\d-\d\d$/.test(String(until)) ? Date.parse(`${until}T00:00:00Z`) : Number.NaN;
  // A day that no month has, such as February 30.
  if (Number.isNaN(lastDay) || !new Date(lastDay).toISOString().startsWith(String(until))) {
    return ["needs a date until, such as 2027-01-31."];
  }
  if (lastDay + DAY_MS <= now) return [`ended on ${until}. Update the package, or argue the exception again.`];
  if (lastDay > now + LONGEST_DAYS * DAY_MS) return [`ends later than in ${LONGEST_DAYS} days.`];
  return [];
}

/** The advisories in the answer of `npm audit --json`. Null if it is no such answer: the registry gave none. */
export function readAdvisories(answer: unknown): readonly Advisory[] | null {
  const { vulnerabilities } = (answer ?? {}) as { readonly vulnerabilities?: Readonly<Record<string, Vulnerability>> };
  if (typeof vulnerabilities !== "object") return null;
  const advisories = Object.values(vulnerabilities)
    .flatMap(({ via }) => via)
    // A name stands for the advisories of that package.
    .filter((source) => typeof source === "object")
    .map(({ url, name, severity, title }) => ({
      id: url.slice(url.lastIndexOf("/") + 1),
      package: name,
      severity,
      title,
    }));
  return [...new Map(advisories.map((entry) => [`${entry.id} ${entry.package}`, entry])).values()];
}

interface Vulnerability {
  readonly via: readonly (string | { readonly [Field in "url" | "name" | "severity" | "title"]: string })[];
}

/** What the advisories and the exceptions have not in common. */
export function advisoryProblems(advisories: readonly Advisory[], exceptions: readonly AdvisoryException[]): string[] {
  const isAbout = (exception: AdvisoryException, advisory: Advisory) =>
    exception.advisory === advisory.id && exception.package === advisory.package;
  return [
    ...advisories
      .filter((advisory) => !exceptions.some((exception) => isAbout(exception, advisory)))
      .map(({ id, package: name, severity, title }) => `${name}: ${title} (${severity}, ${id}). Update the package.`),
    ...exceptions
      .filter((exception) => !advisories.some((advisory) => isAbout(exception, advisory)))
      .map(({ advisory, package: name }) => `${name}: ${advisory} is no longer reported. Remove its exception.`),
  ];
}
