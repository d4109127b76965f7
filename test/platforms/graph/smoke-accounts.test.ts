import { expect, it, vi } from "vitest";
import { type Account, SMOKE_ACCOUNT_PREFIX } from "#features/accounts/rules/accounts.ts";
import type { PlatformHttp } from "#platforms/graph/http.ts";
import { accountPlatformFor } from "#platforms/platforms.ts";
import { compose } from "../../../functions/compose.ts";
import type { Host } from "../../../functions/host.ts";
import { platformFor } from "../../../functions/ports/platforms.ts";

const upstream = { facebookGraph: "http://127.0.0.1:1", instagramGraph: "http://127.0.0.1:1", graphVersion: "v26.0" };
const account = (externalId: string) => ({ platform: "instagram", externalId, pageId: null }) as const;
const smoke = account(`${SMOKE_ACCOUNT_PREFIX}01ARZ3NDEKTSV4RRFFQ69G5FAV`);

it("the calls of a smoke test's account reach no platform, and those of another do", async () => {
  const get = vi.fn(async () => ({ kind: "unsent" }) as const);
  const http = { get, postForm: get, delete: get, post: get, deadline: () => AbortSignal.timeout(1_000) };
  const app = { metaAppId: null, metaSecret: null };
  const platform = accountPlatformFor("instagram_login", { upstream, http: http as unknown as PlatformHttp, app });
  const page = { after: null, limit: 1 };
  const callAll = async (ref: ReturnType<typeof account>) => [
    await platform.subscribe(ref, "t"),
    await platform.readSubscription(ref, "t"),
    await platform.readPicture(ref, "t"),
    await platform.inspect(ref, "t"),
    await platform.listThreads(ref, "t", page),
    await platform.readThread(ref, "t", "aWdfZAG06MTpJR01lc3NhZA"),
    await platform.unsubscribe(ref, "t"),
  ];
  expect((await callAll(smoke)).map(({ kind }) => kind)).toEqual([
    "done",
    "read",
    "read",
    "inspected",
    "listed",
    "read",
    "done",
  ]);
  expect(get).not.toHaveBeenCalled();
  await callAll(account("17841400000000001"));
  expect(get).toHaveBeenCalledTimes(7);
  const settings = {
    PARLEY_PLATFORM_SECRET_ID: "Platforms",
    PARLEY_PLATFORM_URLS: '{"instagram_graph":"http://127.0.0.1:1"}',
  };
  const platforms = compose({ settings, clients: {} } as unknown as Host, { platformFor }).platformFor;
  const sender = await platforms({ ...smoke, connection: "instagram_login" } as Account);
  expect(await sender.fetchProfile(smoke, "t", "1")).toEqual({ kind: "unknown" });
  expect(await sender.send(smoke, "t", {} as never)).toMatchObject({ kind: "accepted" });
});
