import { expect, it } from "vitest";
import { accountsPath, inboxPath, parsePath, sidePath } from "../../../web/console/paths.ts";

const CONVERSATION = "CONV#acme#instagram#17841400000000000#9930000000000001";

it("a conversation has a path without an escaped sign, and the path is read as the same conversation", () => {
  const path = inboxPath("acme", CONVERSATION);
  expect(path).toBe("/app/acme/inbox/instagram/17841400000000000/9930000000000001");
  expect(parsePath(path)).toEqual({ page: "inbox", tenant: "acme", conversation: CONVERSATION });
});

it("every page has a path of its own", () => {
  expect(parsePath("/app")).toEqual({ page: "start" });
  expect(parsePath("/app/")).toEqual({ page: "start" });
  expect(parsePath("/app/acme")).toEqual({ page: "inbox", tenant: "acme", conversation: null });
  expect(parsePath(inboxPath("acme"))).toEqual({ page: "inbox", tenant: "acme", conversation: null });
  expect(parsePath(accountsPath("acme"))).toEqual({ page: "accounts", tenant: "acme" });
  for (const page of ["overview", "waiting", "keys", "team", "audit"] as const) {
    expect(parsePath(sidePath("acme", page))).toEqual({ page, tenant: "acme" });
  }
  for (const ids of [[], ["end/1"], ["end/1", "dlv_1"]]) {
    expect(parsePath(sidePath("acme", "webhooks", ...ids))).toEqual({ page: "webhooks", tenant: "acme", ids });
  }
});

it.each([
  "/other",
  "/app/acme/unknown",
  "/app/acme/keys/1",
  "/app/acme/webhooks/1/2/3",
  "/app/acme/webhooks/%E0%A4%A",
  "/app/acme/inbox/telegram/1/2",
  "/app/acme/inbox/instagram/1",
  "/app/acme/inbox/instagram/1/2/3",
  "/app/acme/inbox/instagram/1/%E0%A4%A",
  "/app/acme/inbox/instagram/1/a%20b",
])("%s is the path of no page", (path) => {
  expect(parsePath(path)).toEqual({ page: "unknown" });
});
