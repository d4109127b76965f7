/** The names of the stacks, which are also the names of their templates in the assembly. */
export const stacks = { data: "ParleyData", service: "ParleyService" } as const;
