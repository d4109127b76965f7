export type Read = () => unknown;

const ROUNDS = 5;
/** A round takes at least this long, so that the clock of the CPU is fine enough. */
const ROUND_MICROS = 300;

/**
 * How often the CPU of the second read the first takes. Both are measured in turn, and the fastest round of each counts:
 * other work on the machine can only add to it. A ratio over the limit is measured for longer, because a pause for
 * garbage may fall into every round of one of them.
 */
export function cpuRatio(measured: Read, reference: Read, limit: number): number {
  const repeats = { measured: repeatsPerRound(measured), reference: repeatsPerRound(reference) };
  const fastest = { measured: Number.POSITIVE_INFINITY, reference: Number.POSITIVE_INFINITY };
  for (let round = 1; round <= 4 * ROUNDS; round++) {
    fastest.measured = Math.min(fastest.measured, microsPerRead(measured, repeats.measured));
    fastest.reference = Math.min(fastest.reference, microsPerRead(reference, repeats.reference));
    if (round % ROUNDS === 0 && fastest.measured <= limit * fastest.reference) break;
  }
  return fastest.measured / fastest.reference;
}

function repeatsPerRound(read: Read): number {
  let repeats = 1;
  while (microsPerRead(read, repeats) * repeats < ROUND_MICROS) repeats *= 4;
  return repeats;
}

/** Microseconds of the process's CPU. */
export function microsPerRead(read: Read, repeats: number): number {
  const before = process.cpuUsage();
  for (let i = 0; i < repeats; i++) read();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / repeats;
}
