import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { claimInvites } from "#features/access/flows/team/claim-invites.ts";
import { addressHashes } from "#features/access/rules/address-hash.ts";
import { newUserId } from "#features/access/rules/team.ts";
import { sealSession } from "#features/access/sessions.ts";
import { nameOwner } from "#features/tenants/flows/owners.ts";
import type { CreatedUpload } from "#features/uploads/flows/uploads.ts";
import { CSRF_COOKIE, CSRF_HEADER, SESSION_COOKIE } from "#http/credentials/session-names.ts";
import { accountsWorker } from "../../functions/accounts/worker.ts";
import { connectApp } from "../../functions/connect/app.ts";
import { handOverWorker } from "../../functions/hand-over/worker.ts";
import { sendReply } from "../bench/scenarios.ts";
import { pngBytes, post } from "../features/uploads/flows/support/upload-fixture.ts";
import { createApp } from "../support/conformance/observed-app.ts";
import { everyoneWrites, type Workspace } from "../support/pipeline/workspace.ts";
import type { Pipeline } from "../support/pipeline.ts";

/**
 * One of the service's operations, from its request or webhook until its own workers have nothing to do. A reply ends with
 * its answer, and what follows from an event is the walk of the inbound message.
 */
export interface Operation {
  readonly name: string;
  /** The most files, folders and rooms that it may pass. */
  readonly limit: { readonly files: number; readonly folders: number; readonly rooms: number };
  /** What stands before it, in a workspace of its own. */
  prepare(pipeline: Pipeline, workspace: Workspace): Promise<() => Promise<unknown>>;
}

const known = async (pipeline: Pipeline, workspace: Workspace) => {
  await everyoneWrites(pipeline, workspace, 1);
  pipeline.advance(SECOND);
};

/** The operations whose walks are counted. */
export const operations: readonly Operation[] = [
  {
    name: "inbound message",
    limit: { files: 55, folders: 25, rooms: 18 },
    async prepare(pipeline, workspace) {
      await known(pipeline, workspace);
      return () => everyoneWrites(pipeline, workspace, 1);
    },
  },
  {
    name: "reply",
    limit: { files: 36, folders: 20, rooms: 13 },
    async prepare(pipeline, workspace) {
      await known(pipeline, workspace);
      return () => sendReply(pipeline, workspace, 0);
    },
  },
  {
    name: "creating an endpoint",
    limit: { files: 14, folders: 8, rooms: 7 },
    prepare:
      async (pipeline, { liveKey }) =>
      () =>
        pipeline.call(liveKey, "POST", "/v1/webhooks", { url: `${pipeline.loopback.origin}/hooks/another` }),
  },
  {
    name: "erasure",
    limit: { files: 26, folders: 20, rooms: 12 },
    async prepare(pipeline, workspace) {
      await known(pipeline, workspace);
      const path = `/v1/conversations/${encodeURIComponent(workspace.conversationIdFor(0))}`;
      return async () => {
        await pipeline.call(workspace.liveKey, "DELETE", path);
        pipeline.advance(MINUTE);
        await pipeline.erase();
      };
    },
  },
  {
    name: "connecting an account",
    limit: { files: 38, folders: 16, rooms: 13 },
    prepare: prepareConnecting,
  },
  {
    name: "upload",
    limit: { files: 37, folders: 20, rooms: 12 },
    async prepare(pipeline, workspace) {
      await known(pipeline, workspace);
      const file = { filename: "photo.png", content_type: "image/png", size: pngBytes().length };
      const body = { conversation_id: workspace.conversationIdFor(0), ...file };
      const worker = handOverWorker(pipeline.functions["hand-over"](), pipeline.now);
      return async () => {
        const path = "/v1/attachments/uploads";
        const { upload } = await pipeline.call<{ upload: CreatedUpload }>(workspace.liveKey, "POST", path, body);
        await post(upload, pngBytes());
        await pipeline.call(workspace.liveKey, "POST", "/v1/attachments", { upload_id: upload.id });
        await pipeline.drain("Uploads", worker);
      };
    },
  },
];

/** The end of a login of an owner in a browser, and what follows in the accounts queue. */
async function prepareConnecting(pipeline: Pipeline, { tenant }: Workspace): Promise<() => Promise<unknown>> {
  const { functions, now } = pipeline;
  const ports = functions.connect();
  const app = createApp({ ...connectApp(ports), now, log: () => {} });
  const { cookie, csrfToken } = await signIn(pipeline, tenant);
  const worker = accountsWorker(functions.accounts(), now);
  const request = (method: string, path: string, headers: Record<string, string>) =>
    app.fetch(new Request(`${ports.baseUrl}${path}`, { method, headers }));
  const started = await request("POST", `/oauth/instagram/start?tenant=${tenant}`, {
    cookie,
    [CSRF_HEADER]: csrfToken,
    origin: ports.consoleOrigin,
  });
  const { data } = (await started.json()) as { data: { url: string } };
  const [loginCookie = ""] = started.headers.getSetCookie();
  const state = new URL(data.url).searchParams.get("state") ?? "";
  return async () => {
    const callback = await request("GET", `/oauth/instagram/callback?${new URLSearchParams({ code: "AQB", state })}`, {
      cookie: `${cookie}; ${loginCookie.split(";")[0]}`,
    });
    if (callback.status !== 200) throw new Error(`The login was refused: ${await callback.text()}`);
    pipeline.advance(MINUTE);
    await pipeline.drain("Accounts", worker);
  };
}

/** Signs an owner in. @returns the cookie and the CSRF token of the session */
async function signIn({ stores, tenantPorts, functions, now, lines }: Pipeline, tenant: TenantId) {
  const email = "owner@example.com";
  const addressHash = addressHashes(await tenantPorts.addressKeys(), email);
  await nameOwner(tenantPorts, { tenant, email, author: { actor: "cli" }, now: now() });
  const [invite] = await stores.invites.list(tenant);
  const newUser = { addressHashes: addressHash, email, newUserId: newUserId(now()), now: now() };
  const user = await stores.users.recordSignIn(newUser);
  const author = { actor: `console:${user.id}`, ip: "192.0.2.1" };
  await claimInvites(
    { ...stores, log: (line) => void lines.push(line) },
    { user, addressHashes: addressHash, inviteId: invite?.id ?? null, author, now: now() },
  );
  const keys = await functions.connect().sessionKeys();
  const session = await sealSession(keys, { userId: user.id, epoch: user.sessionEpoch, now: now() });
  return {
    cookie: `${SESSION_COOKIE}=${session.token}; ${CSRF_COOKIE}=${session.csrfToken}`,
    csrfToken: session.csrfToken,
  };
}
