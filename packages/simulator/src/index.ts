export { type ControlToken, randomControlToken } from "../../loopback/src/control-token.ts";
export type { AddedEndpoint, AppDelivery, AppReport, InspectedMessage, SimulatorHost } from "./host.ts";
export { simulatorPageUrl } from "./page-url.ts";
export { type Simulator, type SimulatorOptions, startSimulator } from "./simulator.ts";
export { simulatedAppIds } from "./world/app-ids.ts";
export type { SeedAccount } from "./world/model.ts";
export { exampleAccounts, unconnectedAccounts } from "./world/seed.ts";
