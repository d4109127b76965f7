import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { rotateRoot } from "#features/access/flows/rotation/rotate-root.ts";
import { redriveQueue } from "#features/dead-letters/flows/redrive.ts";
import { deleteTenant } from "#features/tenants/flows/delete-tenant.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import { queueIds } from "../cloud/aws.ts";
import type { Deeds, StatusChange, TenantDeletion } from "../deeds.ts";
import type { World } from "../world/open-world.ts";
import { tenants } from "../world/people.ts";
import type { Requests } from "./requests.ts";

class Killed extends Error {}

/** The commands of the operator. Each runs in a process of its own, which no trouble of a function meets. */
export function openOperator(world: World, deeds: Deeds, { request }: Requests) {
  const { engine, admin, redrivePorts, keysOf, outages } = world;

  async function useAllKeys(): Promise<void> {
    for (const credential of tenants.flatMap((tenant) => Object.values(keysOf(tenant))))
      await request("api", "GET", "/v1/event-types", { credential });
  }

  return {
    /** Redrives every dead letter. */
    async redrive(): Promise<void> {
      const redriveAll = async () => {
        for (const queue of queueIds)
          for await (const results of redriveQueue(redrivePorts, queue, engine.now)) deeds.redrives.push(...results);
      };
      await redriveAll().catch((error: unknown) => {
        // Without the table the command ends with an error, which the operator sees.
        if (!outages.isOut("table")) throw error;
      });
    },

    async setStatus(tenant: TenantId, to: StatusChange["to"]): Promise<void> {
      const change: StatusChange = { tenant, to, askedAt: engine.now(), appliedAt: null };
      deeds.statuses.push(change);
      const result = await setTenantStatus(admin, tenant, { status: to, author: { actor: "cli" } }, engine.now());
      if (result === "completed") change.appliedAt = engine.now();
    },

    /** Deletes a tenant. @param dies the step at which the first run dies; the operator repeats it at once */
    async deleteTenant(tenant: TenantId, dies: number): Promise<void> {
      const deletion: TenantDeletion = { tenant, askedAt: engine.now(), endedAt: null };
      deeds.deletions.push(deletion);
      const time = { now: engine.now, wait: (duration: Millis) => engine.until(engine.now() + duration) };
      let steps = 0;
      const report = () => {
        if (steps++ === dies) throw new Killed();
      };
      const run = () => deleteTenant(admin, { tenant, author: { actor: "cli" }, time, report });
      await run().catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
        return run();
      });
      deletion.endedAt = engine.now();
    },

    /** Rotates the root secret. A second rotation first waits for the keys, and then ends the sessions before the first. */
    async rotateRoot(): Promise<void> {
      const askedAt = engine.now();
      const rotate = (isForced: boolean) => rotateRoot(world.rotationPorts(), { isForced, now: engine.now() });
      let result = await rotate(false);
      if (result.kind === "confirm" && result.keys.length > 0) {
        await useAllKeys();
        result = await rotate(false);
      }
      if (result.kind === "confirm" && result.keys.length === 0) result = await rotate(true);
      if (result.kind === "rotated") deeds.rotations.push({ askedAt, at: engine.now() });
    },
  };
}
