import { testConfig } from "./test/support/vitest-projects.ts";

export default testConfig({ full: false });
