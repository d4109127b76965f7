import { createHmac } from "node:crypto";
import type { Browser } from "./access.ts";
import { type Scenario, seededAccount } from "./scenario.ts";

/** Accounts of the simulator that are connected by a login. */
const INSTAGRAM = "17841402200110044";
const PAGE = "106631254400117";

/** Logins of both platforms, and the end of a connection. */
export async function recordLogins(scenario: Scenario, { read, write }: Browser): Promise<void> {
  const { example, send, live } = scenario;
  const login = async (platform: string, start: string, decision: Record<string, string>) => {
    const started = await example(start, "A login", {
      path: `/oauth/${platform}/start?redirect=%2Faccounts`,
      // A link on a page of the API.
      headers: { ...read, "sec-fetch-site": "same-origin" },
    });
    const dialog = new URL(started.headers.get("location") ?? "");
    for (const [name, value] of Object.entries(decision)) dialog.searchParams.set(name, value);
    const consent = await fetch(dialog, { redirect: "manual" });
    const { pathname, search } = new URL(consent.headers.get("location") ?? "");
    const cookies = started.headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
    return { path: pathname + search, headers: { ...read, cookie: [read.cookie, ...cookies].join("; ") } };
  };
  await example("startInstagramLogin", null, {
    path: "/oauth/instagram/start",
    headers: { accept: "application/json" },
  });
  const instagram = await login("instagram", "startInstagramLogin", { sim_consent: "auto", sim_account: INSTAGRAM });
  const finished = { ...instagram, headers: { ...instagram.headers, accept: "application/json" } };
  await example("finishInstagramLogin", "A connected account", finished);
  await example("finishInstagramLogin", null, finished);

  for (const [operation, platform] of [
    ["createInstagramLogin", "instagram"],
    ["createMessengerLogin", "messenger"],
  ] as const) {
    const path = `/oauth/${platform}/start?redirect=%2Faccounts`;
    await example(operation, "A login that a script starts", { method: "POST", path, headers: write });
    await example(operation, null, { method: "POST", path, headers: read });
  }

  await example("startMessengerLogin", null, {
    path: "/oauth/messenger/start",
    headers: { accept: "application/json" },
  });
  const messenger = await login("messenger", "startMessengerLogin", { sim_consent: "auto" });
  const logged = { ...messenger, headers: { ...messenger.headers, accept: "application/json" } };
  await example("finishMessengerLogin", "A login whose pages can be chosen", logged);
  await example("finishMessengerLogin", null, logged);
  const path = "/oauth/messenger/pages";
  await example("listLoginPages", "The pages of a login", { path, headers: logged.headers });
  await example("listLoginPages", null, { path });
  const select = "/oauth/messenger/select";
  const headers = { ...write, ...logged.headers };
  await example("selectLoginPage", null, { path: select, headers, body: { page_id: "1", connect: ["messenger"] } });
  await example("selectLoginPage", "A page", {
    path: select,
    headers,
    body: { page_id: PAGE, connect: ["messenger"] },
  });

  const account = `/v1/accounts/${encodeURIComponent(`instagram#${INSTAGRAM}`)}`;
  await example("disconnectAccount", "An account", { method: "DELETE", path: account, headers: live });
  await example("disconnectAccount", null, { method: "DELETE", path: "/v1/accounts/instagram%231", headers: live });
  await send({ method: "DELETE", path: `/v1/accounts/${encodeURIComponent(`messenger#${PAGE}`)}`, headers: live });
}

/** Requests of the platforms: webhooks, and those about a person who withdraws their consent. */
export async function recordPlatformRequests(scenario: Scenario): Promise<void> {
  const { example, stack } = scenario;
  const { meta, verify_token } = stack.info.platform_secrets;
  const subscribe = new URLSearchParams({ "hub.mode": "subscribe", "hub.challenge": "1158201444" });
  const intake = "/webhooks/messenger";
  const verified = `${intake}?${subscribe}&hub.verify_token=${verify_token}`;
  await example("confirmPlatformSubscription", "The verify token of the app", { path: verified });
  await example("confirmPlatformSubscription", null, { path: `${intake}?${subscribe}&hub.verify_token=wrong` });
  const { id } = seededAccount(scenario, "messenger");
  const body = JSON.stringify({ object: "page", entry: [{ id, time: 1_772_445_600_000, messaging: [] }] });
  const signature = createHmac("sha256", meta).update(body).digest("hex");
  const json = { "content-type": "application/json" };
  const signed = { ...json, "x-hub-signature-256": `sha256=${signature}` };
  await example("receivePlatformWebhook", "A signed webhook", { method: "POST", path: intake, headers: signed, body });
  await example("receivePlatformWebhook", null, { method: "POST", path: intake, headers: json, body });

  const form = { "content-type": "application/x-www-form-urlencoded" };
  const payload = Buffer.from(JSON.stringify({ algorithm: "HMAC-SHA256", user_id: "10150000000000099" })).toString(
    "base64url",
  );
  const seal = createHmac("sha256", meta).update(payload).digest("base64url");
  const request = `signed_request=${seal}.${payload}`;
  for (const [operation, path, title] of [
    ["receiveDeauthorization", "/platform/deauthorize", "A person who removed the app"],
    ["requestDataDeletion", "/platform/data-deletion", "A person who requests the deletion of their data"],
  ] as const) {
    const answer = await example(operation, title, { method: "POST", path, headers: form, body: request });
    await example(operation, null, { method: "POST", path, headers: form, body: "signed_request=wrong" });
    if (operation === "requestDataDeletion") {
      const { pathname } = new URL(JSON.parse(answer.text).url);
      await example("getDataDeletionPage", "The page of a request", { path: pathname });
    }
  }
}
