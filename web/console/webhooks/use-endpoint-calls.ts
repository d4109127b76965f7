import { useQueryClient } from "@tanstack/react-query";
import { useNotices } from "../common/notices.tsx";
import { useWorkspace } from "../data/workspace.tsx";
import type { Endpoint } from "./endpoint-state.ts";
import { webhookProblem } from "./problems.ts";
import { texts } from "./texts.ts";

/** Within this time most attempts that were started by a person have their result. */
const ATTEMPT_MS = 3_000;

/** What can be done with an endpoint. Each shows its result, and reads again what it changed. */
export function useEndpointCalls({ id }: Endpoint) {
  const { parley, tenant } = useWorkspace();
  const { show } = useNotices();
  const client = useQueryClient();
  const reread = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ["webhook", tenant, id] }),
      client.invalidateQueries({ queryKey: ["webhooks", tenant] }),
    ]);
  const invalidateDeliveries = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ["deliveries", tenant, id] }),
      client.invalidateQueries({ queryKey: ["delivery", tenant, id] }),
    ]);
  /** Reads them now, and again when most attempts have ended. */
  const rereadDeliveries = () => {
    setTimeout(() => void invalidateDeliveries(), ATTEMPT_MS);
    return invalidateDeliveries();
  };
  /** @returns the words of what went wrong, or null */
  const attempt = async (call: () => Promise<unknown>, done: string): Promise<string | null> => {
    try {
      await call();
      show({ text: done });
      return null;
    } catch (error) {
      return webhookProblem(error);
    } finally {
      void reread();
    }
  };
  return {
    reread,
    rereadDeliveries,
    pause: () => attempt(() => parley.webhooks.update(id, { status: "paused" }), texts.paused),
    resume: () => attempt(() => parley.webhooks.update(id, { status: "active" }), texts.resumed),
    remove: () => attempt(() => parley.webhooks.delete(id), texts.deleted),
    async test() {
      const problem = await attempt(() => parley.webhooks.test(id), texts.tested);
      void rereadDeliveries();
      return problem;
    },
  };
}
