import type { PlantedFault } from "../planted-fault.ts";

export const edgeFaults: readonly PlantedFault[] = [
  {
    name: "sign-in links use up the rate of the other console routes",
    file: "lib/constructs/http-api.ts",
    search: "      [signIn, throttles.signIn],\n",
    replacement: "",
    killedBy: {
      file: "test/lib/stacks/service-stack.test.ts",
      title: "has one stage, on which webhooks, sign-in, check page and the rest each have a throttle of their own",
    },
  },
  {
    name: "the stage is created before the routes that it throttles",
    file: "lib/constructs/http-api.ts",
    search: "  stage.node.addDependency(...parts.flatMap(([routes]) => routes));\n",
    replacement: "",
    killedBy: {
      file: "test/lib/stacks/service-stack.test.ts",
      title: "creates the stage after each route that it throttles, which CloudFormation requires",
    },
  },
  {
    name: "other functions use up the environments of the webhooks",
    file: "lib/functions/intake.ts",
    search: "{ reservedConcurrency: settings.intakeReservedConcurrency }",
    replacement: "{}",
    killedBy: {
      file: "test/lib/stacks/service-stack.test.ts",
      title: "reserves concurrency for the platforms' webhooks, and for nothing else unless the operator does",
    },
  },
];
