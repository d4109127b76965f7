import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { metricUnits } from "#base/config/metrics.ts";
import { env, functions } from "#base/config/names.ts";
import { readPage } from "../../docs/markdown.ts";
import { functionEnvironment } from "../stacks/support/function-environment.ts";
import { resourcesOfType, synthesizeTemplates, type Template } from "../synth-templates.ts";

const folder = mkdtempSync(join(tmpdir(), "parley-overview-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, "staging.json"), JSON.stringify({ account: "111122223333", region: "eu-central-1" }));

const { service } = synthesizeTemplates();
const staging = synthesizeTemplates({ "parley:stage": "staging" }, folder).service;

/** Namespace, name and the logical id of the dimension of each metric on the dashboard. */
function shownMetrics(template: Template): (readonly [string, string, string | null])[] {
  const dashboards = resourcesOfType(template, "AWS::CloudWatch::Dashboard");
  expect(dashboards).toHaveLength(1);
  const body = dashboards[0]?.[1].Properties.DashboardBody as { "Fn::Join": [string, unknown[]] };
  const text = body["Fn::Join"][1]
    .map((part) => (typeof part === "string" ? part : JSON.stringify(part).replaceAll('"', "'")))
    .join("");
  const { widgets } = JSON.parse(text) as { widgets: { properties: { metrics: unknown[][] } }[] };
  return widgets.flatMap(({ properties }) =>
    properties.metrics.map(
      ([namespace, name, , dimension]) =>
        [String(namespace), String(name), typeof dimension === "string" ? dimension : null] as const,
    ),
  );
}

describe("the dashboard", () => {
  const shown = shownMetrics(service);

  test("the dashboard has each metric that the functions embed, and no other of their namespace", () => {
    const own = shown.filter(([namespace]) => namespace === "Parley").map(([, name]) => name);
    expect([...new Set(own)].toSorted()).toEqual(Object.keys(metricUnits).toSorted());
  });

  test("the dashboard's metrics of AWS are of resources of the template", () => {
    const ofAws = shown.filter(([namespace]) => namespace !== "Parley");
    expect(ofAws.length).toBeGreaterThan(30);
    for (const [namespace, name, dimension] of ofAws) {
      const [, id = ""] = /'(?:Ref|Fn::GetAtt|Fn::ImportValue)':\[?'([^']*)'/.exec(dimension ?? "") ?? [];
      const isResource = service.Resources[id] !== undefined || /^ParleyData:.*SingleTable/.test(id);
      expect([namespace, name, dimension, isResource]).toEqual([namespace, name, dimension, true]);
    }
  });

  test("the dashboard has at most the 50 metrics that are free, and a generated name", () => {
    expect(shown.length).toBeLessThanOrEqual(50);
    const [[, { Properties }] = [null, { Properties: {} }]] = resourcesOfType(service, "AWS::CloudWatch::Dashboard");
    expect(Properties).not.toHaveProperty("DashboardName");
  });

  test("the dashboard of a stage and the functions of it have the namespace of the stage", () => {
    const namespaces = shownMetrics(staging).map(([namespace]) => namespace);
    expect(namespaces).toContain("Parley/staging");
    expect(namespaces).not.toContain("Parley");
    for (const name of functions) {
      expect(functionEnvironment(name, staging)[env.metricNamespace]).toBe("Parley/staging");
      expect(functionEnvironment(name)).not.toHaveProperty(env.metricNamespace);
    }
  });
});

test("docs/operate/monitoring.md explains each metric that the functions embed", () => {
  const [, chapter = ""] = /^## Metrics$(.*?)^## /ms.exec(readPage("docs/operate/monitoring.md")) ?? [];
  const [, table = ""] = chapter.split("|---|---|");
  expect([...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name).toSorted()).toEqual(
    Object.keys(metricUnits).toSorted(),
  );
});
