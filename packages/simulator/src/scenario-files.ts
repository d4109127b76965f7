import { readdir, readFile } from "node:fs/promises";
import { parseScenario } from "./control/parse-scenario.ts";
import type { Scenario } from "./scenario/model.ts";

const folder = new URL("./scenarios/", import.meta.url);
let loading: Promise<Map<string, Scenario>> | undefined;

/** The scenarios of the package by their names, in alphabetical order. They are read once. */
export function readyScenarios(): Promise<Map<string, Scenario>> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Map<string, Scenario>> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".json")).toSorted();
  const read = async (file: string): Promise<[string, Scenario]> => [
    file.slice(0, -".json".length),
    parseScenario(JSON.parse(await readFile(new URL(file, folder), "utf8"))),
  ];
  return new Map(await Promise.all(files.map(read)));
}
