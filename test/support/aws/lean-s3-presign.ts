// Both packages of the SDK that sign for others: for runs of the tests with PARLEY_AWS_CLIENT=lean.

export * from "#base/aws/lean/s3-presign.ts";
