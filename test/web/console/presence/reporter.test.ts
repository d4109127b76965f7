import { expect, it } from "vitest";
import { PresenceReporter } from "../../../../web/console/presence/reporter.ts";

const MINUTE = 60_000;

/** A reporter with a clock, and what it reported. `+` marks what it repeated for a colleague. */
function reporterAt(view: Partial<Parameters<PresenceReporter["show"]>[0]> = {}) {
  let now = 1_000;
  const reports: string[] = [];
  const reporter = new PresenceReporter({
    report: (conversation, state) => void reports.push(`${conversation} ${state}`),
    repeat: ({ conversation, state }) => void reports.push(`+${conversation} ${state}`),
    now: () => now,
  });
  const shown = { open: "a", isVisible: true, hasColleagues: true, ...view };
  reporter.show(shown);
  return {
    reporter,
    show: (change: Partial<typeof shown>) => reporter.show(Object.assign(shown, change)),
    after: (ms: number) => {
      now += ms;
      reporter.update();
    },
    pass: (ms: number) => {
      now += ms;
    },
    /** What was reported since the last call; a state that follows itself once. */
    reports: () => reports.splice(0).filter((each, index, all) => each !== all[index - 1]),
  };
}

it("the open conversation is reported as read, and left when another one opens or none", () => {
  const { show, reports } = reporterAt();
  expect(reports()).toEqual(["a reading"]);
  show({ open: "b" });
  expect(reports()).toEqual(["a left", "b reading"]);
  show({ open: null });
  expect(reports()).toEqual(["b left"]);
  show({ open: null });
  expect(reports()).toEqual([]);
});

it("a hidden page has left, and reads again when it is shown", () => {
  const { show, reports, after } = reporterAt();
  reports();
  show({ isVisible: false });
  after(MINUTE);
  expect(reports()).toEqual(["a left"]);
  show({ isVisible: true });
  expect(reports()).toEqual(["a reading"]);
});

it("typing is reported as writing until eight seconds after the last letter, or until the text is sent", () => {
  const { reporter, after, reports } = reporterAt();
  reports();
  reporter.write("a", true);
  after(7_999);
  expect(reports()).toEqual(["a writing"]);
  reporter.write("a", true);
  after(5_000);
  expect(reports()).toEqual(["a writing"]);
  after(3_000);
  expect(reports()).toEqual(["a reading"]);
  reporter.write("a", true);
  reporter.write("a", false);
  expect(reports()).toEqual(["a writing", "a reading"]);
});

it("a text that was being written in another conversation is not reported of the one that is open", () => {
  const { reporter, show, reports } = reporterAt();
  reports();
  reporter.write("a", true);
  show({ open: "b" });
  expect(reports()).toEqual(["a writing", "a left", "b reading"]);
  reporter.write("a", true);
  expect(reports()).toEqual(["b reading"]);
});

it("a person who touches nothing for five minutes has left, and the next touch reads again", () => {
  const { reporter, after, reports } = reporterAt();
  reports();
  after(4 * MINUTE);
  reporter.touch();
  after(4 * MINUTE);
  expect(reports()).toEqual(["a reading"]);
  after(MINUTE);
  after(MINUTE);
  expect(reports()).toEqual(["a left"]);
  reporter.touch();
  expect(reports()).toEqual(["a reading"]);
});

it("nothing is reported in a workspace without colleagues, or while nothing is open", () => {
  const { show, after, reports, reporter } = reporterAt({ hasColleagues: false });
  reporter.write("a", true);
  after(MINUTE);
  expect(reports()).toEqual([]);
  show({ hasColleagues: true });
  expect(reports()).toEqual(["a reading"]);
  expect(reporterAt({ open: null }).reports()).toEqual([]);
});

it("a colleague who opens the same conversation learns at once who is there, and several learn it together", () => {
  const { reporter, pass, reports } = reporterAt();
  reports();
  pass(4_999);
  reporter.greet("a");
  expect(reports()).toEqual([]);
  pass(1);
  reporter.greet("b");
  reporter.greet("a");
  pass(4_000);
  reporter.greet("a");
  expect(reports()).toEqual(["+a reading"]);
  pass(1_000);
  reporter.greet("a");
  expect(reports()).toEqual(["+a reading"]);
});
