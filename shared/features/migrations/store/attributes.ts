export const migrationAttributes = {
  completed: "c",
  leaseUntil: "le",
  position: "p",
  run: "o",
} as const;
