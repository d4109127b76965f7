import { jsonResponse, type Respond } from "./fake-platform.ts";

export interface HostileAnswer {
  readonly name: string;
  readonly respond: Respond;
}

const BYTE_ORDER_MARK = "\uFEFF";
const good = {
  success: true,
  access_token: "IGAAfine",
  expires_in: 5_000,
  id: "1",
  user_id: "1",
  username: "ada",
  data: [],
  messages: { data: [] },
};

/** Answers that no call may take for a success. */
export const hostileAnswers: readonly HostileAnswer[] = [
  { name: "a byte order mark", respond: jsonResponse(200, `${BYTE_ORDER_MARK}${JSON.stringify(good)}`) },
  { name: "a megabyte", respond: jsonResponse(200, { ...good, more: "x".repeat(1024 * 1024) }) },
  { name: "HTML", respond: jsonResponse(200, "<html>ok</html>", { "content-type": "text/html" }) },
  { name: "HTML of a gateway", respond: jsonResponse(502, "<html>bad gateway</html>") },
  { name: "nothing", respond: jsonResponse(200, "") },
  { name: "null", respond: jsonResponse(200, "null") },
  { name: "a list", respond: jsonResponse(200, [good]) },
  { name: "an empty object", respond: jsonResponse(200, {}) },
  { name: "an error inside a 200", respond: jsonResponse(200, { ...good, error: { message: "No", code: 100 } }) },
  { name: "an error that is no object", respond: jsonResponse(400, { error: "invalid_request" }) },
  { name: "a 400 without an error", respond: jsonResponse(400, good) },
  { name: "a 500 that looks well", respond: jsonResponse(500, good) },
  { name: "a redirect", respond: jsonResponse(302, good, { location: "https://elsewhere.example/" }) },
  { name: "half an answer", respond: jsonResponse(200, '{"success":tru', { "content-length": "14" }) },
  { name: "deep nesting", respond: jsonResponse(200, "[".repeat(100_000)) },
  { name: "a broken connection", respond: (request) => request.socket.destroy() },
];
