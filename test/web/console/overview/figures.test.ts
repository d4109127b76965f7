import { expect, it } from "vitest";
import { answeredInTime, sumAnswers } from "../../../../web/console/overview/answers.ts";
import { summarizeWaiting } from "../../../../web/console/overview/waiting.ts";
import { conversation } from "../data/conversations.ts";
import { emptyHours, NO_ANSWERS } from "./stats.ts";

const NOW = Date.parse("2026-11-29T12:00:00Z");
const HOUR = 3_600_000;

it("who wrote first waits longest, and a window of less than two hours closes", () => {
  const wrote = (id: string, hoursAgo: number, waitingHours = hoursAgo) =>
    conversation(
      id,
      { inbound: NOW - hoursAgo * HOUR },
      { waiting_since: new Date(NOW - waitingHours * HOUR).toISOString() },
    );
  const waiting = [wrote("new", 1), wrote("closing", 22.5), wrote("again", 3, 30), wrote("person", 26)];
  expect(summarizeWaiting(waiting, NOW)).toEqual({
    closing: 1,
    longest: { conversation: waiting[2], waitedMs: 30 * HOUR },
    overDay: 2,
  });
  expect(summarizeWaiting([], NOW)).toEqual({ closing: 0, longest: null, overDay: 0 });
});

it("a clock that is behind shows no wait below zero", () => {
  const ahead = conversation("ahead", { inbound: NOW + 5_000 });
  expect(summarizeWaiting([ahead], NOW).longest?.waitedMs).toBe(0);
});

it("the answers of all hours add up, and half of them were given within the time of the middle one", () => {
  const hours = emptyHours(NOW);
  const [first, second] = hours;
  Object.assign(first ?? {}, { answers: { ...NO_ANSWERS, within_5_minutes: 12, within_15_minutes: 6, later: 1 } });
  Object.assign(second ?? {}, { answers: { ...NO_ANSWERS, within_15_minutes: 3, within_1_hour: 16 } });
  const answers = sumAnswers(hours);
  expect(answers).toMatchObject({ all: 38, inTime: 37, half: "within_15_minutes" });
  expect(answers.counts.within_15_minutes).toBe(9);
  expect(sumAnswers(emptyHours(NOW))).toMatchObject({ all: 0, half: null });
  const onlyLate = emptyHours(NOW);
  Object.assign(onlyLate[0] ?? {}, { answers: { ...NO_ANSWERS, later: 2 } });
  expect(sumAnswers(onlyLate).half).toBe("later");
});

it("people who have waited for over a day lower the share that was answered in time", () => {
  const answers = { counts: NO_ANSWERS, all: 38, inTime: 37, half: null };
  expect(answeredInTime(answers, 3)).toEqual({ inTime: 37, due: 41, share: 37 / 41 });
  // While not all who wait are known, only the answers count.
  expect(answeredInTime(answers, null)).toEqual({ inTime: 37, due: 38, share: 37 / 38 });
  expect(answeredInTime({ ...answers, all: 0, inTime: 0 }, 0).share).toBeNull();
  expect(answeredInTime({ ...answers, all: 0, inTime: 0 }, 2).share).toBe(0);
});
