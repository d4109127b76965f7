import type { PlantedFault } from "../../planted-fault.ts";

const filesTest = "test/base/aws/upload-files.test.ts";
const grantsTest = "test/base/aws/upload-grants.test.ts";
const presignedTest = "test/packages/local-aws/emulators/s3-presigned.test.ts";

export const uploadStorageFaults: readonly PlantedFault[] = [
  {
    name: "the copy has the headers that its writer set",
    file: "shared/base/aws/upload-files.ts",
    search: 'MetadataDirective: "REPLACE",',
    replacement: "",
    killedBy: { file: filesTest, title: "a posted file keeps no metadata of its writer in the copy" },
  },
  {
    name: "a grant is signed with credentials that expire before it",
    file: "shared/base/aws/upload-grants.ts",
    search: "await refreshCredentials(client, expiresAt);",
    replacement: "",
    killedBy: { file: grantsTest, title: "credentials that expire before the grant are replaced before they sign it" },
  },
  {
    name: "a grant ends by the machine's clock alone",
    file: "shared/base/aws/upload-grants.ts",
    search: "secondsUntil(expiresAt, machineNow() + client.config.systemClockOffset)",
    replacement: "15 * 60",
    killedBy: {
      file: grantsTest,
      title: "a grant ends at its whole second by the stack's clock, also if the machine has another time",
    },
  },
  {
    name: "a grant takes an empty file",
    file: "shared/base/aws/upload-grants.ts",
    search: '"content-length-range", 1, maxSize',
    replacement: '"content-length-range", 0, maxSize',
    killedBy: { file: grantsTest, title: "a grant with %s is answered with %i" },
  },
  {
    name: "a link shows the file instead of storing it",
    file: "shared/base/aws/upload-links.ts",
    search: ', ResponseContentDisposition: "attachment"',
    replacement: "",
    killedBy: {
      file: filesTest,
      title: "a link gives the file to anyone for its lifetime by the stack's clock, as a download",
    },
  },
  {
    name: "local storage accepts an expired link",
    file: "packages/local-aws/src/emulators/s3/presigned.ts",
    search: "if (expiresAt <= now)",
    replacement: "if (expiresAt < signedAt)",
    killedBy: { file: presignedTest, title: "a presigned URL expires by the stack's clock and not by the machine's" },
  },
  {
    name: "a webhook may name the bucket of uploads",
    file: "lib/stacks/service-stack.ts",
    search: "[data.raw, data.uploads].map",
    replacement: "[data.raw].map",
    killedBy: {
      file: "test/lib/stacks/service-stack.test.ts",
      title: "with URLs %j and %j, both functions that call webhooks get the deployment's own hosts",
    },
  },
];
