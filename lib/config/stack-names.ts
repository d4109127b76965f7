/** Stack names. The templates in the assembly have the same names. */
export const stacks = { data: "ParleyData", service: "ParleyService" } as const;
