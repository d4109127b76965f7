import fc from "fast-check";
import { expect, test } from "vitest";
import { InterimResponses } from "#base/net/responses.ts";

const FINAL = "HTTP/1.1 200 OK\r\nContent-Length: 31\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nin a body";

/** What remains of a response that comes in chunks of these sizes, and then byte by byte. */
function remaining(response: string, sizes: readonly number[] = []): string {
  const interim = new InterimResponses();
  return receive(interim, response, sizes);
}

function receive(interim: InterimResponses, response: string, sizes: readonly number[]): string {
  let rest = Buffer.from(response, "latin1");
  const passed: Buffer[] = [];
  for (const size of [...sizes, ...Array.from(response, () => 1)]) {
    passed.push(interim.remove(rest.subarray(0, size)));
    rest = rest.subarray(size);
  }
  return Buffer.concat(passed).toString("latin1");
}

const interimResponse = fc
  .record({
    status: fc.integer({ min: 100, max: 199 }).filter((status) => status !== 101),
    reason: fc.constantFrom("", " Continue", " Early Hints"),
    headers: fc.array(fc.constantFrom("Link: </a.css>", "X-Empty:", "HTTP/1.1 200 OK"), { maxLength: 3 }),
    blankLines: fc.constantFrom("", "\r\n", "\r\n\r\n", "\n"),
  })
  .map(({ status, reason, headers, blankLines }) =>
    [`${blankLines}HTTP/1.1 ${status}${reason}`, ...headers, "", ""].join("\r\n"),
  );

test("any number of interim responses, split anywhere, leaves the final response unchanged", () => {
  fc.assert(
    fc.property(
      fc.array(interimResponse, { maxLength: 4 }),
      fc.array(fc.integer({ min: 1, max: 80 })),
      (interim, sizes) => {
        expect(remaining(`${interim.join("")}${FINAL}`, sizes)).toBe(FINAL);
      },
    ),
  );
});

test.each([
  "HTTP/1.1 101 Switching Protocols\r\n\r\n",
  "HTTP/1.1 1xx\r\n\r\n",
  "HTTP/2 100\r\n\r\n",
  "SSH-2.0-x\r\n",
  "H",
  "Hi",
])("%j is no interim response and goes to the parser", (response) => {
  // Further bytes decide what the first one leaves open.
  expect(remaining(`${response}${" ".repeat(12)}`)).toBe(`${response}${" ".repeat(12)}`);
});

test("bytes that cannot start a response go to the parser at once", () => {
  expect(new InterimResponses().remove(Buffer.from("no")).toString()).toBe("no");
});

test("the next response on the connection may have interim responses, too", () => {
  const interim = new InterimResponses();
  const response = `HTTP/1.1 100 Continue\r\n\r\n${FINAL}`;
  expect(receive(interim, response, [])).toBe(FINAL);
  interim.restart();
  expect(receive(interim, response, [])).toBe(FINAL);
});
