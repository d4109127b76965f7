/** The ids of the simulated app, unless the simulator's options name others. Instagram's login knows it by an id of its own. */
export const simulatedAppIds = { meta: "151777648186011", instagram: "827364518273645" } as const;
